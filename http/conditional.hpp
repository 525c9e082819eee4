#pragma once

#include <string_view>

namespace matchcloud::http {

/// Whether `If-None-Match` names `etag` (quotes included, strong) by weak comparison, or is `*`:
/// then the client has the representation. What follows a malformed entity tag does not count (RFC
/// 9110 sections 8.8.3 and 13.1.2).
bool names_etag(std::string_view if_none_match, std::string_view etag) noexcept;

/// Whether a `Range` stands in view of `If-Range`: without one (empty), or with `etag` by strong
/// comparison. A date never matches: what has an entity tag here has no date (RFC 9110 section
/// 13.1.5).
bool range_stands(std::string_view if_range, std::string_view etag) noexcept;

} // namespace matchcloud::http
