#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// Every code that a finding can have, in the order of docs/validation.md, "All codes". Programs
/// rely on them, so none is ever renamed.
inline constexpr std::array<std::string_view, 31> finding_codes{
    "required",       "unknown-member",   "duplicate-member",
    "wrong-type",     "out-of-range",     "too-short",
    "too-long",       "too-low",          "too-high",
    "too-many",       "invalid",          "invalid-name",
    "invalid-scheme", "not-public",       "reserved",
    "unknown-value",  "unknown-tier",     "unknown-region",
    "not-available",  "min-gt-max",       "conflicting",
    "not-unique",     "ranges-overlap",   "needs-host-network",
    "needs-gateway",  "unsupported-port", "unsupported-port-range",
    "no-runtime",     "no-build",         "too-few",
    "too-many-errors"};

/// One of `finding_codes`. A literal that is not among them does not compile.
class finding_code {
public:
  // Implicit, so that a code is written as the literal that clients see.
  consteval finding_code(const char* text) : text_{text} {
    if (std::ranges::find(finding_codes, text_) == finding_codes.end())
      throw "this code is not in finding_codes";
  }
  constexpr operator std::string_view() const noexcept { return text_; }
  friend constexpr bool operator==(finding_code one, std::string_view other) noexcept {
    return one.text_ == other;
  }

private:
  std::string_view text_;
};

/// The rule that a value breaks.
struct violation {
  finding_code code;
  /// What is wrong, what is allowed and what to do, in sentences that continue the value's name,
  /// such as `is empty. Write 1 to 24 characters.`
  std::string predicate;
};

enum class length_unit : std::uint8_t { bytes, characters };

/// `1 byte`, `2 bytes`.
std::string counted(std::uint64_t count, length_unit unit);

/// `1 byte`, `1 to 2 bytes`: the lengths allowed for a text that must not be empty.
std::string counted_up_to(std::uint64_t most, length_unit unit);

/// A violation `too-long` if `text`, well-formed UTF-8, is longer than `most`. Characters are code
/// points. O(text).
std::optional<violation> check_longest(std::string_view text, std::uint64_t most, length_unit unit);

} // namespace matchcloud::model
