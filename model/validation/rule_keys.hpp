#pragma once

#include "base/config_row.hpp"
#include "model/validation/validation_rules.hpp"

namespace matchcloud::model {

/// The keys of the validation rules, except limits.
base::config_rows<validation_rules> rule_keys();
/// The keys of the validation limits, named `limit-NAME`.
base::config_rows<validation_rules> validation_limit_keys();

inline constexpr std::string_view validation_limit_prefix = "limit-";

} // namespace matchcloud::model
