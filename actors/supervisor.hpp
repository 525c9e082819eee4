#pragma once

#include "actors/roster.hpp"
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
  std::shared_ptr<roster> places;
  const base::clock* clock = nullptr;
  /// Called when the first restart storm begins (true) and when the last is over (false), by the
  /// supervisor.
  std::function<void(bool)> on_storm = {};
  /// Of the backoffs' spread.
  std::uint32_t seed = 1;
};

/// Knows who is alive and restarts what dies, one for one; tells the fronts the owners' addresses
/// and the catalog and the GeoIP watch their audiences. One, on the pool. It may die as well:
/// whoever spawned it spawns the next, which finds everybody in the roster.
class supervisor final : public supervised_actor {
public:
  /// Between looks whether a restart storm is over.
  static constexpr std::chrono::milliseconds storm_look_interval{100};
  /// An actor that nobody asked for anything is well after that.
  static constexpr std::chrono::milliseconds calm_time{10'000};

  supervisor(caf::actor_config& cfg, supervisor_settings settings);

  const char* name() const override { return "supervisor"; }

protected:
  caf::behavior make_behavior() override;
  /// Those it watched outlive it: what they know of one who watches them would stay with them.
  void on_exit() override;

private:
  using seat = roster::seat;

  void adopt();
  void fill(std::size_t index);
  void on_down(const caf::down_msg& down);
  /// Notes how the occupant ended; how long its successor waits.
  std::chrono::milliseconds bury(seat& of, const caf::down_msg& down);
  void announce();
  owners owners_for(std::size_t loop) const;
  void check_calm();
  void tell_of_storms();
  void stop();

  /// Changes what reports show.
  template <class Change>
  void change(Change what) {
    const std::lock_guard lock{roster_->mutex_};
    what();
  }

  supervisor_settings settings_;
  std::shared_ptr<roster> roster_;
  std::minstd_rand random_;
  bool storming_ = false;
  bool stopping_ = false;
};

} // namespace matchcloud::actors
