#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// Why a display name is refused.
struct display_name_fault {
  /// `too-short`, `too-long` or `invalid`.
  std::string_view code;
  /// What is wrong and what to write, in full sentences.
  std::string message;
};

/// The first rule of VALIDATION.md ("Display names") that `name`, well-formed UTF-8, breaks.
/// `limit` counts code points. A variation selector is accepted right after a visible character,
/// because it is part of it (emoji, ideographs); every other invisible character is refused.
/// O(name).
std::optional<display_name_fault> check_display_name(std::string_view name, std::size_t limit);

} // namespace matchcloud::model
