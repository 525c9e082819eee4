#pragma once

#include "base/expected.hpp"
#include "model/validation/validation_rules.hpp"

namespace matchcloud::model {

/// Fails with `config_invalid` where limits contradict one another, or an alias is none, has a
/// meaning of its own or stands for several words.
base::expected<void> check_rules(const validation_rules& rules);

} // namespace matchcloud::model
