#pragma once

#include "base/config_row.hpp"
#include "model/validation/validation_rules.hpp"

namespace matchcloud::model {

/// Of the rules of validation other than limits.
base::config_rows<validation_rules> rule_keys();
/// Of the limits of validation, as `limit-NAME`.
base::config_rows<validation_rules> validation_limit_keys();

inline constexpr std::string_view validation_limit_prefix = "limit-";

} // namespace matchcloud::model
