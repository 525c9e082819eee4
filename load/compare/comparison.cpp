#include "load/compare/comparison.hpp"

#include "base/latency_counts.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace matchcloud::load {

namespace {

constexpr double confidence = 0.95;
/// Longer runs are resampled in groups of intervals, so that a comparison does not take minutes.
constexpr std::size_t groups_limit = 240;
constexpr const char* all_operations = "all";

/// One operation of a run, in groups of intervals.
class compared_series {
public:
  /// An empty `operation` means all operations together.
  compared_series(const compared_run& of, const std::string& operation) {
    const auto step = (of.intervals.size() + groups_limit - 1) / groups_limit;
    for (std::size_t i = 0; i < of.intervals.size(); ++i) {
      if (i % step == 0) groups_.emplace_back();
      auto& last = groups_.back();
      last.seconds += of.intervals[i].seconds;
      for (const auto& [name, each] : of.intervals[i].operations) {
        if (!operation.empty() && name != operation) continue;
        last.answered += static_cast<double>(each.answered);
        for (const auto& [up_to_ns, count] : each.latency)
          last.bands.emplace_back(base::latency_buckets::of(up_to_ns), count);
      }
    }
  }

  std::size_t size() const noexcept { return groups_.size(); }

  double throughput(const std::vector<std::size_t>& taken) const {
    double answered = 0;
    double seconds = 0;
    for (const auto i : taken) {
      answered += groups_[i].answered;
      seconds += groups_[i].seconds;
    }
    return answered / seconds;
  }

  /// In nanoseconds; treats latencies as evenly spread within a band.
  double percentile(const std::vector<std::size_t>& taken, double part) const {
    using buckets = base::latency_buckets;
    counts_.assign(buckets::size, 0);
    double whole = 0;
    for (const auto i : taken)
      for (const auto& [band, count] : groups_[i].bands) {
        counts_[band] += count;
        whole += count;
      }
    const double wanted = part * whole;
    double below = 0;
    for (std::size_t band = 0; band < counts_.size() && whole > 0; ++band) {
      if (counts_[band] == 0 || below + counts_[band] < wanted) {
        below += counts_[band];
        continue;
      }
      const auto high = static_cast<double>(buckets::greatest(band));
      const double low = band == 0 ? 0 : static_cast<double>(buckets::greatest(band - 1));
      return low + (high - low) * (wanted - below) / counts_[band];
    }
    return 0;
  }

private:
  struct group {
    double seconds = 0;
    double answered = 0;
    std::vector<std::pair<std::size_t, double>> bands;
  };

  std::vector<group> groups_;
  mutable std::vector<double> counts_;
};

/// A measure of both runs, ready for estimation.
struct measured_pair {
  std::string operation;
  compared_measure measure;
  run_statistic a;
  std::size_t intervals_of_a;
  run_statistic b;
  std::size_t intervals_of_b;
};

run_statistic statistic_of(const compared_series& of, compared_measure measure) {
  switch (measure) {
  case compared_measure::p50: return [&of](const auto& taken) { return of.percentile(taken, 0.5); };
  case compared_measure::p99:
    return [&of](const auto& taken) { return of.percentile(taken, 0.99); };
  default: return [&of](const auto& taken) { return of.throughput(taken); };
  }
}

/// Nanoseconds that the service's event loops worked for a request.
run_statistic work_statistic(const compared_run& of) {
  return [&of](const std::vector<std::size_t>& taken) {
    compared_work sum;
    for (const auto i : taken) {
      sum.busy_seconds += of.work[i].busy_seconds;
      sum.requests += of.work[i].requests;
    }
    return 1e9 * sum.busy_seconds / sum.requests;
  };
}

std::vector<std::size_t> everything(std::size_t count) {
  std::vector<std::size_t> made(count);
  for (std::size_t i = 0; i < count; ++i)
    made[i] = i;
  return made;
}

compared_verdict verdict_of(const compared_row& row, double tolerance) {
  // Only for throughput is more better.
  const bool turned = row.measure == compared_measure::throughput;
  const double low = turned ? 1 / row.ratio.high : row.ratio.low;
  const double high = turned ? 1 / row.ratio.low : row.ratio.high;
  if (low > 1 + tolerance) return compared_verdict::slower;
  if (high < 1 / (1 + tolerance)) return compared_verdict::faster;
  return compared_verdict::unclear;
}

std::set<std::string> operations_of(const compared_run& of) {
  std::set<std::string> made;
  for (const auto& interval : of.intervals)
    for (const auto& [name, operation] : interval.operations)
      if (!operation.latency.empty()) made.insert(name);
  return made;
}

/// The number of intervals of a run in which an operation has replies.
std::size_t intervals_with(const compared_run& of, const std::string& operation) {
  const auto has = [&operation](const compared_interval& each) {
    const auto found = each.operations.find(operation);
    return found != each.operations.end() && !found->second.latency.empty();
  };
  return static_cast<std::size_t>(std::ranges::count_if(of.intervals, has));
}

/// Removes operations that are too rare to know how much their numbers vary, and adds a note for
/// each.
void leave_out_rare(std::vector<std::string>& names, const compared_run& a, const compared_run& b,
                    std::vector<std::string>& notes) {
  std::erase_if(names, [&](const std::string& each) {
    const auto least = std::min(intervals_with(a, each), intervals_with(b, each));
    if (least >= least_intervals) return false;
    notes.push_back("Too few intervals of a run have replies to " + each + ": " +
                    std::to_string(least) + ", and " + std::to_string(least_intervals) +
                    " are needed. Use longer runs.");
    return true;
  });
}

std::string difference(std::string_view name, std::string_view a, std::string_view b) {
  std::string text = "The runs differ in ";
  text.append(name).append(": ").append(a).append(" and ").append(b) += '.';
  return text;
}

std::vector<std::string> notes_on(const compared_run& a, const compared_run& b) {
  std::vector<std::string> made;
  for (const char* const name : {"loop", "rate", "connections", "threads"}) {
    const auto in_a = a.asked.find(name);
    const auto in_b = b.asked.find(name);
    const auto text_a = in_a == a.asked.end() ? "none" : in_a->second;
    const auto text_b = in_b == b.asked.end() ? "none" : in_b->second;
    if (text_a != text_b) made.push_back(difference(name, text_a, text_b));
  }
  if (a.errors != b.errors)
    made.push_back("Errors, which no row includes: " + std::to_string(a.errors) + " and " +
                   std::to_string(b.errors) + ".");
  const auto of_a = operations_of(a);
  const auto of_b = operations_of(b);
  std::vector<std::string> apart;
  std::ranges::set_symmetric_difference(of_a, of_b, std::back_inserter(apart));
  for (const auto& each : apart)
    made.push_back("Only one of the runs has replies to " + each + ".");
  return made;
}

} // namespace

