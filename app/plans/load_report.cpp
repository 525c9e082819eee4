#include "app/plans/load_report.hpp"

#include "model/json/members.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>
#include <cmath>

namespace matchcloud::app {

namespace {

using value = rapidjson::Value;

constexpr std::size_t shown_text_limit = 300;

std::chrono::milliseconds seconds(double s) {
  return std::chrono::milliseconds{std::llround(s * 1'000)};
}

/// Calls `take(name, value)` for each member of the object `name`.
template <class Take>
void each_member(const value& of, const char* name, const Take& take) {
  const auto* const found = model::member_object(of, name);
  if (found == nullptr) return;
  for (const auto& [key, set] : found->GetObject())
    take(std::string{key.GetString(), key.GetStringLength()}, set);
}

void add_seconds(load_report& to, const value& intervals, std::chrono::milliseconds began) {
  auto begin = began;
  for (const auto& each : intervals.GetArray()) {
    if (!each.IsObject()) continue;
    const auto end = began + seconds(model::member_number(each, "seconds"));
    to.seconds.push_back(
        {begin, end, model::member_count(each, "sent"), model::member_count(each, "answered"),
         model::member_count(each, "errors"), model::member_number(each, "p50_us"),
         model::member_number(each, "p99_us"), model::member_number(each, "max_us")});
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
  const auto* intervals = report.IsObject() ? model::member_array(report, "intervals") : nullptr;
  if (intervals == nullptr)
    return base::fail(base::errc::io_failed, "the load's report cannot be read");
  to.sent += model::member_count(report, "sent");
  to.answered += model::member_count(report, "answered");
  each_member(report, "errors", [&](const std::string& name, const value& set) {
    if (set.IsUint64()) to.errors[name] += set.GetUint64();
  });
  each_member(report, "by_status", [&](const std::string& status, const value& set) {
    if (set.IsUint64()) to.by_status[status] += set.GetUint64();
  });
  each_member(report, "latency_us", [&](const std::string& name, const value& set) {
    if (set.IsNumber()) to.latency_us[name] = std::max(to.latency_us[name], set.GetDouble());
  });
  each_member(report, "first_errors", [&](const std::string& name, const value& set) {
    if (set.IsString())
      to.examples.push_back(name + ": " +
                            model::printable_excerpt(set.GetString(), shown_text_limit));
  });
  add_seconds(to, *intervals, began);
  return {};
}

} // namespace matchcloud::app
