#pragma once

#include "model/validation/validation_rules.hpp"

#include <string>

namespace matchcloud::model {

/// All members of a game version as a Markdown table: the path, the JSON type, whether the member
/// is required, and what it is for and what it can be under the limits of `rules`. Members that
/// several objects share are listed at the first of them. Any thread.
std::string member_table(const validation_rules& rules);

} // namespace matchcloud::model
