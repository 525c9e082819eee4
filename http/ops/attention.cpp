#include "http/ops/attention.hpp"

#include "http/ops/attention_causes.hpp"
#include "model/json/json_writer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace matchcloud::http {

namespace {

using attention_causes::cause;
using attention_causes::causes;
using attention_causes::sign;
using attention_causes::still_from;
using attention_causes::still_told;
using model::json_writer;
using severity = actors::attention_severity;
using std::chrono::seconds;

/// From here on an operation is slow, except those that write or send files.
constexpr std::uint64_t slow_from_ns = 250'000'000;
/// An event loop is busy from this share of the time on.
constexpr double busy_from = 0.9;
/// How much of the past decides whether an operation is slow, or a loop busy.
constexpr seconds slow_span{60};

bool counts(std::initializer_list<base::metric_label> labels, const cause& in) {
  const auto is_other = [&in](const base::metric_label& each) {
    return std::ranges::any_of(in.but, [&each](const base::metric_label& other) {
      return !other.name.empty() && other.name == each.name && other.value == each.value;
    });
  };
  const auto is_its = [&in](const base::metric_label& each) {
    return each.name == in.only.name && each.value.starts_with(in.only.value);
  };
  return std::ranges::none_of(labels, is_other) &&
         (in.only.name.empty() || std::ranges::any_of(labels, is_its));
}

} // namespace

bool is_served_quickly(operation which) noexcept {
  return row_of(which).plane == plane::data && which != operation::unmatched &&
         which != operation::export_lobby_history && which != operation::download_export &&
         which != operation::download_media;
}

attention::attention(const base::metric_set& metrics, const service_history& history,
                     const bound_use& bounds, const base::clock& clock)
    : metrics_{metrics}, history_{history}, bounds_{bounds}, clock_{clock}, read_at_{clock.now()} {
  for (const auto& value : read())
    remembered_.push_back({value, {}});
}

std::vector<std::optional<double>> attention::read() const {
  std::vector<std::optional<double>> values(causes.size());
  for (const auto& metric : metrics_.metrics())
    for (std::size_t i = 0; i < causes.size(); ++i) {
      const auto& of = causes[i];
      if (metric.text.name != of.metric) continue;
      auto& into = values[i];
      metric.read([&](auto labels, const base::metric_value& value) {
        if (!counts(labels, of)) return;
        const bool is_moment = of.tells == sign::due_within || of.tells == sign::older_than;
        into = is_moment ? std::min(into.value_or(value.number), value.number)
                         : into.value_or(0) + value.number;
      });
    }
  return values;
}

bool attention::is_alone() const {
  double replicas = 0;
  for (const auto& metric : metrics_.metrics())
    if (metric.text.name == "matchcloud_replicas")
      metric.read([&](auto, const base::metric_value& value) { replicas += value.number; });
  return replicas <= 1;
}

std::vector<attention::memory> attention::remember() const {
  const auto now = clock_.now();
  const auto values = read();
  auto all = remembered_;
  for (std::size_t i = 0; i < causes.size(); ++i) {
    auto& of = all[i];
    const auto before = std::exchange(of.value, values[i]).value_or(0);
    const bool rose = values[i] && *values[i] > before;
    const bool fell = values[i] && *values[i] < before;
    const bool is_of_falls = causes[i].tells == sign::falls;
    if (is_of_falls ? fell : rose) of.changed = now;
    if (is_of_falls && rose) of.changed.reset();
  }
  return all;
}

void attention::sample() {
  const std::lock_guard lock{mutex_};
  if (clock_.now() - read_at_ < interval) return;
  read_at_ = clock_.now();
  remembered_ = remember();
}

std::vector<std::string_view> attention::looked_for() const {
  std::vector<std::string_view> names{"not_ready", "slow_operation", "loop_busy",
                                      "bound_nearly_reached"};
  const auto now = read();
  for (std::size_t i = 0; i < causes.size(); ++i)
    if (causes[i].tells == sign::stops ? now[i] && is_alone()
                                       : now[i] || causes[i].tells == sign::absent)
      names.push_back(causes[i].name);
  return names;
}

