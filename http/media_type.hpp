#pragma once

#include <string_view>

namespace matchcloud::http {

/// Whether a `Content-Type` is JSON's. RFC 9110 section 8.3.1: type and subtype are
/// case-insensitive, parameters follow a semicolon.
bool is_json(std::string_view content_type) noexcept;

} // namespace matchcloud::http
