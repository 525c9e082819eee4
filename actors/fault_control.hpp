#pragma once

#include "actors/supervised_actor.hpp"
#include "base/expected.hpp"
#include "base/faults.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace matchcloud::actors {

/// Whether faults may still be injected: a shutdown must not wait for stalled operations. Any
/// thread.
class fault_switch {
public:
  /// Injects a fault; fails with `draining` once ended, or as `base::faults::set` does.
  base::expected<void> inject(base::fault_point at, const base::fault_rule& rule);
  /// Removes all faults and refuses to inject more.
  void end();

private:
  /// Held while a fault is injected.
  std::mutex mutex_;
  bool ended_ = false;
};

/// Shows, injects and removes faults, for operators of a service that was started with fault
/// injection enabled. It passes no fault point itself.
class fault_control final : public supervised_actor {
public:
  /// `seed` is only shown.
  fault_control(caf::actor_config& cfg, std::uint64_t seed, std::shared_ptr<fault_switch> by);

  const char* name() const override { return "fault_control"; }

protected:
  caf::behavior make_behavior() override;

private:
  struct outcome {
    int status = 200;
    std::string json;
  };

  base::expected<outcome> perform(const control_faults& request) const;
  std::string render_all() const;

  std::uint64_t seed_;
  std::shared_ptr<fault_switch> switch_;
};

} // namespace matchcloud::actors
