#pragma once

#include "actors/request/supervised_actor.hpp"
#include "actors/supervision/child_table.hpp"
#include "base/clock.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>

namespace matchcloud::actors {

/// What a supervisor needs. The objects pointed to must outlive it.
struct supervisor_settings {
  std::shared_ptr<child_table> children;
  const base::clock* clock = nullptr;
  /// Called on the supervisor's thread when the first restart storm begins (true) and when the last
  /// one is over (false).
  std::function<void(bool)> on_storm = {};
  /// The seed for spreading the backoffs.
  std::uint32_t seed = 1;
};

/// Restarts children that die (one for one), sends the owners' addresses to the fronts, and sends
/// their subscribers to the catalog, the GeoIP watch and owners that have news. One, on the actors'
/// pool. The supervisor may die as well: the code that spawned it spawns the next one, which finds
/// all actors in the child table.
class supervisor final : public supervised_actor {
public:
  /// The interval between checks whether a restart storm is over.
  static constexpr std::chrono::milliseconds storm_check_interval{100};

  supervisor(caf::actor_config& cfg, supervisor_settings settings);

  const char* name() const override { return "supervisor"; }

protected:
  caf::behavior make_behavior() override;
  /// Removes the monitors of the children: they outlive the supervisor, and CAF would keep the
  /// monitors otherwise.
  void on_exit() override;

private:
  void adopt();
  void start(std::size_t child);
  void on_down(const caf::down_msg& down);
  void announce();
  void check_storms_now();
  void report_storms();
  void stop();

  supervisor_settings settings_;
  std::shared_ptr<child_table> children_;
  std::minstd_rand random_;
  bool storming_ = false;
};

} // namespace matchcloud::actors
