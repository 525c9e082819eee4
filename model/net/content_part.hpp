#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace matchcloud::model {

/// The `Content-Range` of a 206: bytes `begin` up to, not including, `end` of `total`.
struct content_part {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t total = 0;

  friend bool operator==(const content_part&, const content_part&) = default;
};

/// Reads `bytes 5-9/10` (RFC 9110 section 14.4). Empty for anything else: a missing total, an end
/// before the beginning or beyond the total.
std::optional<content_part> parse_content_part(std::string_view value) noexcept;

} // namespace matchcloud::model
