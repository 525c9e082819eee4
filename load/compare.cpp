#include "load/compare.hpp"

#include "base/failure.hpp"
#include "base/latency_counts.hpp"
#include "load/report.hpp"
#include "load/requests/table_reader.hpp"
#include "model/json/json_writer.hpp"
#include "model/json/members.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <utility>

namespace matchcloud::load {

namespace {

constexpr std::size_t draws = 1'000;

/// Grows as n^(1/3), the order that minimizes the error of the variance.
std::size_t block_length(std::size_t intervals) {
  return std::max<std::size_t>(
      1, static_cast<std::size_t>(std::lround(std::cbrt(static_cast<double>(intervals)))));
}

/// Draws as many intervals as the run has, in blocks that wrap around at the end.
void draw(std::vector<std::size_t>& taken, std::size_t block, std::mt19937_64& engine) {
  std::uniform_int_distribution<std::size_t> begin{0, taken.size() - 1};
  for (std::size_t i = 0; i < taken.size(); i += block) {
    const auto first = begin(engine);
    for (std::size_t k = 0; k < block && i + k < taken.size(); ++k)
      taken[i + k] = (first + k) % taken.size();
  }
}

double blocks_in(std::size_t intervals) {
  return static_cast<double>(intervals) / static_cast<double>(block_length(intervals));
}

} // namespace

double normal_quantile(double probability) {
  double low = -40;
  double high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

double student_quantile(double probability, double degrees) {
  const double z = normal_quantile(probability);
  const double z2 = z * z;
  const double n = std::max(degrees, 3.0);
  return z + z * (z2 + 1) / (4 * n) + z * ((5 * z2 + 16) * z2 + 3) / (96 * n * n) +
         z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * n * n * n);
}

ratio_estimate estimate_ratio(const run_statistic& a, std::size_t intervals_of_a,
                              const run_statistic& b, std::size_t intervals_of_b, double confidence,
                              std::uint64_t seed) {
  std::vector<std::size_t> of_a(intervals_of_a);
  std::vector<std::size_t> of_b(intervals_of_b);
  std::iota(of_a.begin(), of_a.end(), std::size_t{0});
  std::iota(of_b.begin(), of_b.end(), std::size_t{0});
  const double middle = std::log(b(of_b) / a(of_a));
  std::mt19937_64 engine{seed};
  double sum = 0;
  double squares = 0;
  double count = 0;
  for (std::size_t i = 0; i < draws; ++i) {
    draw(of_a, block_length(intervals_of_a), engine);
    draw(of_b, block_length(intervals_of_b), engine);
    const double one = a(of_a);
    const double other = b(of_b);
    if (one <= 0 || other <= 0) continue;
    const double log_ratio = std::log(other / one);
    sum += log_ratio;
    squares += log_ratio * log_ratio;
    ++count;
  }
  const double mean = sum / std::max(1.0, count);
  const double variance = std::max(0.0, squares / std::max(1.0, count) - mean * mean);
  // A draw varies less than the measurement: by (n - 1) / n of its variance, with n blocks.
  const double blocks = std::min(blocks_in(intervals_of_a), blocks_in(intervals_of_b));
  const double error = std::sqrt(variance * blocks / std::max(1.0, blocks - 1));
  const double degrees = blocks_in(intervals_of_a) + blocks_in(intervals_of_b) - 2;
  const double wide = student_quantile((1 + confidence) / 2, degrees) * error;
  return {std::exp(middle), std::exp(middle - wide), std::exp(middle + wide)};
}

namespace {

using json_value = rapidjson::Value;

constexpr std::size_t run_limit_bytes = 1024UL * 1024 * 1024;
/// Shorter intervals, such as the rest at the end, say little.
constexpr double shortest_seconds = 0.5;

std::string text_of(const json_value& value) {
  if (value.IsString()) return {value.GetString(), value.GetStringLength()};
  return value.IsNumber() ? fixed(value.GetDouble(), 2) : "";
}

band_counts bands_of(const json_value& of) {
  band_counts made;
  for (const auto& pair : model::member_elements(of, "latency_ns_counts"))
    if (pair.IsArray() && pair.Size() == 2 && pair[0].IsUint64() && pair[1].IsUint())
      made.emplace_back(pair[0].GetUint64(), pair[1].GetUint());
  return made;
}

/// Adds counts, whose bands may repeat because two parts of a mix can have the same name.
void add(band_counts& to, const band_counts& more) {
  to.insert(to.end(), more.begin(), more.end());
  std::ranges::sort(to);
}

compared_interval interval_of(const json_value& from) {
  compared_interval made;
  made.seconds = model::member_number(from, "seconds") - model::member_number(from, "begins");
  for (const auto& each : model::member_elements(from, "operations")) {
    const auto* const name = model::member_of(each, "name");
    auto& operation = made.operations[name == nullptr ? "" : text_of(*name)];
    operation.answered += model::member_count(each, "answered");
    add(operation.latency, bands_of(each));
  }
  return made;
}

/// The service's work during the measured part of the run.
std::vector<compared_work> work_of(const json_value& report, double ramp_ends, double ends) {
  std::vector<compared_work> made;
  const auto* const service = model::member_of(report, "service");
  const auto* const history = service == nullptr ? nullptr : model::member_of(*service, "history");
  if (history == nullptr) return made;
  const double began_ms = model::member_number(report, "began");
  for (const auto& point : model::member_elements(*history, "points")) {
    const double begins = (model::member_number(point, "at") - began_ms) / 1e3;
    const double covers = model::member_number(point, "covers_ms") / 1e3;
    const auto* const plane = model::member_of(point, "data_plane");
    if (plane == nullptr || begins < ramp_ends || begins + covers > ends) continue;
    compared_work each;
    each.requests = model::member_number(*plane, "requests");
    for (const auto& busy : model::member_elements(point, "loops"))
      each.busy_seconds += busy.IsNumber() ? busy.GetDouble() * covers : 0;
    if (each.requests > 0) made.push_back(each);
  }
  return made;
}

} // namespace

compared_run parse_run(const std::string& file, std::string_view text) {
  const auto refuse = [&file](const std::string& why) {
    throw base::failure{base::errc::config_invalid, file + " " + why};
  };
  rapidjson::Document report;
  report.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag>(text.data(),
                                                                                       text.size());
  if (report.HasParseError() || model::member_of(report, "intervals") == nullptr)
    refuse("is not a report of matchcloud-load. Use a file written by --json.");
  compared_run made;
  made.file = file;
  for (const char* const name : {"loop", "rate", "connections", "threads", "url"})
    if (const auto* const value = model::member_of(report, name))
      made.asked[name] = text_of(*value);
  if (const auto* const errors = model::member_of(report, "errors"))
    made.errors = model::member_count(*errors, "total");
  double ramp_ends = 0;
  double ends = 0;
  bool has_bands = false;
  for (const auto& each : model::member_elements(report, "intervals")) {
    const auto* const measured = model::member_of(each, "measured");
    if (measured == nullptr || !measured->IsTrue()) continue;
    auto interval = interval_of(each);
    if (interval.seconds < shortest_seconds) continue;
    if (made.intervals.empty()) ramp_ends = model::member_number(each, "begins");
    ends = model::member_number(each, "seconds");
    for (const auto& [name, operation] : interval.operations)
      has_bands = has_bands || !operation.latency.empty();
    made.intervals.push_back(std::move(interval));
  }
  if (made.intervals.size() < least_intervals)
    refuse("has " + std::to_string(made.intervals.size()) + " measured intervals. At least " +
           std::to_string(least_intervals) +
           " of a second each are needed. Use a longer --duration.");
  if (!has_bands) refuse("has no replies in its intervals. Use a run that got replies.");
  made.work = work_of(report, ramp_ends, ends);
  return made;
}

compared_run read_run(const std::string& file) {
  return parse_run(file, file_content(file, run_limit_bytes, "a report"));
}

namespace {

constexpr double confidence = 0.95;
/// Longer runs are resampled in groups of intervals, so that a comparison does not take minutes.
constexpr std::size_t groups_limit = 240;
constexpr const char* all_operations = "all";

/// One operation in a group of intervals, with the numbers of its latency bands.
struct compared_group {
  double seconds = 0;
  double answered = 0;
  std::vector<std::pair<std::size_t, double>> bands;
};

/// An empty `operation` means all operations together.
std::vector<compared_group> groups_of(const compared_run& run, const std::string& operation) {
  std::vector<compared_group> groups;
  const auto step = (run.intervals.size() + groups_limit - 1) / groups_limit;
  for (std::size_t i = 0; i < run.intervals.size(); ++i) {
    if (i % step == 0) groups.emplace_back();
    auto& last = groups.back();
    last.seconds += run.intervals[i].seconds;
    for (const auto& [name, each] : run.intervals[i].operations) {
      if (!operation.empty() && name != operation) continue;
      last.answered += static_cast<double>(each.answered);
      for (const auto& [up_to_ns, count] : each.latency)
        last.bands.emplace_back(base::latency_buckets::of(up_to_ns), count);
    }
  }
  return groups;
}

/// In nanoseconds; treats latencies as evenly spread within a band.
double percentile_of(const std::vector<compared_group>& groups,
                     const std::vector<std::size_t>& taken, double part) {
  using buckets = base::latency_buckets;
  std::array<double, buckets::size> counts{};
  double whole = 0;
  for (const auto i : taken)
    for (const auto& [band, count] : groups[i].bands) {
      counts[band] += count;
      whole += count;
    }
  const double wanted = part * whole;
  double below = 0;
  for (std::size_t band = 0; band < counts.size() && whole > 0; ++band) {
    if (counts[band] == 0 || below + counts[band] < wanted) {
      below += counts[band];
      continue;
    }
    const auto high = static_cast<double>(buckets::greatest(band));
    const double low = band == 0 ? 0 : static_cast<double>(buckets::greatest(band - 1));
    return low + (high - low) * (wanted - below) / counts[band];
  }
  return 0;
}

/// A measure of a run and the number of intervals that it is computed from.
struct measured_statistic {
  std::size_t intervals;
  run_statistic of;

