#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::http {

/// Bytes of a representation, at least one, all of them within it.
struct byte_range {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;

  friend bool operator==(const byte_range&, const byte_range&) = default;
};

/// What a `Range` header comes to.
struct range_choice {
  enum class kind : std::uint8_t {
    /// Nothing is asked that one part could answer: the whole, as if there were no header.
    whole,
    part,
    unsatisfiable,
  };

  kind what = kind::whole;
  /// Of a part.
  byte_range bytes;
};

/// Reads a `Range` header's value for a representation of `size_bytes` (RFC 9110 section 14). A
/// single range of bytes is cut at the end; several, another unit and anything malformed are the
/// whole. Numbers beyond 2^64-1 are taken as that. O(value).
range_choice choose_range(std::string_view value, std::uint64_t size_bytes) noexcept;

/// `bytes 0-99/1000`.
std::string content_range(const byte_range& part, std::uint64_t size_bytes);
/// `bytes */1000`: what there is, after an unsatisfiable range.
std::string unsatisfied_range(std::uint64_t size_bytes);

} // namespace matchcloud::http
