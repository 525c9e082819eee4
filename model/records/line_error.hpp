#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// Why a line of an import is refused. The names are stable, because clients act on them.
enum class line_errc : std::uint8_t {
  /// The line is not one JSON object in UTF-8.
  malformed,
  /// The line is longer than `line_limit_bytes`.
  too_long,
  /// The format has no such member.
  unknown_member,
  /// A member occurs twice.
  duplicate_member,
  /// A required member is missing.
  required,
  /// A member's value has the wrong JSON type.
  wrong_type,
  /// A value is outside the allowed range or set.
  invalid,
  /// The line contradicts what is known about the same id.
  conflict,
  /// No game has this id.
  game_unknown,
  /// No namespace has this id.
  namespace_unknown,
  /// No region has this id.
  region_unknown,
};

/// The stable names.
inline constexpr std::array<std::string_view, 11> line_errc_names{
    "malformed", "too_long", "unknown_member", "duplicate_member",  "required",      "wrong_type",
    "invalid",   "conflict", "game_unknown",   "namespace_unknown", "region_unknown"};

/// The stable name: `namespace_unknown`.
constexpr std::string_view name_of(line_errc code) noexcept {
  return line_errc_names[static_cast<std::size_t>(code)];
}

/// A finding in a line: what was found and what is allowed.
struct line_finding {
  line_errc code = line_errc::malformed;
  std::string message;

  friend bool operator==(const line_finding&, const line_finding&) = default;
};

/// A finding with the number of its line, from 1.
struct line_error {
  std::uint64_t line = 0;
  line_errc code = line_errc::malformed;
  std::string message;

  friend bool operator==(const line_error&, const line_error&) = default;
};

} // namespace matchcloud::model
