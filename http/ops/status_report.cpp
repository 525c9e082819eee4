#include "http/ops/status_report.hpp"

#include "base/faults.hpp"
#include "http/ops/service_history.hpp"
#include "model/json/json_writer.hpp"

#include <algorithm>
#include <cmath>

namespace matchcloud::http {

namespace {

using model::json_writer;

struct plane_sums {
  std::int64_t connections = 0;
  std::uint64_t in_flight = 0;
  answer_counts answers{};

  void add(const transport_metrics& one) {
    connections += one.connections.get();
    in_flight += one.in_flight.load(std::memory_order_relaxed);
    for (const auto& statuses : one.answers)
      for (std::size_t i = 0; i < statuses.size(); ++i)
        answers[class_of(known_statuses[i])] += statuses[i].get();
  }
  std::uint64_t answered() const {
    std::uint64_t sum = 0;
    for (const auto each : answers)
      sum += each;
    return sum;
  }
};

void write_plane(json_writer& json, std::string_view name, const plane_sums& of) {
  json.name(name).object();
  json.name("connections").number(std::max<std::int64_t>(0, of.connections));
  json.name("in_flight").number(of.in_flight);
  write_answers(json, of.answers);
  json.end_object();
}

void write_actors(json_writer& json, const actors::child_table& children) {
  std::size_t running = 0;
  std::size_t told = 0;
  json_writer problems;
  problems.array();
  for (const auto& each : children.report()) {
    if (each.state == actors::child_state::running) {
      ++running;
      continue;
    }
    if (++told > status_meter::problems_limit) continue;
    problems.object().name("place").text(each.name).name("state").text(name_of(each.state));
    problems.name("last_error").text(std::string_view{each.last_error}.substr(0, 128)).end_object();
  }
  json.name("actors").object().name("running").number(running);
  json.name("problems").raw(problems.end_array().take()).end_object();
}

void write_faults(json_writer& json, bool are_possible) {
  json.name("faults");
  if (!are_possible) {
    json.null();
    return;
  }
  std::size_t armed = 0;
  std::uint64_t hits = 0;
  for (std::size_t i = 0; i < base::fault_point_count; ++i) {
    const auto at = static_cast<base::fault_point>(i);
    if (base::faults::armed(at)) ++armed;
    hits += base::faults::status(at).all_hits;
  }
  json.object().name("armed").number(armed).name("hits").number(hits).end_object();
}

} // namespace

// -- status_meter ---------------------------------------------------------------

status_meter::status_meter(const status_sources& of, const base::clock& clock)
    : sources_{of}, clock_{clock}, began_{clock.now()} {}

std::string status_meter::report(bool is_ready, const history_interval& latest) const {
  const auto now = clock_.now();
  plane_sums data;
  for (const auto* transport : sources_.transports)
    data.add(*transport);
  plane_sums ops;
  if (sources_.ops != nullptr) ops.add(*sources_.ops);

  json_writer json;
  json.object().name("ready").boolean(is_ready);
  json.name("connections").number(std::max<std::int64_t>(0, data.connections + ops.connections));
  json.name("requests_in_flight").number(data.in_flight + ops.in_flight);
  json.name("requests_total").number(data.answered() + ops.answered());
  json.name("actor_restarts_total").number(sources_.children->restarts());
  json.name("uptime_s")
      .number(std::chrono::duration_cast<std::chrono::seconds>(now - began_).count());
  json.name("planes").object();
  write_plane(json, "data", data);
  write_plane(json, "ops", ops);
  json.end_object();

  write_latency(json, "latency_us", latest.sum_of(plane::data).latency);
  json.name("loops").array();
  for (std::size_t i = 0; i < sources_.loops.size(); ++i) {
    if (i >= loops_limit) break;
    json.object().name("loop").number(i).name("plane").text("data").name("connections");
    json.number(std::max<std::int64_t>(
        0, i < sources_.transports.size() ? sources_.transports[i]->connections.get() : 0));
    json.name("busy");
    write_share(json, i < latest.busy_us.size() ? latest.share_of(latest.busy_us[i]) : 0);
    json.end_object();
  }
  json.end_array().name("memory").object().name("resident_bytes").number(resident_bytes());
  json.name("leased_bytes").number(sources_.budget != nullptr ? sources_.budget->used_bytes() : 0);
  json.name("budget_bytes").number(sources_.budget != nullptr ? sources_.budget->limit_bytes() : 0);
  json.end_object();
  write_actors(json, *sources_.children);
  write_faults(json, sources_.faults);
  return json.end_object().take();
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

  json_writer json;
  json.object().name("enabled").boolean(!counted_.empty()).name("window_s");
  json.number(std::chrono::duration_cast<std::chrono::seconds>(now - before_.at).count());
  json.name("cell_degrees").number(places::cell_degrees);
  json.name("unknown").number(counts.back() - before_.counts.back()).name("cells").array();
  for (std::size_t i = 0; i + 1 < places::size; ++i) {
    const auto requests = counts[i] - before_.counts[i];
    if (requests == 0) continue;
    const auto center = [](std::size_t of, int least) {
      std::string text;
      model::append_shortest(text, least + (static_cast<double>(of) + 0.5) * places::cell_degrees);
      return text;
    };
    json.object().name("latitude").raw(center(i / places::columns, -90));
    json.name("longitude").raw(center(i % places::columns, -180));
    json.name("requests").number(requests).end_object();
  }
  return json.end_array().end_object().take();
}

} // namespace matchcloud::http
