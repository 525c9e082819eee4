#pragma once

#include "http/wire/request.hpp"
#include "http/wire/response.hpp"

#include <cstdint>
#include <string>
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

/// A range of at least one byte that lies within a representation.
struct byte_range {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;

  friend bool operator==(const byte_range&, const byte_range&) = default;
};

/// How to respond to a `Range` header.
struct range_choice {
  enum class kind : std::uint8_t {
    /// Send the whole representation, as without the header, because the value is not exactly one
    /// valid byte range.
    whole,
    part,
    unsatisfiable,
  };

  kind what = kind::whole;
  /// The bytes to send if `what` is `part`.
  byte_range bytes;
};

/// Reads a `Range` header's value for a representation of `size_bytes` (RFC 9110 section 14). A
/// single byte range is clipped to the representation; several ranges, another unit and a malformed
/// value select the whole. A number over 2^64-1 reads as 2^64-1. O(value).
range_choice choose_range(std::string_view value, std::uint64_t size_bytes) noexcept;

/// The `Content-Range` value of a part, such as `bytes 0-99/1000`.
std::string content_range(const byte_range& part, std::uint64_t size_bytes);
/// The `Content-Range` value that answers an unsatisfiable range, such as `bytes */1000`.
std::string unsatisfied_range(std::uint64_t size_bytes);

} // namespace matchcloud::http
