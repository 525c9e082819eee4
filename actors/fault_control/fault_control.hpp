#pragma once

#include "actors/fault_control/fault_presets.hpp"
#include "actors/fault_control/fault_rule.hpp"
#include "actors/fault_control/messages.hpp"
#include "actors/request/services.hpp"
#include "actors/request/supervised_actor.hpp"
#include "base/expected.hpp"
#include "base/faults.hpp"
#include "store/database.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace matchcloud::actors {

/// All points and presets.
struct fault_list {
  std::uint64_t seed = 0;
  std::vector<shown_point> points = {};
};

constexpr auto describe(const fault_list*) {
  using of = fault_list;
  using namespace model::types;
  return record{"FaultList",
                field{"seed", unsigned_64, "Decides everything that happens at random.", &of::seed},
                field{"points", list_of(a("FaultPoint")), "All points.", &of::points},
                field{"presets", list_of(a("FaultPreset")), "Ready-made rules for common effects.",
                      [](const of&) { return std::span{fault_presets}; }}};
}

/// Whether faults may still be injected: a shutdown must not wait for stalled operations. Any
/// thread.
class fault_switch {
public:
  /// Injects a fault, from `now` for as long as it lasts; a `fault_control` then removes it. Fails
  /// with `draining` once ended, or as `base::faults::set` does.
  base::expected<void> inject(base::fault_point at, const base::fault_rule& rule,
                              base::steady_time now);
  /// Removes all faults and refuses to inject more.
  void end();

private:
  /// Held while a fault is injected.
  std::mutex mutex_;
  bool ended_ = false;
};

/// Shows, injects and removes faults, for operators of a service that was started with fault
/// injection enabled. It passes no fault point itself. A fault is injected only after its entry is
/// in the audit log. It is removed first and recorded afterwards, because it may be blocking the
/// store. An expired fault is removed, logged and recorded, even if another injected it.
class fault_control final : public supervised_actor {
public:
  /// `seed` is only shown. Without `with.administered` nothing is written to an audit log.
  fault_control(caf::actor_config& cfg, const services& with, std::uint64_t seed);

  const char* name() const override { return "fault_control"; }

protected:
  caf::behavior make_behavior() override;

private:
  struct outcome {
    int status = 200;
    std::string json;
  };

  /// Removes expired faults, and does so again when the next one expires or in a second, because
  /// others may inject faults, too.
  void heal();
  void note_healed(const base::healed_fault& which);
  /// Has an entry written about a change that has already happened.
  void record_afterwards(const model::audit_author& by, model::audit_change what);
  void handle(const control_faults& request, const caf::actor& front);
  void answer(const control_faults& request, const caf::actor& front);
  /// Has an entry written about a rule, which is then set. False: the pool is full.
  bool record(const control_faults& request, const caf::actor& front);
  /// Fails if there is no such point or the rule is invalid.
  static base::expected<void> check(const control_faults& request);
  base::expected<outcome> perform(const control_faults& request) const;
  shown_point show(base::fault_point at, const control_faults& request) const;
  std::string render_all(const control_faults& request) const;

  std::uint64_t seed_;
  const services* with_;
};

} // namespace matchcloud::actors
