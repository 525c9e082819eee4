#include "http/ops/service_history.hpp"

#include "base/latency_counts.hpp"
#include "model/json/json_text.hpp"
#include "model/json/json_writer.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <utility>

namespace matchcloud::http {

namespace {

using model::json_writer;
using std::chrono::milliseconds;

constexpr std::int64_t minute_ms = 60'000;
/// Parts of a second that become one when memory is short.
constexpr std::size_t merged_at_once = 10;
/// The most parts of an answer if the request names no step.
constexpr std::int64_t usual_points = 360;
constexpr std::array<std::int64_t, 9> usual_steps_s{1, 2, 5, 10, 30, 60, 300, 900, 3'600};

std::int64_t usual_step_ms(std::int64_t span_ms) {
  for (const auto each : usual_steps_s)
    if (span_ms <= each * 1'000 * usual_points) return each * 1'000;
  return usual_steps_s.back() * 1'000;
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

void write_share(json_writer& json, double share) {
  std::string text;
  model::append_shortest(text, std::round(std::min(1.0, share) * 1'000) / 1'000);
  json.raw(text);
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

void write_busy(json_writer& json, const history_interval& of, std::size_t loop) {
  const auto passed_us =
      static_cast<double>(std::max<std::int64_t>(1, of.end_ms - of.begin_ms)) * 1e3;
  write_share(json,
              loop < of.busy_us.size() ? static_cast<double>(of.busy_us[loop]) / passed_us : 0);
}

// -- counting -------------------------------------------------------------------

service_history::service_history(const status_sources& of, const base::clock& clock,
                                 std::size_t limit)
    : sources_{of}, clock_{clock}, limit_{limit} {
  latest_.end_ms = clock.unix_ms();
  last_.counts.resize(of.counts.size());
  last_.busy_ns.resize(of.loops.size());
  last_.answers.resize(operation_count);
  last_.latencies.resize(operation_count);
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
  // If the clock was set back, this part has no length.
  now.end_ms = std::max(now.begin_ms, clock_.unix_ms());
  for (std::size_t i = 0; i < sources_.counts.size(); ++i) {
    const auto total = sources_.counts[i].total();
    now.counts.push_back(total - std::exchange(last_.counts[i], total));
  }
  for (std::size_t i = 0; i < sources_.loops.size(); ++i) {
    const auto total = sources_.loops[i]->stall.sum_ns();
    now.busy_us.push_back((total - std::exchange(last_.busy_ns[i], total)) / 1'000);
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
  // If the clock was set back, what was noted keeps its distance from now. Otherwise nothing
  // would be seen until the clock is back where it was.
  if (const auto ahead_ms = latest_.end_ms - clock_.unix_ms(); ahead_ms > 0) {
    const auto moved = [ahead_ms](history_interval of) {
      of.begin_ms -= ahead_ms;
      of.end_ms -= ahead_ms;
      return of;
    };
    latest_ = moved(std::move(latest_));
    if (minute_.end_ms != 0) minute_ = moved(std::move(minute_));
    for (auto* all : {&seconds_, &minutes_})
      for (auto& each : *all) {
        const auto of = moved(history_interval::unpack(each.packed));
        bytes_ -= each.bytes();
        each = {of.begin_ms, of.end_ms, of.pack()};
        bytes_ += each.bytes();
      }
  }
  latest_ = count();
  const auto begins_minute = [](std::int64_t at) { return at / minute_ms; };
  if (minute_.end_ms > minute_.begin_ms &&
      begins_minute(latest_.end_ms) != begins_minute(minute_.begin_ms))
    append(minutes_, std::exchange(minute_, {}));
  if (minute_.end_ms == 0) minute_.begin_ms = minute_.end_ms = latest_.begin_ms;
  minute_.add(latest_);
  append(seconds_, latest_);
  // By whole minutes, so that the older minutes end where the seconds begin.
  const auto is_old = [&](const slice& of, milliseconds kept) {
    return of.end_ms <= (latest_.end_ms - kept.count()) / minute_ms * minute_ms;
  };
  while (!seconds_.empty() && is_old(seconds_.front(), seconds_kept))
    drop_front(seconds_);
  while (!minutes_.empty() && is_old(minutes_.front(), minutes_kept))
    drop_front(minutes_);
  while (bytes_ > limit_ && seconds_.size() > 1)
    shrink();
}

void service_history::append(slices& to, const history_interval& what) {
  bytes_ += to.emplace_back(slice{what.begin_ms, what.end_ms, what.pack()}).bytes();
}

void service_history::drop_front(slices& of) {
  bytes_ -= of.front().bytes();
  of.pop_front();
  if (&of == &seconds_ && merged_ > 0) --merged_;
}

void service_history::shrink() {
  if (seconds_.size() < merged_ + merged_at_once)
    return drop_front(minutes_.empty() || minutes_.front().end_ms > seconds_.front().begin_ms
                          ? seconds_
                          : minutes_);
  const auto first = seconds_.begin() + static_cast<std::ptrdiff_t>(merged_);
  const auto last = first + merged_at_once;
  auto merged = history_interval::unpack(first->packed);
  for (auto each = first + 1; each != last; ++each)
    merged.add(history_interval::unpack(each->packed));
  for (auto each = first; each != last; ++each)
    bytes_ -= each->bytes();
  *first = slice{merged.begin_ms, merged.end_ms, merged.pack()};
  bytes_ += first->bytes();
  seconds_.erase(first + 1, last);
  ++merged_;
}

history_interval service_history::latest() const {
  const std::lock_guard lock{mutex_};
  return latest_;
}

history_interval service_history::past(std::chrono::seconds of_last) const {
  const std::lock_guard lock{mutex_};
  history_interval sum;
  const auto from_ms = latest_.end_ms - milliseconds{of_last}.count();
  visit(from_ms, latest_.end_ms,
        [&](const slice& each) { sum.add(history_interval::unpack(each.packed)); });
  return sum;
}

std::size_t service_history::used_bytes() const {
  const std::lock_guard lock{mutex_};
  return bytes_;
}

// -- reporting ------------------------------------------------------------------

template <class Visit>
void service_history::visit(std::int64_t from_ms, std::int64_t to_ms, const Visit& visit) const {
  const auto first_second = seconds_.empty() ? latest_.end_ms : seconds_.front().begin_ms;
  const auto is_in = [&](const slice& of) { return of.end_ms > from_ms && of.begin_ms < to_ms; };
  for (const auto& each : minutes_)
    if (each.end_ms <= first_second && is_in(each)) visit(each);
  for (const auto& each : seconds_)
    if (is_in(each)) visit(each);
}

base::expected<std::string> service_history::report(const actors::past_query& wanted) const {
  const std::lock_guard lock{mutex_};
  const auto now_ms = clock_.unix_ms();
  const auto to_ms = wanted.to_ms.value_or(now_ms);
  // Nothing older is kept.
  const auto oldest_ms = now_ms - milliseconds{minutes_kept}.count();
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
  visit(from_ms, to_ms, [&](const slice& each) {
    if (const auto number = each.begin_ms / step_ms; number != at) {
      write_point();
      at = number;
    }
    point.add(history_interval::unpack(each.packed));
  });
  write_point();
  return json.end_array().end_object().take();
}

void service_history::write(json_writer& json, const history_interval& of) const {
  json.object().name("at").number(of.begin_ms).name("covers_ms").number(of.end_ms - of.begin_ms);
  json.name("connections").number(of.connections).name("in_flight").number(of.in_flight);
  json.name("resident_bytes").number(of.resident_bytes).name("loops").array();
  for (std::size_t i = 0; i < of.busy_us.size(); ++i)
    write_busy(json, of, i);
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
