#pragma once

#include "http/wire/request.hpp"

#include <string_view>

namespace matchcloud::http {

/// Whether an `Accept-Encoding` accepts gzip (RFC 9110 section 12.5.3): it names `gzip` or
/// `x-gzip`, or has `*`, with a weight above 0. A coding with a malformed weight is not accepted.
/// O(value).
bool accepts_gzip(std::string_view accept_encoding) noexcept;
/// The same for the header of a request.
bool accepts_gzip(const request& by) noexcept;

} // namespace matchcloud::http
