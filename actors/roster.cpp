#include "actors/roster.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::actors {

roster::roster(std::vector<place> places, standing in_force, std::size_t intensity,
               std::chrono::milliseconds window)
    : in_force_{std::move(in_force)} {
  seats_.reserve(places.size());
  for (auto& where : places)
    seats_.push_back(
        seat{std::move(where), {}, {}, restart_policy{intensity, window}, {}, {}, {}, {}, {}, {}});
}

std::vector<place_report> roster::report() const {
  const std::lock_guard lock{mutex_};
  std::vector<place_report> all;
  all.reserve(seats_.size());
  for (const auto& each : seats_) {
    const auto now = each.of_occupant ? each.of_occupant->handled() : 0;
    all.push_back({each.where.name, each.where.role, each.where.what, each.where.loop,
                   each.storms ? place_state::storming : each.state, each.restarts,
                   each.handled_before + now, each.last_error});
  }
  return all;
}

bool roster::is_empty() const {
  const std::lock_guard lock{mutex_};
  return std::none_of(seats_.begin(), seats_.end(),
                      [](const seat& each) { return bool{each.occupant}; });
}

bool roster::storms() const {
  const std::lock_guard lock{mutex_};
  return std::any_of(seats_.begin(), seats_.end(), [](const seat& each) { return each.storms; });
}

std::uint64_t roster::restarts() const {
  const std::lock_guard lock{mutex_};
  std::uint64_t sum = 0;
  for (const auto& each : seats_)
    sum += each.restarts;
  return sum;
}

std::uint64_t roster::supervisor_restarts() const {
  const std::lock_guard lock{mutex_};
  return supervisors_ > 0 ? supervisors_ - 1 : 0;
}

} // namespace matchcloud::actors
