#pragma once

#include "http/wire/request.hpp"
#include "http/wire/response.hpp"

#include <string_view>

namespace matchcloud::http {

/// Whether `If-None-Match` names `etag` (quotes included, strong) by weak comparison, or is `*`:
/// then the client has the representation. What follows a malformed entity tag does not count (RFC
/// 9110 sections 8.8.3 and 13.1.2).
bool names_etag(std::string_view if_none_match, std::string_view etag) noexcept;

/// Whether `If-Match` names `etag` by strong comparison, or is `*` (RFC 9110 section 13.1.1).
bool names_etag_strongly(std::string_view if_match, std::string_view etag) noexcept;

/// Whether what the request asks for stands in view of `If-Match`. `If-Unmodified-Since` is to be
/// ignored: what has an entity tag here has no date (RFC 9110 section 13.1.4).
bool precondition_holds(const request& request, std::string_view etag) noexcept;
/// The 412 where it does not, with the entity tag that there is.
response precondition_failed(const request& request, std::string_view etag);

/// Whether a `Range` stands in view of `If-Range`: without one, or with `etag` by strong
/// comparison. A date never matches, for want of dates, nor does an empty value (RFC 9110 section
/// 13.1.5).
bool range_stands(const request& request, std::string_view etag) noexcept;

} // namespace matchcloud::http
