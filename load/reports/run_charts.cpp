#include "load/reports/run_charts.hpp"

#include "load/charts/page.hpp"
#include "load/charts/svg.hpp"
#include "load/duration.hpp"
#include "load/report.hpp"
#include "load/reports/time_frame.hpp"
#include "load/text/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace matchcloud::load {

namespace {

using rows = std::vector<std::vector<std::string>>;

/// The most columns in a heat map, and its rows per power of ten.
constexpr std::size_t columns_limit = 150;
constexpr double rows_per_decade = 12;

double middle_of(const moment& of) {
  return (of.begins + of.seconds) / 2;
}

/// A point of the curve of latency over throughput.
struct curve_point {
  double rate = 0;
  double answered = 0;
  std::uint64_t errors = 0;
  std::array<std::uint64_t, 3> latency_ns{};
  bool broken = false;
};

std::vector<curve_point> curve_points(const report_subject& about) {
  std::vector<curve_point> made;
  if (about.found != nullptr)
    for (const auto& each : about.found->steps)
      made.push_back({each.rate,
                      each.answered_per_second,
                      each.errors,
                      {each.p50_ns, each.p99_ns, each.p99_9_ns},
                      !each.kept});
  else
    for (const auto& each : about.of->stages) {
      const auto& latency = each.all.latency;
      // A stage with a changing rate has no single rate.
      if (latency.count() == 0 || each.which.from != each.which.to) continue;
      made.push_back(
          {each.which.from,
           each.requests_per_second(),
           each.all.errors(),
           {latency.percentile_ns(50), latency.percentile_ns(99), latency.percentile_ns(99.9)},
           false});
    }
  std::ranges::stable_sort(made, {}, &curve_point::rate);
  return made;
}

/// The median of all points with the same `x`.
std::vector<std::pair<double, double>> medians(std::vector<std::pair<double, double>> of) {
  std::ranges::sort(of);
  std::vector<std::pair<double, double>> made;
  for (std::size_t first = 0; first < of.size();) {
    auto end = first;
    while (end < of.size() && of[end].first == of[first].first)
      ++end;
    made.push_back(of[(first + end - 1) / 2]);
    first = end;
  }
  return made;
}

std::string found_text(const report_subject& about) {
  if (about.found == nullptr) return {};
  const auto text = find_verdict(*about.asked, *about.found);
  std::string made = "<p><b>" + escaped(text) + "</b></p>\n";
  if (!about.found->cut_short.empty())
    made += "<p class=\"pale\">Cut short: " + escaped(about.found->cut_short) + "</p>\n";
  if (!about.found->gave_way.empty())
    made += "<p>What gave way: the " + escaped(about.found->gave_way) + ". " +
            escaped(about.found->gave_way_reason) + "</p>\n";
  return made;
}

/// Counts by the number of the heat map's row that a latency falls into.
using heat_column = std::map<int, std::uint64_t>;

int row_of(std::uint64_t ns) {
  // A band covers values down to a twentieth below its greatest.
  return static_cast<int>(
      std::floor(std::log10(std::max(1.0, static_cast<double>(ns) * 0.975)) * rows_per_decade));
}

double row_begins(int row) {
  return std::pow(10, static_cast<double>(row) / rows_per_decade);
}

heat_column column_of(const std::vector<const moment*>& moments, std::size_t first,
                      std::size_t end) {
  heat_column made;
  for (auto i = first; i < end; ++i)
    for (const auto& part : moments[i]->parts)
      for (const auto& [up_to_ns, count] : part.latency)
        made[row_of(up_to_ns)] += count;
  return made;
}

chart_cells heat_cells(const std::vector<const moment*>& moments) {
  chart_cells made;
  made.counted = "replies";
  const auto step = (moments.size() + columns_limit - 1) / columns_limit;
  for (std::size_t first = 0; first < moments.size(); first += step) {
    const auto end = std::min(first + step, moments.size());
    const double from = moments[first]->begins;
    const double to = moments[end - 1]->seconds;
    for (const auto& [row, count] : column_of(moments, first, end))
      made.cells.push_back(
          {from, to, row_begins(row), row_begins(row + 1), static_cast<double>(count),
           fixed(from, 1) + " to " + fixed(to, 1) + " s, " + short_duration(row_begins(row)) +
               " to " + short_duration(row_begins(row + 1)) + ": " + grouped(count)});
  }
  return made;
}

rows distribution_rows(const latency_histogram& of) {
  rows made{{"of the replies", "took at most"}};
  for (const double percent : {50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.99})
    made.push_back({fixed(percent, percent == 99.99 ? 2
                                   : percent > 99   ? 1
                                                    : 0) +
                        " %",
                    latency_text(of.percentile_ns(percent))});
  made.push_back({"all", latency_text(of.max_ns())});
  return made;
}

/// Errors by kind over time; empty if there were none.
std::string error_chart(const report_subject& about) {
  std::array<std::uint64_t, failure_kinds> sums{};
  for (const auto& each : about.of->moments)
    for (const auto& part : each.parts)
      std::ranges::transform(sums, part.failures, sums.begin(), std::plus<>{});
  chart_bars made;
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < failure_kinds; ++i) {
    if (sums[i] == 0) continue;
    shown.push_back(i);
    made.kinds.emplace_back(name_of(static_cast<failure>(i)));
  }
  if (shown.empty()) return {};
  double most = 0;
  for (const auto& each : about.of->moments) {
    chart_bars::bar bar{each.begins, each.seconds, {}};
    double sum = 0;
    for (const auto kind : shown) {
      std::uint64_t count = 0;
      for (const auto& part : each.parts)
        count += part.failures[kind];
      bar.values.push_back(static_cast<double>(count));
      sum += bar.values.back();
    }
    most = std::max(most, sum);
    made.bars.push_back(std::move(bar));
  }
  auto frame = time_frame(about, "Errors by kind", number_axis("errors in each interval", most));
  frame.height = 220;
  return bar_chart(frame, made);
}

