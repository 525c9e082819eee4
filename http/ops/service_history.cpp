#include "http/ops/service_history.hpp"

#include "base/latency_counts.hpp"
#include "model/json/json_text.hpp"
#include "model/json/json_writer.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <utility>

namespace matchcloud::http {

namespace {

using model::json_writer;
using std::chrono::milliseconds;

/// Readers join answers by the times of their points, so the points do not follow a clock that
/// drifts by less than this.
constexpr std::int64_t drift_ms = 1'000;
/// The most parts of an answer if the request names no step.
constexpr std::int64_t usual_points = 360;
constexpr std::array<std::int64_t, 9> usual_steps_s{1, 2, 5, 10, 30, 60, 300, 900, 3'600};

std::int64_t usual_step_ms(std::int64_t span_ms) {
  for (const auto each : usual_steps_s)
    if (span_ms <= each * 1'000 * usual_points) return each * 1'000;
  return usual_steps_s.back() * 1'000;
}

std::int64_t steady_ms(const base::clock& of) {
  return std::chrono::duration_cast<milliseconds>(of.now().time_since_epoch()).count();
}

void write_us(json_writer& json, std::string_view name, std::uint64_t ns) {
  json.name(name).number((ns + 500) / 1'000);
}

void write_operation(json_writer& json, const operation_interval& of) {
  json.name("requests").number(of.requests()).name("answers").object();
  json.name("2xx").number(of.answers[2]).name("3xx").number(of.answers[3]);
  json.name("4xx").number(of.answers[4]).name("5xx").number(of.answers[5]).end_object();
  write_latency(json, of.latency);
}

} // namespace

std::uint64_t resident_bytes() {
  std::ifstream file{"/proc/self/statm"};
  std::uint64_t pages = 0;
  std::uint64_t resident = 0;
  file >> pages >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void write_latency(json_writer& json, const latency_spread& of) {
  json.name("latency_us").object().name("count").number(of.count());
  write_us(json, "p50", of.percentile_ns(0.5));
  write_us(json, "p90", of.percentile_ns(0.9));
  write_us(json, "p99", of.percentile_ns(0.99));
  write_us(json, "p99_9", of.percentile_ns(0.999));
  write_us(json, "max", of.longest_ns());
  json.end_object();
}

void write_share(json_writer& json, const history_interval& of,
                 const std::vector<std::uint64_t>& times_us, std::size_t loop) {
  const auto passed_us =
      static_cast<double>(std::max<std::int64_t>(1, of.end_ms - of.begin_ms)) * 1e3;
  const auto share = loop < times_us.size() ? static_cast<double>(times_us[loop]) / passed_us : 0;
  std::string text;
  model::append_shortest(text, std::round(std::min(1.0, share) * 1'000) / 1'000);
  json.raw(text);
}

// -- counting -------------------------------------------------------------------

service_history::service_history(const status_sources& of, const base::clock& clock,
                                 std::size_t limit)
    : sources_{of}, clock_{clock}, epoch_ms_{clock.unix_ms() - steady_ms(clock)}, limit_{limit} {
  latest_.end_ms = now_ms();
  last_.counts.resize(of.counts.size());
  last_.busy_ns.resize(of.loops.size());
  last_.waited_ns.resize(of.loop_waits.size());
  last_.answers.resize(operation_count);
  last_.latencies.resize(operation_count);
}

std::int64_t service_history::now_ms() const {
  return epoch_ms_ + steady_ms(clock_);
}

template <class Visit>
void service_history::for_each_transport(operation which, const Visit& visit) const {
  if (row_of(which).plane == plane::data || which == operation::unmatched)
    for (const auto* each : sources_.transports)
      visit(*each);
  if (row_of(which).plane == plane::ops || which == operation::unmatched)
    if (sources_.ops != nullptr) visit(*sources_.ops);
}

history_interval service_history::count() {
  history_interval now;
  now.begin_ms = latest_.end_ms;
  now.end_ms = now_ms();
  for (std::size_t i = 0; i < sources_.counts.size(); ++i) {
    const auto total = sources_.counts[i].total();
    now.counts.push_back(total - std::exchange(last_.counts[i], total));
  }
  for (std::size_t i = 0; i < sources_.loops.size(); ++i) {
    const auto total = sources_.loops[i]->stall.sum_ns();
    now.busy_us.push_back((total - std::exchange(last_.busy_ns[i], total)) / 1'000);
  }
  for (std::size_t i = 0; i < sources_.loop_waits.size(); ++i) {
    // Never less than before: 0 says that it cannot be read, as of a thread that has ended.
    const auto total = std::max(sources_.loop_waits[i](), last_.waited_ns[i]);
    now.waited_us.push_back((total - std::exchange(last_.waited_ns[i], total)) / 1'000);
  }
  for (const auto* each : sources_.transports) {
    now.connections +=
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, each->connections.get()));
    now.in_flight += each->in_flight.load(std::memory_order_relaxed);
  }
  now.resident_bytes = resident_bytes();
  count_operations(now);
  return now;
}

void service_history::count_operations(history_interval& into) {
  std::vector<std::uint64_t> sums;
  for (std::size_t i = 0; i < operation_count; ++i) {
    std::array<std::uint64_t, 6> answers{};
    const auto which = static_cast<operation>(i);
    for_each_transport(which, [&](const transport_metrics& of) {
      for (std::size_t j = 0; j < known_statuses.size(); ++j)
        answers[static_cast<std::size_t>(known_statuses[j] / 100)] += of.answers[i][j].get();
    });
    if (answers == last_.answers[i]) continue;
    auto& added = into.operations.emplace_back(which, operation_interval{}).second;
    for (std::size_t j = 0; j < answers.size(); ++j)
      added.answers[j] = answers[j] - last_.answers[i][j];
    last_.answers[i] = answers;
    sums.assign(base::latency_buckets::size, 0);
    for_each_transport(which, [&](const transport_metrics& of) {
      of.latency[i].add_to(sums);
      added.latency.note_longest(of.latency[i].take_longest_ns());
    });
    auto& before = last_.latencies[i];
    before.resize(sums.size());
    for (std::size_t j = 0; j < sums.size(); ++j)
      added.latency.append(j, sums[j] - before[j]);
    before = sums;
  }
}

void service_history::sample() {
  const std::lock_guard lock{mutex_};
  latest_ = count();
  if (const auto by_ms = clock_.unix_ms() - latest_.end_ms; std::abs(by_ms - set_by_ms_) > drift_ms)
    set_by_ms_ = by_ms;
  for (auto& each : levels_)
    append(each);
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const auto& [length_ms, kept_ms, least, parts] = levels_[i];
    const auto& next = levels_[std::min(i + 1, levels_.size() - 1)];
    while (parts.size() > 1 &&
           next.number_of(parts.front().begin_ms) < next.number_of(latest_.end_ms - kept_ms))
      drop_front(i);
  }
  while (bytes_ > limit_ && shrink()) {
  }
}

void service_history::append(level& to) {
  if (to.parts.empty() ||
      to.number_of(to.parts.back().begin_ms) != to.number_of(latest_.begin_ms)) {
    bytes_ += to.parts.emplace_back(latest_).bytes();
    return;
  }
  bytes_ -= to.parts.back().bytes();
  to.parts.back().add(latest_);
  bytes_ += to.parts.back().bytes();
}

void service_history::drop_front(std::size_t at) {
  auto& parts = levels_[at].parts;
  const auto& next = levels_[std::min(at + 1, levels_.size() - 1)];
  const auto number = next.number_of(parts.front().begin_ms);
  while (parts.size() > 1 && next.number_of(parts.front().begin_ms) == number) {
    bytes_ -= parts.front().bytes();
    parts.pop_front();
  }
}

bool service_history::shrink() {
  for (const bool keeps_least : {true, false})
    for (std::size_t i = 0; i < levels_.size(); ++i)
      if (levels_[i].parts.size() > (keeps_least ? levels_[i].least : 1)) {
        drop_front(i);
        return true;
      }
  return false;
}

history_interval service_history::latest() const {
  const std::lock_guard lock{mutex_};
  return latest_;
}

history_interval service_history::past(std::chrono::seconds of_last) const {
  const std::lock_guard lock{mutex_};
  history_interval sum;
  const auto from_ms = latest_.end_ms - milliseconds{of_last}.count();
  visit(from_ms, latest_.end_ms, [&](const history_interval& each) { sum.add(each); });
  return sum;
}

std::size_t service_history::used_bytes() const {
  const std::lock_guard lock{mutex_};
  return bytes_;
}

// -- reporting ------------------------------------------------------------------

template <class Visit>
void service_history::visit(std::int64_t from_ms, std::int64_t to_ms, const Visit& visit) const {
  for (auto i = levels_.size(); i-- > 0;)
    for (const auto& each : levels_[i].parts) {
      // What follows is in finer parts.
      if (i > 0 && each.end_ms > levels_[i - 1].parts.front().begin_ms) break;
      if (each.end_ms > from_ms && each.begin_ms < to_ms) visit(each);
    }
}

base::expected<std::string> service_history::report(const actors::past_query& wanted) const {
  const std::lock_guard lock{mutex_};
  const auto unix_ms = clock_.unix_ms();
  const auto to_ms = wanted.to_ms.value_or(unix_ms);
  // Nothing older is kept.
  const auto oldest_ms = unix_ms - milliseconds{kept}.count();
  const auto from_ms =
      std::max(wanted.from_ms.value_or(to_ms - milliseconds{wanted.last}.count()), oldest_ms);
  const auto step_ms = wanted.step ? milliseconds{*wanted.step}.count()
                                   : usual_step_ms(std::max<std::int64_t>(1, to_ms - from_ms));
  if ((to_ms - from_ms) / step_ms > static_cast<std::int64_t>(points_limit))
    return base::fail(base::errc::query_invalid,
                      "The answer would have more than " + std::to_string(points_limit) +
                          " points. Request a shorter span or a longer `step`.");
  json_writer json;
  json.object().name("from").number(from_ms).name("to").number(to_ms);
  json.name("step_s").number(step_ms / 1'000).name("points").array();
  history_interval point;
  const auto write_point = [&] {
    if (point.end_ms > point.begin_ms) write(json, point);
    point = {};
  };
  std::int64_t at = -1;
  visit(from_ms - set_by_ms_, to_ms - set_by_ms_, [&](const history_interval& each) {
    if (const auto number = (each.begin_ms + set_by_ms_) / step_ms; number != at) {
      write_point();
      at = number;
    }
    point.add(each);
  });
  write_point();
  return json.end_array().end_object().take();
}

void service_history::write(json_writer& json, const history_interval& of) const {
  json.object().name("at").number(of.begin_ms + set_by_ms_);
  json.name("covers_ms").number(of.end_ms - of.begin_ms);
  json.name("connections").number(of.connections).name("in_flight").number(of.in_flight);
  json.name("resident_bytes").number(of.resident_bytes).name("loops").array();
  for (std::size_t i = 0; i < of.busy_us.size(); ++i)
    write_share(json, of, of.busy_us, i);
  json.end_array().name("loops_waiting").array();
  for (std::size_t i = 0; i < of.waited_us.size(); ++i)
    write_share(json, of, of.waited_us, i);
  json.end_array().name("counts").object();
  for (std::size_t i = 0; i < of.counts.size(); ++i)
    json.name(sources_.counts[i].name).number(of.counts[i]);
  json.end_object().name("data_plane").object();
  write_operation(json, of.sum_of(plane::data));
  json.end_object().name("operations").array();
  for (const auto& [id, each] : of.operations) {
    json.object().name("operation").text(row_of(id).name);
    write_operation(json, each);
    json.end_object();
  }
  json.end_array().end_object();
}

} // namespace matchcloud::http
