#pragma once

#include "http/wire/request.hpp"
#include "http/wire/response.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace matchcloud::http {

/// Bytes that fronts send unchanged for as long as the process lives.
struct static_content {
  /// Has static storage duration.
  std::string_view content_type;
  std::shared_ptr<const std::string> plain;
  /// In the gzip format; null: only plain.
  std::shared_ptr<const std::string> gzip;
  /// Identifies the bytes, in hexadecimal.
  std::string digest;
};

/// Compresses `bytes` where that makes them smaller. Milliseconds; any thread.
std::shared_ptr<const static_content> make_static_content(std::string_view content_type,
                                                          std::string bytes);
/// `gzip` is `bytes` already compressed; empty: only plain.
std::shared_ptr<const static_content> make_static_content(std::string_view content_type,
                                                          std::string bytes, std::string gzip);

/// The answer to a GET of the content: 200, or 304 where `If-None-Match` names it, with `Vary` and
/// an `ETag` of its coding. `fixed_headers` are complete header lines with static storage duration.
response static_response(const request& request, const static_content& of,
                         std::string_view fixed_headers);

} // namespace matchcloud::http
