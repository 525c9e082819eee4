#pragma once

#include "http/wire/request.hpp"
#include "http/wire/response.hpp"
#include "store/exports/export_store.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::http {

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
