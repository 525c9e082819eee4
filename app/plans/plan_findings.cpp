#include "app/plans/plan_findings.hpp"

#include "model/json/members.hpp"
#include "model/text/unicode.hpp"

#include <cmath>
#include <cstdlib>

namespace matchcloud::app {

namespace {

constexpr std::size_t example_limit = 300;

/// Calls `take(name, value)` for each member of the object `name`.
template <class Take>
void each_member(const rapidjson::Value& of, const char* name, const Take& take) {
  if (const auto* const found = model::member_object(of, name))
    for (const auto& [key, value] : found->GetObject())
      take(std::string{key.GetString(), key.GetStringLength()}, value);
}

} // namespace

bool plan_findings::add_report(std::string_view json, std::chrono::milliseconds plan_began) {
  using std::chrono::milliseconds;
  rapidjson::Document report;
  report.Parse(json.data(), json.size());
  if (model::member_array(report, "intervals") == nullptr ||
      model::member_array(report, "histogram") == nullptr)
    return false;
  for (const auto* name : {"sent", "answered"})
    counts[name] += model::member_count(report, name);
  each_member(report, "errors", [&](const std::string& kind, const rapidjson::Value& value) {
    if (value.IsUint64()) errors[kind] += value.GetUint64();
  });
  each_member(report, "by_status", [&](const std::string& status, const rapidjson::Value& value) {
    if (value.IsUint64()) counts["status." + status] += value.GetUint64();
  });
  each_member(report, "first_errors", [&](const std::string& kind, const rapidjson::Value& value) {
    if (value.IsString())
      examples[kind] = kind + ": " + model::printable_excerpt(value.GetString(), example_limit);
  });
  for (const auto& each : model::member_elements(report, "histogram"))
    if (each.IsArray() && each.Size() == 2 && each[0].IsNumber() && each[1].IsUint64())
      histogram[each[0].GetDouble()] += each[1].GetUint64();
  const auto began = milliseconds{model::member_count(report, "began")} - plan_began;
  for (const auto& each : model::member_elements(report, "intervals")) {
    const auto time = [&](const char* name) {
      return began + milliseconds{std::llround(model::member_number(each, name) * 1'000)};
    };
    seconds.push_back({time("begins"), time("seconds"), {}});
    for (const auto* name : {"sent", "answered", "errors", "p50_us", "p99_us", "max_us"})
      seconds.back().values[name] = model::member_number(each, name);
  }
  return true;
}

std::uint64_t plan_findings::count(std::string_view metric) const {
  if (metric == "errors_not_retryable") return count("errors") - count("unavailable");
  if (const auto kind = errors.find(metric == "errors" ? "total" : metric); kind != errors.end())
    return kind->second;
  const auto found = counts.find(metric);
  return found == counts.end() ? 0 : found->second;
}

std::optional<double> plan_findings::latency_us(std::string_view name) const {
  if (histogram.empty()) return std::nullopt;
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

} // namespace matchcloud::app