  double whole() const {
    std::vector<std::size_t> all(intervals);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return of(all);
  }
};

/// The run must outlive it.
measured_statistic statistic_of(const compared_run& run, const std::string& operation,
                                compared_measure measure) {
  if (measure == compared_measure::processor_time)
    // Nanoseconds that the service's event loops worked for a request.
    return {run.work.size(), [&run](const auto& taken) {
              compared_work sum;
              for (const auto i : taken) {
                sum.busy_seconds += run.work[i].busy_seconds;
                sum.requests += run.work[i].requests;
              }
              return 1e9 * sum.busy_seconds / sum.requests;
            }};
  auto groups = groups_of(run, operation);
  const auto count = groups.size();
  if (measure != compared_measure::throughput)
    return {count, [groups = std::move(groups), measure](const auto& taken) {
              return percentile_of(groups, taken, measure == compared_measure::p50 ? 0.5 : 0.99);
            }};
  return {count, [groups = std::move(groups)](const auto& taken) {
            compared_group sum;
            for (const auto i : taken) {
              sum.answered += groups[i].answered;
              sum.seconds += groups[i].seconds;
            }
            return sum.answered / sum.seconds;
          }};
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

std::vector<std::string> notes_on(const compared_run& a, const compared_run& b) {
  std::vector<std::string> made;
  const auto asked = [](const compared_run& of, const char* name) {
    const auto found = of.asked.find(name);
    return found == of.asked.end() ? "none" : found->second;
  };
  for (const char* const name : {"loop", "rate", "connections", "threads"})
    if (asked(a, name) != asked(b, name))
      made.push_back("The runs differ in " + std::string{name} + ": " + asked(a, name) + " and " +
                     asked(b, name) + ".");
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
  constexpr std::array<std::string_view, 4> names{"p50", "p99", "throughput", "processor time"};
  return names[static_cast<std::size_t>(which)];
}

std::string_view name_of(compared_verdict which) noexcept {
  constexpr std::array<std::string_view, 3> names{"faster", "slower", "cannot tell"};
  return names[static_cast<std::size_t>(which)];
}

comparison compare(const compared_run& a, const compared_run& b, double tolerance,
                   std::uint64_t seed) {
  std::vector<std::string> names;
  std::ranges::set_intersection(operations_of(a), operations_of(b), std::back_inserter(names));
  if (names.empty())
    throw base::failure{base::errc::config_invalid,
                        a.file + " and " + b.file +
                            " have no operation in common. Compare runs of the same mix."};
  comparison made;
  made.notes = notes_on(a, b);
  made.has_more_errors = b.errors > a.errors;
  const bool are_several = names.size() > 1;
  leave_out_rare(names, a, b, made.notes);
  if (are_several) names.emplace_back();
  std::vector<std::pair<std::string, compared_measure>> wanted;
  for (const auto& each : names)
    for (const auto measure :
         {compared_measure::p50, compared_measure::p99, compared_measure::throughput})
      wanted.emplace_back(each, measure);
  if (std::min(a.work.size(), b.work.size()) >= least_intervals)
    wanted.emplace_back("", compared_measure::processor_time);
  if (wanted.empty())
    throw base::failure{base::errc::config_invalid,
                        a.file + " and " + b.file + " cannot be compared: " + made.notes.back()};
  const double for_each = 1 - (1 - confidence) / static_cast<double>(wanted.size());
  for (const auto& [name, measure] : wanted) {
    const auto in_a = statistic_of(a, name, measure);
    const auto in_b = statistic_of(b, name, measure);
    compared_row row{name.empty() ? all_operations : name, measure, in_a.whole(), in_b.whole()};
    if (row.a <= 0 || row.b <= 0) continue;
    row.ratio = estimate_ratio(in_a.of, in_a.intervals, in_b.of, in_b.intervals, for_each,
                               seed + made.rows.size());
    row.verdict = verdict_of(row, tolerance);
    made.rows.push_back(std::move(row));
  }
  return made;
}

namespace {

bool is_duration(compared_measure of) {
  return of != compared_measure::throughput;
}

std::string value_text(compared_measure of, double value) {
  if (is_duration(of)) return duration_text(value);
  return rate_text(value) + "/s";
}

std::size_t count_of(const comparison& of, compared_verdict which) {
  std::size_t count = 0;
  for (const auto& each : of.rows)
    count += each.verdict == which ? 1 : 0;
  return count;
}

} // namespace

std::string compare_text(const compared_run& a, const compared_run& b, const comparison& of,
                         double tolerance) {
  std::vector<std::vector<std::string>> rows{
      {"operation", "measure", "A", "B", "B/A", "from", "to", "B is"}};
  for (const auto& each : of.rows)
    rows.push_back({each.operation, std::string{name_of(each.measure)},
                    value_text(each.measure, each.a), value_text(each.measure, each.b),
                    fixed(each.ratio.ratio, 3), fixed(each.ratio.low, 3), fixed(each.ratio.high, 3),
                    std::string{name_of(each.verdict)}});
  std::string text = "A  " + a.file + ", " + grouped(a.intervals.size()) + " intervals\nB  " +
                     b.file + ", " + grouped(b.intervals.size()) + " intervals\n\n" +
                     columns(rows) + "\n";
  for (const auto& each : of.notes)
    text += "note  " + each + "\n";
  text += std::to_string(count_of(of, compared_verdict::slower)) + " slower, " +
          std::to_string(count_of(of, compared_verdict::faster)) + " faster, by more than " +
          fixed(100 * tolerance, 1) +
          " %. With 95 % confidence, all true ratios lie in their intervals from .. to.\n";
  return text;
}

std::string compare_json(const compared_run& a, const compared_run& b, const comparison& of,
                         double tolerance) {
  model::json_writer json{model::json_escapes::beyond_ascii};
  write(json.object(), {{"a", a.file},
                        {"b", b.file},
                        {"tolerance", tolerance, 4},
                        {"slower", of.has(compared_verdict::slower)},
                        {"more_errors", of.has_more_errors}});
  json.name("rows").array();
  for (const auto& each : of.rows) {
    const bool is_time = is_duration(each.measure);
    const double unit = is_time ? 1e3 : 1;
    write(json.object(), {{"operation", each.operation},
                          {"measure", name_of(each.measure)},
                          {"unit", is_time ? "us" : "per_second"},
                          {"a", each.a / unit, 3},
                          {"b", each.b / unit, 3},
                          {"ratio", each.ratio.ratio, 5},
                          {"low", each.ratio.low, 5},
                          {"high", each.ratio.high, 5},
                          {"verdict", name_of(each.verdict)}});
    json.end_object();
  }
  json.end_array().name("notes").array();
  for (const auto& each : of.notes)
    json.text(each);
  json.end_array().end_object();
  return json.take() + "\n";
}

} // namespace matchcloud::load
