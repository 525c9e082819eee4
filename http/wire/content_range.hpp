#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::http {

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
