#pragma once

#include "actors/request/messages.hpp"
#include "actors/request/supervised_actor.hpp"
#include "base/blocking_pool.hpp"

#include <chrono>
#include <functional>

namespace matchcloud::actors {

struct repeated_task_settings {
  /// The task. Blocks. Keeps alive what it needs.
  std::function<void()> run;
  /// Must outlive the actor.
  base::blocking_pool* pool = nullptr;
  /// The pause between two runs.
  std::chrono::milliseconds interval{1'000};
};

/// Runs a task repeatedly on the blocking pool, one run at a time. On the actors' pool. It passes
/// no fault point.
class repeated_task final : public supervised_actor {
public:
  repeated_task(caf::actor_config& cfg, repeated_task_settings settings);

  const char* name() const override { return "repeated_task"; }

protected:
  caf::behavior make_behavior() override;

private:
  void run();

  repeated_task_settings settings_;
};

} // namespace matchcloud::actors
