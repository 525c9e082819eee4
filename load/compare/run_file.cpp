#include "load/compare/run_file.hpp"

#include "cli/bounded_input.hpp"
#include "load/duration.hpp"
#include "model/json/exact_numbers.hpp"
#include "model/json/members.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::load {

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

base::expected<compared_run> parse_run(const std::string& file, std::string_view text) {
  const auto refuse = [&file](const std::string& why) {
    return base::fail(base::errc::config_invalid, file + " " + why);
  };
  rapidjson::Document report;
  if (model::parse_exactly(report, text).IsError() ||
      model::member_of(report, "intervals") == nullptr)
    return refuse("is not a report of matchcloud-load. Use a file written by --json.");
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
    return refuse("has " + std::to_string(made.intervals.size()) +
                  " measured intervals. At least " + std::to_string(least_intervals) +
                  " of a second each are needed. Use a longer --duration.");
  if (!has_bands) return refuse("has no replies in its intervals. Use a run that got replies.");
  made.work = work_of(report, ramp_ends, ends);
  return made;
}

base::expected<compared_run> read_run(const std::string& file) {
  auto text = cli::read_bounded_file(file, run_limit_bytes);
  if (!text) return base::fail(base::errc::io_failed, file + " " + text.error().detail);
  if (text->size() > run_limit_bytes)
    return base::fail(base::errc::config_invalid,
                      file + " has more than 1 GiB, the limit for a report");
  return parse_run(file, *text);
}

} // namespace matchcloud::load
