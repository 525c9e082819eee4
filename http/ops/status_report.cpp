#include "http/ops/status_report.hpp"

#include "base/faults.hpp"
#include "http/ops/service_history.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace matchcloud::http {

namespace {

supervision_status status_of(const actors::child_table& children) {
  supervision_status made;
  for (const auto& each : children.report()) {
    if (each.state == actors::child_state::running)
      ++made.running;
    else if (made.problems.size() < status_meter::problems_limit)
      made.problems.push_back({{{"place", each.name},
                                {"state", std::string{name_of(each.state)}},
                                {"last_error", each.last_error.substr(0, 128)}}});
  }
  return made;
}

std::array<std::pair<std::string_view, std::uint64_t>, 2> count_faults() {
  std::uint64_t armed = 0;
  std::uint64_t hits = 0;
  for (std::size_t i = 0; i < base::fault_point_count; ++i) {
    const auto at = static_cast<base::fault_point>(i);
    if (base::faults::armed(at)) ++armed;
    hits += base::faults::status(at).all_hits;
  }
  return {{{"armed", armed}, {"hits", hits}}};
}

using actors::child_report;
using actors::child_spec;

std::size_t waiting_in(const transport_metrics& transport, const child_report& of) {
  const auto& count = of.what == child_spec::kind::front ? transport.in_flight
                                                         : transport.at_owner[index_of(of.role)];
  return count.load(std::memory_order_relaxed);
}

/// How many requests wait for the actor; 0 for actors that get no requests.
std::size_t depth_of(const child_report& of,
                     const std::vector<const transport_metrics*>& transports) {
  if (of.what == child_spec::kind::worker) return 0;
  if (of.loop < transports.size()) return waiting_in(*transports[of.loop], of);
  std::size_t sum = 0;
  for (const auto* each : transports)
    sum += waiting_in(*each, of);
  return sum;
}

/// The name of the owner's kind, or of the actor itself if it is no owner.
std::string_view kind_of(const child_report& what) {
  if (what.what == child_spec::kind::front) return "front";
  return what.what == child_spec::kind::owner ? name_of(what.role) : what.name;
}

} // namespace

void plane_status::add(const transport_metrics& one) {
  connections += one.connections.get();
  in_flight += one.in_flight.load(std::memory_order_relaxed);
  for (const auto& statuses : one.answers)
    for (std::size_t i = 0; i < statuses.size(); ++i)
      answers.counts[class_of(known_statuses[i])] += statuses[i].get();
}

std::uint64_t plane_status::answered() const {
  return std::accumulate(answers.counts.begin(), answers.counts.end(), std::uint64_t{0});
}

// -- status_meter ---------------------------------------------------------------

status_meter::status_meter(const status_sources& of, const base::clock& clock)
    : sources_{of}, clock_{clock}, began_{clock.now()} {}

std::string status_meter::report(bool is_ready, const history_interval& latest) const {
  plane_status data;
  for (const auto* transport : sources_.transports)
    data.add(*transport);
  plane_status ops;
  if (sources_.ops != nullptr) ops.add(*sources_.ops);

  service_status made{.is_ready = is_ready};
  made.connections = std::max<std::int64_t>(0, data.connections + ops.connections);
  made.in_flight = data.in_flight + ops.in_flight;
  made.answered = data.answered() + ops.answered();
  made.restarts = sources_.children->restarts();
  made.uptime_s = std::chrono::duration_cast<std::chrono::seconds>(clock_.now() - began_).count();
  made.planes = {{{"data", data}, {"ops", ops}}};
  made.latency = latest.sum_of(plane::data).latency;
  for (std::size_t i = 0; i < std::min(sources_.loops.size(), loops_limit); ++i)
    made.loops.push_back(
        {i,
         std::max<std::int64_t>(
             0, i < sources_.transports.size() ? sources_.transports[i]->connections.get() : 0),
         i < latest.busy_us.size() ? rounded_share(latest.share_of(latest.busy_us[i])) : 0});
  made.memory.resident_bytes = resident_bytes();
  if (const auto* budget = sources_.budget) {
    made.memory.leased_bytes = budget->used_bytes();
    made.memory.budget_bytes = budget->limit_bytes();
  }
  made.actors = status_of(*sources_.children);
  if (sources_.faults) made.faults = count_faults();
  return model::to_json(made);
}

// -- place_report ---------------------------------------------------------------

place_report::place_report(std::vector<const actors::place_counts*> counted,
                           const base::clock& clock)
    : counted_{std::move(counted)}, clock_{clock}, before_{clock.now(), {}} {}

place_report::cells place_report::count() const {
  cells sums{};
  for (const auto* each : counted_)
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] += each->get(i);
  return sums;
}

std::string place_report::report() {
  using places = actors::place_counts;
  const std::lock_guard lock{mutex_};
  const auto now = clock_.now();
  const auto counts = count();
  // The later of the two moments becomes the beginning once it is a window old.
  if (next_ && now - next_->at >= window) {
    before_ = *next_;
    next_.reset();
  }
  if (!next_ && now - before_.at >= window) next_ = moment{now, counts};

  player_places made{!counted_.empty(),
                     std::chrono::duration_cast<std::chrono::seconds>(now - before_.at).count(),
                     counts.back() - before_.counts.back()};
  for (std::size_t i = 0; i + 1 < places::size; ++i) {
    const auto requests = counts[i] - before_.counts[i];
    if (requests == 0) continue;
    const auto center = [](std::size_t of, int least) {
      return least + (static_cast<double>(of) + 0.5) * places::cell_degrees;
    };
    made.cells.push_back(
        {center(i / places::columns, -90), center(i % places::columns, -180), requests});
  }
  return model::to_json(made);
}

std::string actor_report(const status_sources& of) {
  child_report supervisor;
  supervisor.name = "supervisor";
  supervisor.restarts = of.children->supervisor_restarts();
  std::vector<actor_status> all{{supervisor, supervisor.name}};
  auto transports = of.transports;
  transports.push_back(of.ops);
  for (const auto& each : of.children->report())
    all.push_back({each, std::string{kind_of(each)}, depth_of(each, transports)});
  return model::to_json("actors", all);
}

} // namespace matchcloud::http
