#pragma once

#include <string_view>

namespace matchcloud::http {

/// Whether a `Content-Type` names `type` (lower case, without parameters). Type and subtype are
/// case-insensitive, and parameters follow a semicolon (RFC 9110 section 8.3.1).
bool is_media_type(std::string_view content_type, std::string_view type) noexcept;

bool is_json(std::string_view content_type) noexcept;

} // namespace matchcloud::http
