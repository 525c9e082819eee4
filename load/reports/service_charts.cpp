#include "load/reports/run_charts.hpp"

#include "load/charts/page.hpp"
#include "load/duration.hpp"
#include "load/reports/time_frame.hpp"
#include "load/text/table.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace matchcloud::load {

namespace {

/// The members of `counts` to show: reasons why requests were refused or failed.
constexpr std::array<std::pair<const char*, const char*>, 4> events{
    {{"shed", "shed"},
     {"rate_limited", "rate limited"},
     {"mailbox_full", "mailbox full"},
     {"actor_restarts", "actor restarts"}}};

double middle_of(const service_point& of) {
  return (of.begins + of.ends) / 2;
}

std::uint64_t count_of(const service_point& of, const char* name) {
  const auto found = of.counts.find(name);
  return found == of.counts.end() ? 0 : found->second;
}

/// The points within the run.
std::vector<const service_point*> points_of(const report_subject& about) {
  std::vector<const service_point*> made;
  const double end = end_of(about);
  for (const auto& each : about.service->points)
    if (each.ends > each.begins && middle_of(each) >= 0 && middle_of(each) <= end)
      made.push_back(&each);
  return made;
}

std::string requests_chart(const report_subject& about,
                           const std::vector<const service_point*>& points) {
  chart_series theirs{"requests counted by the service", 2, {}, false};
  chart_series ours{"replies counted by this program", 0, {}, true};
  double most = 0;
  for (const auto* const each : points) {
    theirs.points.emplace_back(middle_of(*each),
                               static_cast<double>(each->requests) / (each->ends - each->begins));
    most = std::max(most, theirs.points.back().second);
  }
  for (const auto* const each : whole_moments(*about.of)) {
    ours.points.emplace_back((each->begins + each->seconds) / 2,
                             static_cast<double>(each->answered) / (each->seconds - each->begins));
    most = std::max(most, ours.points.back().second);
  }
  auto frame =
      time_frame(about, "Requests of the data plane", number_axis("requests per second", most));
  frame.height = 240;
  return line_chart(frame, {theirs, ours});
}

std::string latency_chart(const report_subject& about,
                          const std::vector<const service_point*>& points) {
  std::array<chart_series, 3> series{
      chart_series{"p50 in the service", 2, {}, false},
      chart_series{"p99 in the service", 0, {}, false},
      chart_series{"p99 here, including the network and queues", 1, {}, true}};
  latency_range range;
  const auto add = [&range](chart_series& to, double at, std::uint64_t ns) {
    if (ns > 0) to.points.emplace_back(at, static_cast<double>(ns));
    range.add(ns);
  };
  for (const auto* const each : points) {
    add(series[0], middle_of(*each), each->p50_ns);
    add(series[1], middle_of(*each), each->p99_ns);
  }
  for (const auto* const each : whole_moments(*about.of))
    add(series[2], (each->begins + each->seconds) / 2, each->p99_ns);
  auto frame = time_frame(about, "Latency from the complete request to the response",
                          range.as_axis("latency"));
  frame.height = 260;
  return line_chart(frame, {series.begin(), series.end()});
}

std::string busy_chart(const report_subject& about,
                       const std::vector<const service_point*>& points) {
  std::vector<chart_series> series;
  for (const auto* const each : points)
    for (std::size_t i = 0; i < each->busy.size(); ++i) {
      if (i == series.size()) series.push_back({"loop " + std::to_string(i + 1), i, {}, i >= 8});
      series[i].points.emplace_back(middle_of(*each), 100 * each->busy[i]);
    }
  auto frame = time_frame(about, "Event loops of the data plane", number_axis("busy (%)", 100));
  frame.height = 220;
  return line_chart(frame, series);
}

/// Empty if no request was refused or failed.
std::string event_chart(const report_subject& about,
                        const std::vector<const service_point*>& points) {
  chart_bars made;
  for (const auto& [name, shown] : events)
    made.kinds.emplace_back(shown);
  made.kinds.emplace_back("answered 5xx");
  double most = 0;
  for (const auto* const each : points) {
    chart_bars::bar bar{each->begins, each->ends, {}};
    for (const auto& [name, shown] : events)
      bar.values.push_back(static_cast<double>(count_of(*each, name)));
    bar.values.push_back(static_cast<double>(each->answers_5xx));
    double sum = 0;
    for (const double value : bar.values)
      sum += value;
    most = std::max(most, sum);
    made.bars.push_back(std::move(bar));
  }
  if (most == 0) return {};
  auto frame =
      time_frame(about, "Requests that were refused or failed", number_axis("count", most));
  frame.height = 220;
  return bar_chart(frame, made);
}

std::string totals(const report_subject& about, const std::vector<const service_point*>& points) {
  std::uint64_t requests = 0;
  std::uint64_t failed = 0;
  std::uint64_t longest = 0;
  double busiest = 0;
  for (const auto* const each : points) {
    requests += each->requests;
    failed += each->answers_5xx;
    longest = std::max(longest, each->max_ns);
    for (const double busy : each->busy)
      busiest = std::max(busiest, busy);
  }
  std::vector<std::vector<std::string>> made{{"during the run", "count"},
                                             {"requests", grouped(requests)},
                                             {"answered 5xx", grouped(failed)},
                                             {"longest", latency_text(longest)},
                                             {"busiest loop", fixed(100 * busiest, 0) + " %"},
                                             {"injected faults", grouped(about.service->faults)}};
  for (const auto& [name, shown] : events) {
    std::uint64_t sum = 0;
    for (const auto* const each : points)
      sum += count_of(*each, name);
    made.push_back({shown, grouped(sum)});
  }
  return html_table(made);
}

} // namespace

std::string service_part(const report_subject& about) {
  if (about.service == nullptr) return {};
  const auto points = points_of(about);
  if (points.empty())
    return html_part("The service's own view",
                     "<p>The service has no history for this time. Do the clocks of both machines "
                     "agree?</p>\n",
                     "");
  return html_part("The service's own view",
                   requests_chart(about, points) + latency_chart(about, points) +
                       busy_chart(about, points) + event_chart(about, points),
                   totals(about, points));
}

} // namespace matchcloud::load
