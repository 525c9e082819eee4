#pragma once

#include <string_view>

namespace matchcloud::http {

/// Whether a `Content-Type` names `type` (lower case, without parameters). Type and subtype are
/// case-insensitive, and parameters follow a semicolon (RFC 9110 section 8.3.1).
bool is_media_type(std::string_view content_type, std::string_view type) noexcept;

bool is_json(std::string_view content_type) noexcept;

/// The names of JSON Lines in use, of which none is registered, separated by spaces.
inline constexpr std::string_view json_lines_types =
    "application/x-ndjson application/ndjson application/jsonl application/x-jsonlines";

bool is_json_lines(std::string_view content_type) noexcept;

/// Whether the text is in UTF-8 as far as a `Content-Type` says: it has no `charset` or an empty
/// one, or UTF-8 or its part US-ASCII, in quotation marks or without and in any case (RFC 9110
/// section 8.3.2).
bool has_unicode_charset(std::string_view content_type) noexcept;

} // namespace matchcloud::http
