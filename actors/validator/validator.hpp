#pragma once

#include "actors/request/resident.hpp"
#include "actors/validator/messages.hpp"
#include "base/expected.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace matchcloud::actors {

/// The state of a validator: the rules in force and its catalog snapshot. No threads and no actor,
/// so that tests can call it directly.
class validator_state {
public:
  validator_state(model::validation_rules rules, model::catalog_snapshot catalog);

  void set_catalog(model::catalog_snapshot catalog);

  /// Returns the response body, a single shared one if there are no findings; null if there are
  /// more than `most_findings`.
  base::expected<std::shared_ptr<const std::string>>
  validate(const validate_payload& request, std::size_t most_findings = SIZE_MAX) const;
  /// The JSON Schema of the payloads of a kind, with the rules in force and the catalog's names.
  std::string schema(model::payload_kind kind) const;

private:
  model::validation_rules rules_;
  model::catalog_snapshot catalog_;
  /// The names of the snapshot's elements.
  model::reference_names names_;
  std::shared_ptr<const std::string> no_findings_;
};

/// Validates payloads. One per event loop, resident on it, and one on the actors' pool for those
/// that take long.
class validator final : public resident {
public:
  /// Payloads with more findings than `most_findings` are deferred.
  validator(caf::actor_config& cfg, model::validation_rules rules, model::catalog_snapshot catalog,
            std::size_t most_findings);

  const char* name() const override { return "validator"; }

protected:
  caf::behavior make_behavior() override;

private:
  std::size_t most_findings_;
  validator_state state_;
};

} // namespace matchcloud::actors
