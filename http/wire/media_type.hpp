#pragma once

#include <string_view>

namespace matchcloud::http {

/// Whether a `Content-Type` names `type` (lower case, without parameters). Type and subtype are
/// case-insensitive, and parameters follow a semicolon (RFC 9110 section 8.3.1).
bool is_media_type(std::string_view content_type, std::string_view type) noexcept;

bool is_json(std::string_view content_type) noexcept;

/// The media types in use for JSON Lines (none is registered), separated by spaces.
inline constexpr std::string_view json_lines_types =
    "application/x-ndjson application/ndjson application/jsonl application/x-jsonlines";

bool is_json_lines(std::string_view content_type) noexcept;

/// Whether a `Content-Type` allows the text to be UTF-8: its `charset` is absent, empty, UTF-8 or
/// the subset US-ASCII, quoted or not and in upper or lower case (RFC 9110 section 8.3.2).
bool has_unicode_charset(std::string_view content_type) noexcept;

} // namespace matchcloud::http