std::vector<attention_finding> attention::find(bool is_ready) const {
  std::vector<attention_finding> found;
  if (!is_ready)
    found.push_back({severity::critical, "not_ready",
                     "The service is not ready, so balancers send it no requests.", "/readyz"});
  const auto past = history_.past(slow_span);
  find_slow(past, found);
  find_busy(past, found);
  for (const auto& [of, share] : bounds_.read())
    if (of->then == when_full::refuse && share >= of->nearly_full)
      found.push_back({severity::warning, "bound_nearly_reached",
                       "The bound " + of->name + " is " + std::to_string(std::lround(share * 100)) +
                           " % used. When it is full, further use is refused.",
                       "/metrics", share * 100});
  find_causes(found);
  return found;
}

void attention::find_busy(const history_interval& past, std::vector<attention_finding>& to) {
  const auto span_us = static_cast<double>(past.end_ms - past.begin_ms) * 1e3;
  for (std::size_t i = 0; i < past.busy_us.size() && span_us > 0; ++i)
    if (const auto share = static_cast<double>(past.busy_us[i]) / span_us; share >= busy_from)
      to.push_back({severity::warning, "loop_busy",
                    "Event loop " + std::to_string(i) + " worked " +
                        std::to_string(std::lround(share * 100)) +
                        " % of the last minute. Give the service more cores, or add a replica.",
                    "/v1/history", share * 100});
}

void attention::find_slow(const history_interval& past, std::vector<attention_finding>& to) {
  for (const auto& [called, requests] : past.operations)
    if (const auto id = called.id; is_served_quickly(id))
      if (const auto p99 = requests.latency.percentile_ns(0.99); p99 >= slow_from_ns)
        to.push_back({severity::warning, "slow_operation",
                      "One in a hundred requests of " + std::string{row_of(id).name} + " took " +
                          std::to_string(p99 / 1'000'000) + " ms or more in the last minute.",
                      "/v1/traces?operation=" + std::string{row_of(id).name},
                      static_cast<double>(p99) / 1e6});
}

void attention::find_causes(std::vector<attention_finding>& to) const {
  const std::lock_guard lock{mutex_};
  const auto now = clock_.now();
  const auto now_s = static_cast<double>(clock_.unix_ms()) / 1e3;
  const auto all = remember();
  for (std::size_t i = 0; i < causes.size(); ++i) {
    const auto& of = causes[i];
    const auto& value = all[i].value;
    const auto& changed = all[i].changed;
    const auto holds = [&] {
      if (!value) return of.tells == sign::absent;
      switch (of.tells) {
      case sign::rises:
      case sign::falls: return changed && now - *changed < span;
      case sign::stops:
        return is_alone() && changed && now - *changed >= still_from &&
               now - *changed < still_from + still_told;
      case sign::above: return *value > of.bound;
      case sign::due_within: return *value - now_s < of.bound;
      case sign::older_than: return now_s - *value > of.bound;
      case sign::absent: return false;
      }
      return false;
    };
    // The value of a count says nothing about the last minutes.
    const bool is_amount = of.tells != sign::rises && of.tells != sign::stops;
    if (holds())
      to.push_back({of.how_bad, std::string{of.name}, std::string{of.what}, std::string{of.look_at},
                    is_amount ? value : std::nullopt});
  }
}

std::string render_attention(std::vector<attention_finding> found,
                             const std::vector<std::string_view>& looked_for) {
  std::ranges::stable_sort(found, {}, [](const auto& each) { return each.severity; });
  json_writer json;
  json.object().name("looked_for").array();
  for (const auto name : looked_for)
    json.text(name);
  json.end_array().name("findings").array();
  for (const auto& each : found) {
    json.object().name("cause").text(each.cause).name("severity");
    json.text(actors::attention_severity_names[static_cast<std::size_t>(each.severity)]);
    json.name("what").text(each.what).name("value");
    each.value ? json.number(static_cast<std::int64_t>(*each.value)) : json.null();
    json.name("look_at").text(each.look_at).end_object();
  }
  return json.end_array().end_object().take();
}

} // namespace matchcloud::http
