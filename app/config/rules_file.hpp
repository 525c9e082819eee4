#pragma once

#include "base/expected.hpp"
#include "model/validation/validation_rules.hpp"

#include <cstddef>
#include <string>

namespace matchcloud::app {

/// Everything that decides whether a service accepts a payload.
struct payload_rules {
  model::validation_rules rules;
  model::reference_names names;
  std::size_t body_limit_bytes;
};

/// The rules of a service without configuration; any region is accepted.
payload_rules default_payload_rules();

/// The rules of a service with this configuration file. Its `[rules]` may also give `tiers` and
/// `regions`, which a service reads from its catalog. The whole file is checked; fails with
/// `config_invalid` for the same reasons as reading a configuration file and make_config().
base::expected<payload_rules> read_rules_file(const std::string& file);

} // namespace matchcloud::app
