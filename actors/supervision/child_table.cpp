#include "actors/supervision/child_table.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::actors {

child_table::child_table(std::vector<child_spec> specs, initial_state initial,
                         std::size_t intensity, std::chrono::milliseconds window)
    : initial_{std::move(initial)} {
  children_.reserve(specs.size());
  for (auto& spec : specs)
    children_.push_back(child{std::move(spec), restart_policy{intensity, window}});
}

std::vector<child_report> child_table::report() const {
  const std::lock_guard lock{mutex_};
  std::vector<child_report> all;
  all.reserve(children_.size());
  for (const auto& each : children_) {
    const auto now = each.statistics ? each.statistics->handled() : 0;
    all.push_back({each.spec.name, each.spec.role, each.spec.what, each.spec.loop,
                   each.storms ? child_state::storming : each.state, each.restarts,
                   each.handled_before + now, each.last_error});
  }
  return all;
}

bool child_table::is_empty() const {
  const std::lock_guard lock{mutex_};
  return std::none_of(children_.begin(), children_.end(),
                      [](const child& each) { return bool{each.actor}; });
}

bool child_table::storms() const {
  const std::lock_guard lock{mutex_};
  return std::any_of(children_.begin(), children_.end(),
                     [](const child& each) { return each.storms; });
}

std::uint64_t child_table::restarts() const {
  const std::lock_guard lock{mutex_};
  std::uint64_t sum = 0;
  for (const auto& each : children_)
    sum += each.restarts;
  return sum;
}

std::uint64_t child_table::supervisor_restarts() const {
  const std::lock_guard lock{mutex_};
  return supervisors_ > 0 ? supervisors_ - 1 : 0;
}

void child_table::show(base::metric_set& in) const {
  in.add_counter({"matchcloud_actor_restarts_total", "Actors restarted by the supervisor."},
                 [this] { return restarts(); });
  in.add(base::metric_type::counter,
         {"matchcloud_place_restarts_total", "Actors restarted, by place."},
         [this](const base::metric_set::sink& to) {
           for (const auto& each : report())
             to({{"place", each.name}}, {static_cast<double>(each.restarts)});
         });
  in.add_counter({"matchcloud_supervisor_restarts_total",
                  "Supervisors started because their predecessor died."},
                 [this] { return supervisor_restarts(); });
}

// -- the supervisor -----------------------------------------------------------

void child_table::count_supervisor() {
  const std::lock_guard lock{mutex_};
  ++supervisors_;
}

std::optional<std::size_t> child_table::find(const caf::actor_addr& actor) const {
  const auto found = std::find_if(children_.begin(), children_.end(), [&](const child& each) {
    return each.actor && each.actor.address() == actor;
  });
  if (found == children_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - children_.begin());
}

void child_table::record_start(std::size_t index, caf::actor actor,
                               std::shared_ptr<const actor_statistics> statistics,
                               base::steady_time now) {
  const std::lock_guard lock{mutex_};
  auto& started = children_[index];
  started.actor = std::move(actor);
  started.statistics = std::move(statistics);
  started.state = child_state::running;
  started.since = now;
}

std::chrono::milliseconds child_table::record_exit(std::size_t index, const std::string& reason,
                                                   base::steady_time now, std::uint32_t random) {
  const std::lock_guard lock{mutex_};
  auto& ended = children_[index];
  const auto handled = ended.statistics ? ended.statistics->handled() : 0;
  const auto said = ended.statistics ? ended.statistics->last_error() : std::string{};
  const auto verdict = ended.policy.next(now, handled > 0, random);
  ended.actor = nullptr;
  ended.statistics = nullptr;
  ended.handled_before += handled;
  ended.last_error = said.empty() ? reason : said;
  ended.state = child_state::waiting;
  ended.storms = ended.storms || verdict.storm;
  if (!stopping_) ++ended.restarts;
  return verdict.delay;
}

void child_table::end_storms(base::steady_time now) {
  const std::lock_guard lock{mutex_};
  for (auto& each : children_) {
    const bool useful = each.statistics && each.statistics->handled() > 0;
    const bool lasts = each.actor && now - each.since > calm_time;
    if (useful || lasts) each.storms = false;
  }
}

subscribers child_table::subscribers_to(std::uint8_t which) const {
  subscribers all;
  for (const auto& each : children_) {
    if (!each.actor) continue;
    const auto heard = which & each.spec.hears();
    if ((heard & base::news::tokens) != 0) all.token_holders.push_back(each.actor);
    if ((heard & ~base::news::tokens) != 0) all.members.push_back(each.actor);
  }
  return all;
}

owners child_table::owners_of(std::size_t loop) const {
  owners known{std::vector<caf::actor>(base::owner_count)};
  for (const auto& each : children_) {
    const auto serves = each.spec.loop;
    if (each.spec.what != child_spec::kind::owner) continue;
    if (serves != child_spec::every_loop && serves != loop) continue;
    known.by_role[index_of(each.spec.role)] = each.actor;
  }
  return known;
}

} // namespace matchcloud::actors
