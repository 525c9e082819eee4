#include "http/ops/service_history.hpp"

#include "base/latency_counts.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <utility>

namespace matchcloud::http {

namespace {

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

/// Adds to `into` what each transport's durations `pick(transport)` have in excess of `before`.
template <class Pick>
void count_latency(std::span<const transport_metrics* const> transports, const Pick& pick,
                   std::vector<std::uint64_t>& before, latency_spread& into) {
  std::vector<std::uint64_t> sums(base::latency_buckets::size);
  for (const auto* each : transports) {
    pick(*each).add_to(sums);
    into.note_longest(pick(*each).take_longest_ns());
  }
  before.resize(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i)
    into.append(i, sums[i] - before[i]);
  before = std::move(sums);
}

} // namespace

std::uint64_t resident_bytes() {
  std::ifstream file{"/proc/self/statm"};
  std::uint64_t pages = 0;
  std::uint64_t resident = 0;
  file >> pages >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

double rounded_share(double share) {
  return std::round(std::min(1.0, share) * 1'000) / 1'000;
}

std::vector<double> history_point::shares_of(const std::vector<std::uint64_t>& us) const {
  std::vector<double> made;
  for (const auto each : us)
    made.push_back(rounded_share(share_of(each)));
  return made;
}

std::vector<std::pair<std::string_view, std::uint64_t>> history_point::named_counts() const {
  std::vector<std::pair<std::string_view, std::uint64_t>> made;
  for (std::size_t i = 0; i < counts.size(); ++i)
    made.emplace_back(names[i].name, counts[i]);
  return made;
}

std::vector<operation_summary> history_point::summaries() const {
  std::vector<operation_summary> made;
  for (const auto& [what, each] : operations)
    made.push_back({each, what});
  return made;
}

// -- counting -------------------------------------------------------------------

service_history::service_history(const status_sources& of, const base::clock& clock,
                                 std::size_t limit)
    : sources_{of}, clock_{clock}, epoch_ms_{clock.unix_ms() - steady_ms(clock)}, limit_{limit} {
  latest_.end_ms = now_ms();
  last_.counts.resize(of.counts.size());
  last_.busy_ns.resize(of.loops.size());
  last_.waited_ns.resize(of.loop_waits.size());
}

std::int64_t service_history::now_ms() const {
  return epoch_ms_ + steady_ms(clock_);
}

std::span<const transport_metrics* const> service_history::transports_of(plane which) const {
  if (which == plane::data) return sources_.transports;
  return {&sources_.ops, sources_.ops == nullptr ? 0U : 1U};
}

history_interval service_history::count() {
  history_interval now;
  now.begin_ms = latest_.end_ms;
  now.end_ms = now_ms();
  now.set_by_ms = latest_.set_by_ms;
  if (const auto by_ms = clock_.unix_ms() - now.end_ms; std::abs(by_ms - now.set_by_ms) > drift_ms)
    now.set_by_ms = by_ms;
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
  for (const auto& row : operations) {
    count_operation({row.id, row.plane}, now);
    if (row.id == operation::unmatched) count_operation({row.id, plane::ops}, now);
  }
  const auto of_refusals = [](const transport_metrics& of) -> auto& {
    return of.refusal_latency;
  };
  count_latency(sources_.transports, of_refusals, last_.refusals, now.refusals);
  return now;
}

void service_history::count_operation(const plane_operation& which, history_interval& into) {
  const auto row = static_cast<std::size_t>(which.id);
  const auto transports = transports_of(which.of);
  answer_counts answers{};
  for (const auto* each : transports)
    for (std::size_t i = 0; i < known_statuses.size(); ++i)
      answers[class_of(known_statuses[i])] += each->answers[row][i].get();
  auto& before = last_.answers[which];
  if (answers == before) return;
  auto& added = into.operations.emplace_back(which, operation_interval{}).second;
  for (std::size_t i = 0; i < answers.size(); ++i)
    added.answers[i] = answers[i] - before[i];
  before = answers;
  const auto of_row = [row](const transport_metrics& of) -> auto& {
    return of.latency[row];
  };
  count_latency(transports, of_row, last_.latencies[which], added.latency);
}

void service_history::sample() {
  const std::lock_guard lock{mutex_};
  latest_ = count();
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
  if (to.parts.empty() || to.parts.back().set_by_ms != latest_.set_by_ms ||
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
  visit([&](const history_interval& each) {
    if (each.end_ms > from_ms) sum.add(each);
  });
  return sum;
}

std::size_t service_history::used_bytes() const {
  const std::lock_guard lock{mutex_};
  return bytes_;
}

// -- reporting ------------------------------------------------------------------

template <class Visit>
void service_history::visit(const Visit& visit) const {
  for (auto i = levels_.size(); i-- > 0;)
    for (const auto& each : levels_[i].parts) {
      // What follows is in finer parts.
      if (i > 0 && each.end_ms > levels_[i - 1].parts.front().begin_ms) break;
      visit(each);
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
  reported_past made{from_ms, to_ms, step_ms / 1'000};
  auto& points = made.points;
  visit([&](const history_interval& each) {
    if (each.at_ms() >= to_ms || each.end_ms + each.set_by_ms <= from_ms) return;
    const auto belongs_to = [&](const history_interval& point) {
      return point.set_by_ms == each.set_by_ms && point.at_ms() / step_ms == each.at_ms() / step_ms;
    };
    if (points.empty() || !belongs_to(points.back())) points.emplace_back().names = sources_.counts;
    points.back().add(each);
  });
  std::erase_if(points, [](const auto& each) { return each.end_ms <= each.begin_ms; });
  // Those from before a clock was set back may be later by it.
  std::ranges::stable_sort(points, {}, &history_interval::at_ms);
  return model::to_json(made);
}

} // namespace matchcloud::http
