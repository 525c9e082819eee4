#pragma once

#include "model/text/violation.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace matchcloud::model {

/// The first rule of docs/validation.md ("Display names") that `name`, well-formed UTF-8, breaks:
/// `too-short`, `too-long` or `invalid`. `limit` counts code points. A variation selector is
/// accepted right after a visible character, because it is part of that character (emoji,
/// ideographs); all other invisible characters are refused. O(name).
std::optional<violation> check_display_name(std::string_view name, std::size_t limit);

} // namespace matchcloud::model
