#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// A 128-bit identifier (RFC 9562), stored as its sixteen bytes in network order.
struct uuid {
  std::array<std::uint8_t, 16> bytes{};

  friend auto operator<=>(const uuid&, const uuid&) = default;
};

/// Reads the 36-character form with dashes, in either case. All other forms are refused: braces,
/// `urn:uuid:`, missing dashes.
std::optional<uuid> parse_uuid(std::string_view text) noexcept;

/// The length of the textual form (RFC 9562 section 4).
inline constexpr std::size_t uuid_text_length = 36;

/// The 36-character form in lower case.
std::string to_string(const uuid& id);

/// A random UUID (version 4, RFC 9562 section 5.4) made of sixteen random bytes.
uuid random_uuid(std::array<std::uint8_t, 16> random) noexcept;

/// Writes `to_string(id)` to the `uuid_text_length` bytes at `to`; returns the end.
char* write_uuid(char* to, const uuid& id) noexcept;

} // namespace matchcloud::model

template <>
struct std::hash<matchcloud::model::uuid> {
  std::size_t operator()(const matchcloud::model::uuid& id) const noexcept;
};
