#pragma once

#include "actors/protocol.hpp"
#include "actors/resident.hpp"
#include "base/expected.hpp"

#include <memory>
#include <string>

namespace matchcloud::actors {

/// What a validator owns: the rules in force and its catalog snapshot. No threads and no actor, so
/// that tests can call it directly.
class validator_state {
public:
  validator_state(model::validation_rules rules, model::catalog_snapshot catalog);

  void set_catalog(model::catalog_snapshot catalog);

  /// Returns the response body; a single shared one if there are no findings.
  base::expected<std::shared_ptr<const std::string>>
  validate(const validate_payload& request) const;
  /// The JSON Schema of the payloads of a kind, with the rules in force and the catalog's names.
  std::string schema(model::payload_kind kind) const;

private:
  model::validation_rules rules_;
  model::catalog_snapshot catalog_;
  /// The names of the snapshot's elements.
  model::reference_names names_;
  std::shared_ptr<const std::string> no_findings_;
};

/// Validates payloads. One per event loop, resident on it, and one on the actors' pool for large
/// bodies.
class validator final : public resident {
public:
  validator(caf::actor_config& cfg, model::validation_rules rules, model::catalog_snapshot catalog);

  const char* name() const override { return "validator"; }

protected:
  caf::behavior make_behavior() override;

private:
  validator_state state_;
};

} // namespace matchcloud::actors
