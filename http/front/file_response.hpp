#pragma once

#include "actors/media/messages.hpp"
#include "base/files/open_file.hpp"
#include "http/wire/request.hpp"
#include "http/wire/response.hpp"
#include "store/object_store.hpp"

#include <memory>
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

} // namespace matchcloud::http
