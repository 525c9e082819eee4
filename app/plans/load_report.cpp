#include "app/plans/load_report.hpp"

#include "model/json/rapidjson.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>
#include <cmath>

namespace matchcloud::app {

namespace {

using value = rapidjson::Value;

constexpr std::size_t shown_limit = 300;

double number(const value& of, const char* name) {
  const auto found = of.FindMember(name);
  return found != of.MemberEnd() && found->value.IsNumber() ? found->value.GetDouble() : 0;
}

std::uint64_t count(const value& of, const char* name) {
  const auto found = of.FindMember(name);
  return found != of.MemberEnd() && found->value.IsUint64() ? found->value.GetUint64() : 0;
}

std::chrono::milliseconds seconds(double s) {
  return std::chrono::milliseconds{std::llround(s * 1'000)};
}

/// The member, if it is an array; else null.
const value* array(const value& of, const char* name) {
  const auto found = of.FindMember(name);
  return found != of.MemberEnd() && found->value.IsArray() ? &found->value : nullptr;
}

/// Calls `take(name, value)` for each member of the object `name`.
template <class Take>
void each_member(const value& of, const char* name, const Take& take) {
  const auto found = of.FindMember(name);
  if (found == of.MemberEnd() || !found->value.IsObject()) return;
  for (const auto& [key, set] : found->value.GetObject())
    take(std::string{key.GetString(), key.GetStringLength()}, set);
}

void add_seconds(load_report& to, const value& intervals, std::chrono::milliseconds began) {
  auto begin = began;
  for (const auto& each : intervals.GetArray()) {
    if (!each.IsObject()) continue;
    const auto end = began + seconds(number(each, "seconds"));
    to.seconds.push_back({begin, end, count(each, "sent"), count(each, "answered"),
                          count(each, "errors"), number(each, "p50_us"), number(each, "p99_us"),
                          number(each, "max_us")});
    begin = end;
  }
}

} // namespace

std::uint64_t load_report::error(std::string_view kind) const {
  const auto found = errors.find(kind);
  return found == errors.end() ? 0 : found->second;
}

std::uint64_t load_report::errors_not_retryable() const {
  return error("total") - std::min(error("total"), error("unavailable"));
}

base::expected<void> add_report(load_report& to, std::string_view json,
                                std::chrono::milliseconds began) {
  rapidjson::Document report;
  report.Parse(json.data(), json.size());
  const auto* intervals = report.IsObject() ? array(report, "intervals") : nullptr;
  if (intervals == nullptr)
    return base::fail(base::errc::io_failed, "the load's report cannot be read");
  to.sent += count(report, "sent");
  to.answered += count(report, "answered");
  each_member(report, "errors", [&](const std::string& name, const value& set) {
    if (set.IsUint64()) to.errors[name] += set.GetUint64();
  });
  each_member(report, "latency_us", [&](const std::string& name, const value& set) {
    if (set.IsNumber()) to.latency_us[name] = std::max(to.latency_us[name], set.GetDouble());
  });
  each_member(report, "first_errors", [&](const std::string& name, const value& set) {
    if (set.IsString())
      to.examples.push_back(name + ": " + model::printable_excerpt(set.GetString(), shown_limit));
  });
  add_seconds(to, *intervals, began);
  return {};
}

} // namespace matchcloud::app
