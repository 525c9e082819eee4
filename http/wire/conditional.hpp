#pragma once

#include "http/wire/request.hpp"
#include "http/wire/response.hpp"

#include <string_view>

namespace matchcloud::http {

/// Whether `If-None-Match` names `etag` (a strong tag, quotes included) by weak comparison, or is
/// `*`: the client then has the representation. A malformed entity tag and everything after it are
/// ignored (RFC 9110 sections 8.8.3 and 13.1.2).
bool names_etag(std::string_view if_none_match, std::string_view etag) noexcept;

/// Whether `If-Match` names `etag` by strong comparison, or is `*` (RFC 9110 section 13.1.1).
bool names_etag_strongly(std::string_view if_match, std::string_view etag) noexcept;

/// Whether `If-Match` allows the request to proceed, given the current entity tag.
/// `If-Unmodified-Since` is ignored, as RFC 9110 section 13.1.4 requires of a representation
/// without a modification date: those with an entity tag here have none.
bool precondition_holds(const request& request, std::string_view etag) noexcept;
/// The 412 response for a request whose precondition does not hold, with the current entity tag.
response precondition_failed(const request& request, std::string_view etag);

/// Whether a `Range` header applies, given `If-Range`: there is no `If-Range`, or it names `etag`
/// by strong comparison. A date never matches because representations here have no dates; an empty
/// value never matches either (RFC 9110 section 13.1.5).
bool if_range_matches(const request& request, std::string_view etag) noexcept;

} // namespace matchcloud::http
