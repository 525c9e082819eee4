#pragma once

#include "base/expected.hpp"
#include "model/validation/validation_rules.hpp"

namespace matchcloud::model {

/// Fails with `config_invalid` if limits contradict each other, or if an alias is invalid, already
/// has a meaning, or stands for several words.
base::expected<void> check_rules(const validation_rules& rules);

} // namespace matchcloud::model
