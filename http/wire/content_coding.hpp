#pragma once

#include <string_view>

namespace matchcloud::http {

/// Whether an `Accept-Encoding` takes gzip (RFC 9110 section 12.5.3): named as `gzip` or `x-gzip`,
/// or by `*`, with a weight above 0. What cannot be read is not taken. O(value).
bool accepts_gzip(std::string_view accept_encoding) noexcept;

} // namespace matchcloud::http