bool comparison::has(compared_verdict which) const noexcept {
  return std::ranges::any_of(rows, [which](const auto& each) { return each.verdict == which; });
}

std::string_view name_of(compared_measure which) noexcept {
  switch (which) {
  case compared_measure::p50: return "p50";
  case compared_measure::p99: return "p99";
  case compared_measure::throughput: return "throughput";
  case compared_measure::processor_time: return "processor time";
  }
  return "";
}

std::string_view name_of(compared_verdict which) noexcept {
  switch (which) {
  case compared_verdict::faster: return "faster";
  case compared_verdict::slower: return "slower";
  case compared_verdict::unclear: return "cannot tell";
  }
  return "";
}

base::expected<comparison> compare(const compared_run& a, const compared_run& b, double tolerance,
                                   std::uint64_t seed) {
  std::vector<std::string> names;
  std::ranges::set_intersection(operations_of(a), operations_of(b), std::back_inserter(names));
  if (names.empty())
    return base::fail(base::errc::config_invalid, a.file + " and " + b.file +
                                                      " have no operation in common. Compare runs "
                                                      "of the same mix.");
  comparison made;
  made.notes = notes_on(a, b);
  const bool are_several = names.size() > 1;
  leave_out_rare(names, a, b, made.notes);
  std::vector<std::pair<std::string, std::string>> wanted;
  wanted.reserve(names.size() + 1);
  for (const auto& each : names)
    wanted.emplace_back(each, each);
  if (are_several) wanted.emplace_back(all_operations, "");
  std::vector<std::pair<compared_series, compared_series>> series;
  series.reserve(wanted.size());
  for (const auto& [shown, name] : wanted)
    series.emplace_back(compared_series{a, name}, compared_series{b, name});
  std::vector<measured_pair> pairs;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    for (const auto measure :
         {compared_measure::p50, compared_measure::p99, compared_measure::throughput})
      pairs.push_back({wanted[i].first, measure, statistic_of(series[i].first, measure),
                       series[i].first.size(), statistic_of(series[i].second, measure),
                       series[i].second.size()});
  if (std::min(a.work.size(), b.work.size()) >= least_intervals)
    pairs.push_back({all_operations, compared_measure::processor_time, work_statistic(a),
                     a.work.size(), work_statistic(b), b.work.size()});
  if (pairs.empty())
    return base::fail(base::errc::config_invalid,
                      a.file + " and " + b.file + " cannot be compared: " + made.notes.back());
  const double for_each = 1 - (1 - confidence) / static_cast<double>(pairs.size());
  for (const auto& each : pairs) {
    compared_row row{each.operation, each.measure, each.a(everything(each.intervals_of_a)),
                     each.b(everything(each.intervals_of_b))};
    if (row.a <= 0 || row.b <= 0) continue;
    row.ratio = estimate_ratio(each.a, each.intervals_of_a, each.b, each.intervals_of_b, for_each,
                               seed + made.rows.size());
    row.verdict = verdict_of(row, tolerance);
    made.rows.push_back(std::move(row));
  }
  return made;
}

} // namespace matchcloud::load
