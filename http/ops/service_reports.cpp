#include "http/ops/service_reports.hpp"

#include "http/ops/status_report.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <map>
#include <string_view>
#include <utility>

namespace matchcloud::http {

namespace {

constexpr std::string_view weaker_cause = "protection_weaker";

/// In the order of `base::metric_type`.
constexpr std::array<std::string_view, 3> type_names{"counter", "gauge", "histogram"};

/// The samples of a metric by their labels, as these are written.
using samples = std::map<std::string, base::metric_value>;

std::string text_of(double number) {
  constexpr int digits_limit = 16; // enough for milliseconds since 1970
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number,
                                 std::chars_format::general, digits_limit);
  return {text.data(), end.ptr};
}

std::string text_of(std::initializer_list<base::metric_label> labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    if (name.empty()) continue;
    text.append(text.empty() ? "" : ",").append(name).append("=\"");
    for (const char c : value) {
      if (c == '"' || c == '\\' || c == '\n') text += '\\';
      text += c == '\n' ? 'n' : c;
    }
    text += '"';
  }
  return text;
}

void add(base::metric_value& to, const base::metric_value& value) {
  to.number += value.number;
  if (!value.durations) return;
  if (!to.durations) to.durations.emplace();
  for (std::size_t i = 0; i < to.durations->counts.size(); ++i)
    to.durations->counts[i] += value.durations->counts[i];
  to.durations->sum_ns += value.durations->sum_ns;
}

void add_line(std::string& out, const std::string& name, const std::string& labels, double number) {
  out += name;
  if (!labels.empty()) out.append("{").append(labels).append("}");
  out.append(" ").append(text_of(number)).append("\n");
}

/// Adds a histogram of Prometheus: in seconds, with buckets that count those below them, too.
void add_histogram(std::string& out, const std::string& name, const std::string& labels,
                   const base::duration_buckets& durations) {
  constexpr double seconds_per_ns = 1e-9;
  const auto& bounds = base::duration_buckets::bounds_ns;
  std::string buckets;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < durations.counts.size(); ++i) {
    count += durations.counts[i];
    const auto bound = i < bounds.size() ? text_of(static_cast<double>(bounds[i]) * seconds_per_ns)
                                         : std::string{"+Inf"};
    add_line(buckets, name + "_bucket",
             labels + (labels.empty() ? "" : ",") + "le=\"" + bound + '"',
             static_cast<double>(count));
  }
  add_line(out, name + "_count", labels, static_cast<double>(count));
  add_line(out, name + "_sum", labels, static_cast<double>(durations.sum_ns) * seconds_per_ns);
  out += buckets;
}

} // namespace

service_reports::service_reports(reported_service of) : of_{std::move(of)} {
  of_.board->tell_with([this] { return replicas_.summary(); });
}

void service_reports::show(base::metric_set& in) const {
  bounds_.show(in);
  in.add_gauge({"matchcloud_history_bytes", "Memory of the history that /v1/history returns."},
               [this] { return static_cast<double>(history_.used_bytes()); });
}

void service_reports::show_weaker(std::vector<std::string> protections) {
  const std::lock_guard lock{weaker_mutex_};
  weaker_ = std::move(protections);
  weaker_since_ms_ = base::machine_clock().unix_ms();
}

std::string service_reports::attention_report() const {
  auto found = attention_.find(is_ready());
  {
    const std::lock_guard lock{weaker_mutex_};
    for (const auto& each : weaker_)
      found.push_back({actors::attention_severity::warning,
                       std::string{weaker_cause},
                       "Since the last start a protection is weaker: " + each + ".",
                       "/v1/config",
                       {},
                       {},
                       {{{{"protection", each}}}},
                       weaker_since_ms_});
  }
  auto looked_for = attention_.looked_for();
  looked_for.push_back(weaker_cause);
  return render_attention(std::move(found), looked_for);
}

std::string service_reports::replicas_report() const {
  std::vector<told_summary> heard;
  for (const auto& each : of_.board->heard())
    heard.push_back({to_string(each.replica_id),
                     std::chrono::milliseconds{of_.clock->unix_ms() - each.told_ts}, each.summary});
  return replicas_.report(heard);
}

actors::report_sources service_reports::sources() {
  return {[this] { return render_metrics(*of_.metrics); },
          [this] { return actor_report(of_.sources); },
          [this] { return status_.report(is_ready(), history_.latest()); },
          [this] {
            history_.sample();
            attention_.sample(is_ready());
            of_.traces->age();
          },
          [this] { return places_.report(); },
          [this](const actors::trace_query& wanted) { return of_.traces->report(wanted); },
          [this](const actors::past_query& wanted) { return history_.report(wanted); },
          [this] { return attention_report(); },
          [this] { return replicas_report(); }};
}

std::string render_metrics(const base::metric_set& of) {
  std::map<std::string_view, samples> families;
  for (const auto& [type, text, read] : of.metrics())
    read(
        [&into = families[text.name], &shows_zero = text.shows_zero](auto with, const auto& value) {
          if (shows_zero || value.number != 0) add(into[text_of(with)], value);
        });
  std::string out;
  for (const auto& [type, text, read] : of.metrics()) {
    // Empty for a name that was written before.
    const auto family = families.extract(text.name);
    if (family.empty()) continue;
    const std::string name{text.name};
    out.append("# HELP ").append(name).append(" ").append(text.help).append("\n# TYPE ");
    out.append(name).append(" ").append(type_names[static_cast<std::size_t>(type)]).append("\n");
    for (const auto& [labels, value] : family.mapped()) {
      if (value.durations)
        add_histogram(out, name, labels, *value.durations);
      else
        add_line(out, name, labels, value.number);
    }
  }
  return out;
}

} // namespace matchcloud::http
