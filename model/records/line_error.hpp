#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// Why a line of an import is refused. The names are stable: clients act on them.
enum class line_errc : std::uint8_t {
  /// Not one JSON object in UTF-8.
  malformed,
  /// Longer than `line_limit_bytes`.
  too_long,
  /// A member that the format does not have.
  unknown_member,
  /// A member that is there twice.
  duplicate_member,
  /// A member that must be there is not.
  required,
  /// A member's value is of the wrong JSON type.
  wrong_type,
  /// A value is outside of what is allowed.
  invalid,
  /// Contradicts what is known of the same id.
  conflict,
  /// No game has this id.
  game_unknown,
  /// No namespace has this id.
  namespace_unknown,
  /// No region has this id.
  region_unknown,
};

/// `namespace_unknown`.
std::string_view name_of(line_errc code) noexcept;

/// What is wrong with a line: what was found and what is allowed.
struct line_finding {
  line_errc code = line_errc::malformed;
  std::string message;

  friend bool operator==(const line_finding&, const line_finding&) = default;
};

/// The same with the line's number, from 1.
struct line_error {
  std::uint64_t line = 0;
  line_errc code = line_errc::malformed;
  std::string message;

  friend bool operator==(const line_error&, const line_error&) = default;
};

} // namespace matchcloud::model
