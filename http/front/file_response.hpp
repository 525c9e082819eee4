#pragma once

#include "actors/media/messages.hpp"
#include "base/files/open_file.hpp"
#include "http/wire/request.hpp"
#include "http/wire/response.hpp"
#include "store/exports/export_store.hpp"
#include "store/object_store.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::http {

/// A representation that is a whole file (RFC 9110 section 3.2).
struct file_representation {
  std::shared_ptr<const base::open_file> file;
  /// Strong, with its quotes.
  std::string etag;
  /// Static storage, as for the header lines below.
  std::string_view content_type;
  /// Whole header lines of every answer except refusals: `Cache-Control`, `Vary`.
  std::string_view fixed_headers;
  /// Whole header lines of a 412 or 416.
  std::string_view refusal_headers;
  /// Whole header lines of answers with a body: `Content-Disposition`, `Content-Encoding`.
  std::string body_headers;
  /// What error messages call the file: "image".
  std::string_view noun;
};

/// The answer to a GET or HEAD of a file: whole (200), a range (206), not modified (304), range not
/// satisfiable (416) or `If-Match` failed (412). Any thread.
response file_response(const request& request, const file_representation& of);

/// The answer to a GET or HEAD of an object stored elsewhere: 307 to a URL that caches must not
/// keep. `fixed_headers` as in `response`.
response redirect(const request& request, const store::object_links& to,
                  std::string_view fixed_headers);

/// The answer to a GET or HEAD of an image: a redirect to an image stored elsewhere (307), or for
/// an open file: whole (200), a range (206), not modified (304), range not satisfiable (416) or
/// `If-Match` failed (412). Any thread.
response media_response(const request& request, const actors::media_opened& image);

/// The query of an export URL.
struct export_link {
  /// Seconds since 1970.
  std::uint64_t expires_s = 0;
  std::string_view signature;
};

/// Reads `expires` and `signature`; other parameters are ignored. Empty where one of the two is
/// missing, repeated, or not in the form that this service writes.
std::optional<export_link> read_export_link(std::string_view query) noexcept;

/// The header line with the time from which an export has all lobbies (milliseconds since 1970), if
/// its span reaches further back than history is kept.
std::string complete_from_line(std::int64_t from_ts);

/// Whether the compressed file would be sent if it existed. False for a range request: it gets an
/// existing file and never waits for compression.
bool may_be_compressed(const request& request);

/// The answer to a GET or HEAD of an export: a redirect to an export stored elsewhere (307), or its
/// bytes, compressed if the client accepts gzip and the compressed file exists. A range request
/// gets the representation whose ETag `If-Range` or `If-Match` names, and the plain one if neither
/// names one, so that bytes of two representations are never mixed. Any thread.
response export_response(const request& request, const store::opened_export& file);

} // namespace matchcloud::http
