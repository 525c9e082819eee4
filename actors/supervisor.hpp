#pragma once

#include "actors/child_table.hpp"
#include "actors/supervised_actor.hpp"
#include "base/clock.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>

namespace matchcloud::actors {

/// What a supervisor needs. What is pointed at must outlive it.
struct supervisor_settings {
  std::shared_ptr<child_table> children;
  const base::clock* clock = nullptr;
  /// Called when the first restart storm begins (true) and when the last is over (false), by the
  /// supervisor.
  std::function<void(bool)> on_storm = {};
  /// Of the backoffs' spread.
  std::uint32_t seed = 1;
};

/// Restarts what dies, one for one, and tells the fronts where the owners are and the catalog and
/// the GeoIP watch who their subscribers are. One, on the pool. It may die as well: whoever spawned
/// it spawns the next, which finds everybody in the child table.
class supervisor final : public supervised_actor {
public:
  /// Between looks whether a restart storm is over.
  static constexpr std::chrono::milliseconds storm_look_interval{100};

  supervisor(caf::actor_config& cfg, supervisor_settings settings);

  const char* name() const override { return "supervisor"; }

protected:
  caf::behavior make_behavior() override;
  /// The children outlive it: CAF would keep a monitor that is not taken back with each of them.
  void on_exit() override;

private:
  void adopt();
  void start(std::size_t child);
  void on_down(const caf::down_msg& down);
  void announce();
  void check_calm();
  void tell_of_storms();
  void stop();

  supervisor_settings settings_;
  std::shared_ptr<child_table> children_;
  std::minstd_rand random_;
  bool storming_ = false;
  bool stopping_ = false;
};

} // namespace matchcloud::actors
