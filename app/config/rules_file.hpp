#pragma once

#include "base/expected.hpp"
#include "model/validation/validation_rules.hpp"

#include <cstddef>
#include <string>

namespace matchcloud::app {

/// What a service judges payloads by.
struct payload_rules {
  model::validation_rules rules;
  model::reference_names names;
  std::size_t body_limit_bytes;
};

/// Those of a service that is told nothing, without word about regions.
payload_rules default_payload_rules();

/// Those of a service with this configuration file. Its `[rules]` may also give `tiers` and
/// `regions`, which a service would have from its catalog. All of the file is checked; fails with
/// `config_invalid` as reading and making a configuration do.
base::expected<payload_rules> read_rules_file(const std::string& file);

} // namespace matchcloud::app