rows error_rows(const tally& of) {
  rows made{{"errors", "count"}};
  for (std::size_t i = 0; i < failure_kinds; ++i)
    if (of.failures[i] > 0)
      made.push_back({std::string{name_of(static_cast<failure>(i))}, grouped(of.failures[i])});
  return made;
}

std::string error_examples(const tally& of) {
  rows made;
  for (std::size_t i = 0; i < failure_kinds; ++i)
    if (of.failures[i] > 0)
      made.push_back({"first " + std::string{name_of(static_cast<failure>(i))}, of.examples[i]});
  return made.empty() ? "<p class=\"good\">No errors.</p>\n" : html_facts(made);
}

std::vector<std::string> table_row(std::string_view name, const tally& of) {
  std::vector<std::string> made{std::string{name}, grouped(of.sent), grouped(of.answered),
                                grouped(of.errors())};
  for (const double percent : {50.0, 90.0, 99.0, 99.9})
    made.push_back(latency_text(of.latency.percentile_ns(percent)));
  made.push_back(latency_text(of.latency.max_ns()));
  return made;
}

const std::vector<std::string> tally_titles{"sent", "answered", "errors", "p50",
                                            "p90",  "p99",      "p99.9",  "longest"};

rows titled(const std::string& first) {
  rows made{{first}};
  made.front().insert(made.front().end(), tally_titles.begin(), tally_titles.end());
  return made;
}

/// A percentile has the same colour in all charts.
constexpr std::size_t p50_colour = 2;
constexpr std::size_t p99_colour = 0;
constexpr std::size_t p99_9_colour = 4;

} // namespace

std::string curve_part(const report_subject& about) {
  const auto points = curve_points(about);
  if (points.empty() || (about.found == nullptr && points.size() < 2)) return {};
  static constexpr std::array<const char*, 3> names{"p50", "p99", "p99.9"};
  static constexpr std::array colours{p50_colour, p99_colour, p99_9_colour};
  std::vector<chart_series> series;
  latency_range range;
  double most = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    chart_series each{names[i], colours[i], {}, false};
    for (const auto& point : points) {
      each.dots.emplace_back(point.rate, static_cast<double>(point.latency_ns[i]));
      each.hollow.push_back(point.broken);
      range.add(point.latency_ns[i]);
      most = std::max(most, point.rate);
    }
    each.points = medians(each.dots);
    series.push_back(std::move(each));
  }
  chart_frame frame;
  frame.title = "Latency over the rate";
  if (about.found != nullptr) frame.title += " (hollow: the promise was broken)";
  frame.x = number_axis("requested rate per second", most);
  frame.y = range.as_axis("latency");
  if (about.found != nullptr && about.found->kept_rate > 0)
    frame.marks = {{about.found->kept_rate, rate_text(about.found->kept_rate) + "/s"}};
  rows table{{"rate/s", "answered/s", "errors", "p50", "p99", "p99.9"}};
  if (about.found != nullptr) table.front().emplace_back("promise");
  for (const auto& each : points) {
    table.push_back({rate_text(each.rate), rate_text(each.answered), grouped(each.errors),
                     latency_text(each.latency_ns[0]), latency_text(each.latency_ns[1]),
                     latency_text(each.latency_ns[2])});
    if (about.found != nullptr) table.back().emplace_back(each.broken ? "broken" : "kept");
  }
  return html_part("Latency and throughput", found_text(about) + line_chart(frame, series),
                   html_table(table));
}

