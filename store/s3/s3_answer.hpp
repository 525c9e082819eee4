#pragma once

#include "store/s3/s3_signature.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// Bounds of a response, except for the bytes of an object, which are passed on as they arrive.
inline constexpr std::size_t s3_headers_limit_bytes = 32UL * 1024;
inline constexpr std::size_t s3_header_count_limit = 100;
inline constexpr std::size_t s3_body_limit_bytes = 4UL * 1024 * 1024;

/// A response of an object storage.
struct s3_answer {
  /// The HTTP status; 0 if there was no response.
  int status = 0;
  /// Names in lower case.
  s3_pairs headers;
  /// Empty if it was passed to a taker.
  std::string body;

  /// A header's value; empty if there is none.
  std::string_view header(std::string_view name) const noexcept {
    for (const auto& [has, value] : headers)
      if (has == name) return value;
    return {};
  }
  bool is_success() const noexcept { return status >= 200 && status < 300; }
};

/// Receives a body in pieces of 1 byte to 64 KiB, if the status is 200 or 206; `head` has no body
/// yet. Returns whether it wants more. Must not throw.
using s3_body_taker = std::function<bool(const s3_answer& head, std::string_view piece)>;

} // namespace matchcloud::store
