#pragma once

#include "base/config_row.hpp"
#include "base/expected.hpp"
#include "model/validation/validation_rules.hpp"

namespace matchcloud::model {

/// Fails with `config_invalid` if limits contradict each other, or if an alias is invalid, already
/// has a meaning, or stands for several words.
base::expected<void> check_rules(const validation_rules& rules);

/// The keys of the validation rules, except limits.
base::config_rows<validation_rules> rule_keys();
/// The keys of the validation limits, named `limit-NAME`.
base::config_rows<validation_rules> validation_limit_keys();

inline constexpr std::string_view validation_limit_prefix = "limit-";

} // namespace matchcloud::model