std::string percentiles_part(const report_subject& about) {
  static constexpr std::array<std::pair<const char*, std::uint64_t moment::*>, 5> lines{
      {{"p50", &moment::p50_ns},
       {"p90", &moment::p90_ns},
       {"p99", &moment::p99_ns},
       {"p99.9", &moment::p99_9_ns},
       {"longest", &moment::max_ns}}};
  static constexpr std::array<std::size_t, 5> colours{p50_colour, 6, p99_colour, p99_9_colour, 1};
  const auto moments = whole_moments(*about.of);
  std::vector<chart_series> series;
  latency_range range;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    chart_series each{lines[i].first, colours[i], {}, false};
    for (const auto* const one : moments) {
      const auto ns = one->*lines[i].second;
      if (ns > 0) each.points.emplace_back(middle_of(*one), static_cast<double>(ns));
      range.add(ns);
    }
    series.push_back(std::move(each));
  }
  const auto frame = time_frame(about, "Percentiles of each interval", range.as_axis("latency"));
  return html_part("Latency over time", line_chart(frame, series),
                   html_table(distribution_rows(about.of->all.latency)));
}

std::string heat_part(const report_subject& about) {
  const auto moments = whole_moments(*about.of);
  const auto cells = heat_cells(moments);
  if (cells.cells.empty()) return {};
  double least = cells.cells.front().y_from;
  double most = cells.cells.front().y_to;
  for (const auto& each : cells.cells) {
    least = std::min(least, each.y_from);
    most = std::max(most, each.y_to);
  }
  auto frame = time_frame(about, "Replies by their latency", latency_axis("latency", least, most));
  frame.height = 340;
  return html_part(
      "Distribution over time", heat_map(frame, cells), about.of->stages.empty() ? "" : [&about] {
        auto table = rows{{"stage", "rate/s", "answered/s", "errors", "p50", "p99"}};
        for (const auto& each : about.of->stages)
          table.push_back({each.which.name, rate_text((each.which.from + each.which.to) / 2),
                           rate_text(each.requests_per_second()), grouped(each.all.errors()),
                           latency_text(each.all.latency.percentile_ns(50)),
                           latency_text(each.all.latency.percentile_ns(99))});
        return html_table(table);
      }());
}

std::string throughput_part(const report_subject& about) {
  chart_series sent{"sent", 7, {}, true};
  chart_series answered{"answered", 0, {}, false};
  double most = 0;
  for (const auto* const each : whole_moments(*about.of)) {
    const double length = each->seconds - each->begins;
    sent.points.emplace_back(middle_of(*each), static_cast<double>(each->sent) / length);
    answered.points.emplace_back(middle_of(*each), static_cast<double>(each->answered) / length);
    most = std::max({most, sent.points.back().second, answered.points.back().second});
  }
  auto frame = time_frame(about, "Requests sent and answered as expected",
                          number_axis("requests per second", most));
  frame.height = 250;
  rows statuses{{"status of replies", "count"}};
  for (const auto& [status, count] : about.of->all.by_status)
    statuses.push_back({std::to_string(status), grouped(count)});
  const auto errors = error_rows(about.of->all);
  return html_part("Throughput and errors",
                   line_chart(frame, {answered, sent}) + error_chart(about),
                   html_table(statuses) + (errors.size() > 1 ? html_table(errors) : "") +
                       error_examples(about.of->all));
}

std::string operations_part(const report_subject& about) {
  const auto& parts = about.of->parts;
  const auto names = row_names(*about.asked);
  auto table = titled("operation");
  for (std::size_t i = 0; i < parts.size(); ++i)
    table.push_back(table_row(names[i], parts[i]));
  if (parts.size() > 1) table.push_back(table_row("all", about.of->all));
  std::string picture;
  if (parts.size() > 1) {
    std::vector<chart_series> series;
    latency_range range;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      chart_series each{names[i], i, {}, i >= 8};
      for (const auto* const one : whole_moments(*about.of)) {
        const auto ns = percentile_ns(one->parts[i].latency, 99);
        range.add(ns);
        if (ns > 0) each.points.emplace_back(middle_of(*one), static_cast<double>(ns));
      }
      series.push_back(std::move(each));
    }
    auto frame = time_frame(about, "p99 of each operation", range.as_axis("latency"));
    frame.height = 260;
    picture = line_chart(frame, series);
  }
  return html_part("Operations", picture + html_table(table), "");
}

std::string flows_part(const report_subject& about) {
  const auto& flows = about.of->flows;
  if (flows.empty()) return {};
  const auto names = flow_names(about.asked->mix);
  auto table = titled("flow, from its first request to its last reply");
  std::string examples;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    table.push_back(table_row(names[i], flows[i]));
    if (flows[i].errors() > 0) examples += error_examples(flows[i]);
  }
  return html_part("Flows", html_table(table) + examples, "");
}

} // namespace matchcloud::load
