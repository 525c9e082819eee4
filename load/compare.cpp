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
#include <random>
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

std::vector<std::size_t> all_of(std::size_t intervals) {
  std::vector<std::size_t> made(intervals);
  std::iota(made.begin(), made.end(), std::size_t{0});
  return made;
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
  auto of_a = all_of(intervals_of_a);
  auto of_b = all_of(intervals_of_b);
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

compared_interval interval_of(const json_value& from) {
  compared_interval made;
  made.seconds = model::member_number(from, "seconds") - model::member_number(from, "begins");
  for (const auto& each : model::member_elements(from, "operations")) {
    auto& operation = made.operations[std::string{model::member_text(each, "name")}];
    operation.answered += model::member_count(each, "answered");
    // Bands may repeat, because two parts of a mix can have the same name.
    for (const auto& pair : model::member_elements(each, "latency_ns_counts"))
      if (pair.IsArray() && pair.Size() == 2 && pair[0].IsUint64() && pair[1].IsUint())
        operation.latency.emplace_back(pair[0].GetUint64(), pair[1].GetUint());
  }
  return made;
}

/// The service's work during the measured part of the run.
std::vector<compared_work> work_of(const json_value& report, double ramp_ends, double ends) {
  std::vector<compared_work> made;
  const auto* const service = model::member_object(report, "service");
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
  if (model::member_number(report, "results_version") > results_version)
    refuse("was written by a newer matchcloud-load. Use that one.");
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

using buckets = base::latency_buckets;

constexpr double confidence = 0.95;
/// Longer runs are resampled in groups of intervals, so that a comparison does not take minutes.
constexpr std::size_t groups_limit = 240;

/// What each measure is called, and the part of the replies that a percentile is about; 0 for a
/// ratio of sums.
constexpr std::array<std::pair<std::string_view, double>, 4> measures{
    {{"p50", 0.5}, {"p99", 0.99}, {"throughput", 0}, {"processor time", 0}}};

double part_of(compared_measure which) noexcept {
  return measures[static_cast<std::size_t>(which)].second;
}

/// What a measure is computed from, in one or several intervals of a run.
struct sample {
  /// The numbers of latency bands, with the replies in them.
  std::vector<std::pair<std::size_t, double>> bands;
  /// The measure is the sum of the first by that of the second.
  double amount = 0;
  double per = 0;
};

/// An empty `operation` means all operations together.
std::vector<sample> samples_of(const compared_run& run, const std::string& operation,
                               compared_measure measure) {
  std::vector<sample> made;
  if (measure == compared_measure::processor_time) {
    // Nanoseconds that the service's event loops worked for a request.
    for (const auto& each : run.work)
      made.push_back({{}, 1e9 * each.busy_seconds, each.requests});
    return made;
  }
  const auto step = (run.intervals.size() + groups_limit - 1) / groups_limit;
  for (std::size_t i = 0; i < run.intervals.size(); ++i) {
    if (i % step == 0) made.emplace_back();
    auto& last = made.back();
    last.per += run.intervals[i].seconds;
    for (const auto& [name, each] : run.intervals[i].operations) {
      if (!operation.empty() && name != operation) continue;
      last.amount += static_cast<double>(each.answered);
      for (const auto& [up_to_ns, count] : each.latency)
        last.bands.emplace_back(buckets::of(up_to_ns), count);
    }
  }
  return made;
}

/// A value with the bounds of the band that it is in, which are as much as is known of it.
struct banded {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// In nanoseconds; treats latencies as evenly spread within a band.
banded percentile_of(const std::vector<sample>& samples, const std::vector<std::size_t>& taken,
                     double part) {
  std::array<double, buckets::size> counts{};
  double whole = 0;
  for (const auto i : taken)
    for (const auto& [band, count] : samples[i].bands) {
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
    const double low = band == 0 ? 1 : static_cast<double>(buckets::greatest(band - 1));
    return {low + (high - low) * (wanted - below) / counts[band], low, high};
  }
  return {};
}

banded measured(const std::vector<sample>& samples, const std::vector<std::size_t>& taken,
                compared_measure measure) {
  if (part_of(measure) > 0) return percentile_of(samples, taken, part_of(measure));
  double amount = 0;
  double per = 0;
  for (const auto i : taken) {
    amount += samples[i].amount;
    per += samples[i].per;
  }
  return {amount / per, amount / per, amount / per};
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

/// The operations of a run, with the number of intervals in which they have replies.
std::map<std::string, std::size_t> operations_of(const compared_run& of) {
  std::map<std::string, std::size_t> made;
  for (const auto& interval : of.intervals)
    for (const auto& [name, operation] : interval.operations)
      if (!operation.latency.empty()) ++made[name];
  return made;
}

/// How the runs differ in what was asked and in their errors.
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
  return made;
}

/// The operations to compare, then an empty name for all together if there are several. Adds a note
/// for each that is left out.
std::vector<std::string> compared_operations(const compared_run& a, const compared_run& b,
                                             std::vector<std::string>& notes) {
  const auto of_a = operations_of(a);
  const auto of_b = operations_of(b);
  auto names = of_a;
  names.insert(of_b.begin(), of_b.end());
  std::vector<std::string> made;
  std::size_t common = 0;
  for (const auto& [name, count] : names) {
    if (!of_a.contains(name) || !of_b.contains(name)) {
      notes.push_back("Only one of the runs has replies to " + name + ".");
      continue;
    }
    ++common;
    // Of a rare operation it is unknown how much its numbers vary.
    const auto least = std::min(of_a.at(name), of_b.at(name));
    if (least >= least_intervals)
      made.push_back(name);
    else
      notes.push_back("Too few intervals of a run have replies to " + name + ": " +
                      std::to_string(least) + ", and " + std::to_string(least_intervals) +
                      " are needed. Use longer runs.");
  }
  if (common == 0)
    throw base::failure{base::errc::config_invalid,
                        a.file + " and " + b.file +
                            " have no operation in common. Compare runs of the same mix."};
  if (common > 1) made.emplace_back();
  return made;
}

} // namespace

bool comparison::has(compared_verdict which) const noexcept {
  return std::ranges::any_of(rows, [which](const auto& each) { return each.verdict == which; });
}

std::string_view name_of(compared_measure which) noexcept {
  return measures[static_cast<std::size_t>(which)].first;
}

std::string_view name_of(compared_verdict which) noexcept {
  constexpr std::array<std::string_view, 3> names{"faster", "slower", "cannot tell"};
  return names[static_cast<std::size_t>(which)];
}

comparison compare(const compared_run& a, const compared_run& b, double tolerance,
                   std::uint64_t seed) {
  comparison made;
  made.notes = notes_on(a, b);
  made.has_more_errors = b.errors > a.errors;
  std::vector<std::pair<std::string, compared_measure>> wanted;
  for (const auto& each : compared_operations(a, b, made.notes))
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
    const auto in_a = samples_of(a, name, measure);
    const auto in_b = samples_of(b, name, measure);
    const auto of_a = measured(in_a, all_of(in_a.size()), measure);
    const auto of_b = measured(in_b, all_of(in_b.size()), measure);
    if (of_a.value <= 0 || of_b.value <= 0) continue;
    const auto statistic = [measure = measure](const std::vector<sample>& of) {
      return [&of, measure](const auto& taken) { return measured(of, taken, measure).value; };
    };
    compared_row row{name.empty() ? "all" : name, measure, of_a.value, of_b.value};
    row.ratio = estimate_ratio(statistic(in_a), in_a.size(), statistic(in_b), in_b.size(), for_each,
                               seed + made.rows.size());
    row.ratio.low = std::min(row.ratio.low, of_b.low / of_a.high);
    row.ratio.high = std::max(row.ratio.high, of_b.high / of_a.low);
    row.verdict = verdict_of(row, tolerance);
    made.rows.push_back(std::move(row));
  }
  return made;
}

namespace {

std::string value_text(compared_measure of, double value) {
  return of == compared_measure::throughput ? rate_text(value) + "/s" : duration_text(value);
}

std::string count_of(const comparison& of, compared_verdict which) {
  return std::to_string(std::ranges::count(of.rows, which, &compared_row::verdict)) + " " +
         std::string{name_of(which)};
}

} // namespace

std::string compare_text(const compared_run& a, const compared_run& b, const comparison& of,
                         double tolerance) {
  std::vector<text_row> rows{{"operation", "measure", "A", "B", "B/A", "from", "to", "B is"}};
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
  text += count_of(of, compared_verdict::slower) + ", " + count_of(of, compared_verdict::faster) +
          ", by more than " + fixed(100 * tolerance, 1) +
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
    const bool is_time = each.measure != compared_measure::throughput;
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
