#include "app/plans/load_report.hpp"

#include "model/json/members.hpp"
#include "model/text/unicode.hpp"

#include <cmath>
#include <cstdlib>

namespace matchcloud::app {

namespace {

using json_value = rapidjson::Value;
using std::chrono::milliseconds;

constexpr std::size_t shown_text_limit = 300;

/// Calls `take(name, value)` for each member of the object `name`.
template <class Take>
void each_member(const json_value& of, const char* name, const Take& take) {
  const auto* const found = model::member_object(of, name);
  if (found == nullptr) return;
  for (const auto& [key, set] : found->GetObject())
    take(std::string{key.GetString(), key.GetStringLength()}, set);
}

void add_counts(named_counts& to, const json_value& of, const char* name) {
  each_member(of, name, [&](const std::string& key, const json_value& set) {
    if (set.IsUint64()) to[key] += set.GetUint64();
  });
}

load_second second_of(const json_value& of, milliseconds began) {
  const auto ms = [](double s) { return milliseconds{std::llround(s * 1'000)}; };
  load_second made;
  made.begin = began + ms(model::member_number(of, "begins"));
  made.end = began + ms(model::member_number(of, "seconds")); // from the load's begin, too
  for (const auto* name : {"sent", "answered", "errors"})
    made.values[name] = model::member_number(of, name);
  for (const std::string name : {"p50", "p99", "max"})
    made.values[name] = model::member_number(of, (name + "_us").c_str());
  return made;
}

} // namespace

std::optional<double> load_report::latency_us(std::string_view name) const {
  if (lacks_histogram || histogram.empty()) return std::nullopt;
  if (name == "max") return histogram.rbegin()->first;
  double count = 0;
  double sum = 0;
  for (const auto& [up_to_us, times] : histogram) {
    count += static_cast<double>(times);
    sum += static_cast<double>(times) * up_to_us;
  }
  if (name == "mean") return sum / count;
  // 99.9 % of 1,000 is 999, but 999.0000000000001 in floating point.
  auto rank = count * std::strtod(std::string{name.substr(1)}.c_str(), nullptr) / 100 - 1e-6;
  for (const auto& [up_to_us, times] : histogram)
    if ((rank -= static_cast<double>(times)) <= 0) return up_to_us;
  return histogram.rbegin()->first;
}

base::expected<void> add_report(load_report& to, std::string_view json, milliseconds plan_began) {
  rapidjson::Document report;
  report.Parse(json.data(), json.size());
  if (!report.IsObject() || model::member_array(report, "intervals") == nullptr)
    return base::fail(base::errc::io_failed, "the load's report cannot be read");
  to.sent += model::member_count(report, "sent");
  to.answered += model::member_count(report, "answered");
  add_counts(to.errors, report, "errors");
  add_counts(to.by_status, report, "by_status");
  each_member(report, "first_errors", [&](const std::string& name, const json_value& set) {
    if (set.IsString())
      to.examples.push_back(name + ": " +
                            model::printable_excerpt(set.GetString(), shown_text_limit));
  });
  if (model::member_array(report, "histogram") == nullptr) to.lacks_histogram = true;
  for (const auto& each : model::member_elements(report, "histogram"))
    if (each.IsArray() && each.Size() == 2 && each[0].IsNumber() && each[1].IsUint64())
      to.histogram[each[0].GetDouble()] += each[1].GetUint64();
  const auto began =
      milliseconds{static_cast<std::int64_t>(model::member_count(report, "began"))} - plan_began;
  for (const auto& each : model::member_elements(report, "intervals"))
    to.seconds.push_back(second_of(each, began));
  return {};
}

} // namespace matchcloud::app
