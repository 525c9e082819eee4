#include "load/report.hpp"

#include "load/duration.hpp"
#include "model/json/json_writer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace matchcloud::load {

namespace {

constexpr std::array<std::pair<const char*, double>, 5> percentiles{
    {{"p50", 50}, {"p90", 90}, {"p99", 99}, {"p99.9", 99.9}, {"p99.99", 99.99}}};
/// Above this percentage of a core, a thread is considered to be short of processor time.
constexpr double busy_percent = 90;
/// Late sends up to this share, or below this number, are considered chance: the machine does other
/// things too.
constexpr double late_share = 0.01;
constexpr std::uint64_t late_least = 10;

std::string grouped(std::uint64_t number) {
  auto text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

std::string share(std::uint64_t part, std::uint64_t whole) {
  return fixed(whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole), 2) +
         " %";
}

/// Aligns the rows in columns: the first one to the left, the others to the right.
std::string columns(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::ostringstream text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      text << (i == 0 ? std::left : std::right) << std::setw(static_cast<int>(widths[i])) << row[i]
           << (i + 1 < row.size() ? "  " : "\n");
  }
  return text.str();
}

std::vector<std::string> row_of(std::string_view name, const tally& of) {
  std::vector<std::string> row{std::string{name}, grouped(of.sent), grouped(of.answered),
                               grouped(of.errors())};
  for (const auto& [title, percent] : percentiles)
    row.push_back(duration_text(static_cast<double>(of.latency.percentile_ns(percent))));
  row.push_back(duration_text(static_cast<double>(of.latency.max_ns())));
  return row;
}

std::string statuses(const tally& of) {
  std::string text;
  for (const auto& [status, count] : of.by_status)
    text += (text.empty() ? "" : ", ") + std::to_string(status) + ": " + grouped(count);
  return text.empty() ? "no reply came" : text;
}

std::string headline(const options& options, const results& of) {
  std::ostringstream text;
  text << options.url << ": ";
  if (options.open_loop)
    text << fixed(options.open_loop->rate, options.open_loop->rate < 10 ? 2 : 0) << " requests/s ("
         << (options.open_loop->kind == arrival_kind::poisson ? "poisson" : "constant") << ")";
  else
    text << "closed loop";
  text << " for " << fixed(of.seconds, 1) << " s" << (of.stopped_early ? " (stopped early)" : "")
       << ", " << options.connections << (options.connections == 1 ? " connection" : " connections")
       << ", " << options.threads << (options.threads == 1 ? " thread" : " threads") << "\n\n";
  return text.str();
}

void write_latency(model::json_writer& json, const latency_histogram& of) {
  const auto us = [](double ns) { return fixed(ns / 1e3, 1); };
  json.name("latency_us").object();
  for (const auto& [title, percent] : percentiles)
    json.name(title).raw(us(static_cast<double>(of.percentile_ns(percent))));
  json.name("max").raw(us(static_cast<double>(of.max_ns())));
  json.name("mean").raw(us(of.mean_ns())).end_object();
}

void write_tally(model::json_writer& json, const tally& of) {
  json.name("intended").number(of.intended());
  json.name("sent").number(of.sent).name("answered").number(of.answered);
  json.name("repeated").number(of.repeated);
  json.name("by_status").object();
  for (const auto& [status, count] : of.by_status)
    json.name(std::to_string(status)).number(count);
  json.end_object().name("errors").object().name("total").number(of.errors());
  for (std::size_t i = 0; i < failure_kinds; ++i)
    json.name(name_of(static_cast<failure>(i))).number(of.failures[i]);
  json.end_object().name("first_errors").object();
  for (std::size_t i = 0; i < failure_kinds; ++i)
    if (of.failures[i] > 0) json.name(name_of(static_cast<failure>(i))).text(of.examples[i]);
  json.end_object();
  write_latency(json, of.latency);
  json.name("late_sends").object().name("count").number(of.late.count());
  json.name("for_connections").number(of.late.for_connections);
  json.name("by_generator").number(of.late.by_generator);
  const auto& delays = of.late.delays;
  for (const auto& [name, percent] : {std::pair{"p50_us", 50.0}, std::pair{"p99_us", 99.0}})
    json.name(name).raw(fixed(static_cast<double>(delays.percentile_ns(percent)) / 1e3, 1));
  json.name("max_us").raw(fixed(static_cast<double>(delays.max_ns()) / 1e3, 1)).end_object();
}

void write_moments(model::json_writer& json, const std::vector<moment>& moments) {
  json.name("intervals").array();
  for (const auto& each : moments) {
    json.object().name("seconds").raw(fixed(each.seconds, 3));
    json.name("sent").number(each.sent).name("answered").number(each.answered);
    json.name("errors").number(each.errors);
    json.name("p50_us").raw(fixed(static_cast<double>(each.p50_ns) / 1e3, 1));
    json.name("p99_us").raw(fixed(static_cast<double>(each.p99_ns) / 1e3, 1));
    json.name("max_us").raw(fixed(static_cast<double>(each.max_ns) / 1e3, 1)).end_object();
  }
  json.end_array();
}

} // namespace

std::string bottleneck(const results& of) {
  if (of.busiest_thread_percent > busy_percent)
    return "this program: its busiest thread worked " + fixed(of.busiest_thread_percent, 0) +
           " % of the time. Give it more --threads (and cores), or another machine.";
  const auto& all = of.all;
  if (all.failed(failure::local) > 0)
    return "this machine: " + grouped(all.failed(failure::local)) +
           " connections were not made: " + all.examples[static_cast<std::size_t>(failure::local)] +
           ". For ports, give it more --sources; for descriptors, a higher ulimit -n.";
  const auto matters = [&all](std::uint64_t count) {
    return count >= late_least &&
           static_cast<double>(count) > late_share * static_cast<double>(all.intended());
  };
  const auto waited = all.late.for_connections + all.failed(failure::unsent);
  if (waited > all.late.by_generator && matters(waited))
    return "connections: " + share(waited, all.intended()) +
           " of the requests waited for a free one. The service does not keep up with the rate, or "
           "--connections is too low.";
  if (matters(all.late.by_generator))
    return "this program: " + share(all.late.by_generator, all.intended()) +
           " of the requests were sent more than 1 ms late though connections were free. Does it "
           "have a core of its own?";
  return {};
}

std::string text_report(const options& options, const results& of) {
  std::vector<std::vector<std::string>> rows{{"", "sent", "answered", "errors"}};
  for (const auto& [title, percent] : percentiles)
    rows.front().emplace_back(title);
  rows.front().emplace_back("max");
  if (of.parts.size() > 1)
    for (std::size_t i = 0; i < of.parts.size(); ++i)
      rows.push_back(row_of(name_of(options.mix[i].what), of.parts[i]));
  rows.push_back(row_of(of.parts.size() > 1 ? "all" : name_of(options.mix.front().what), of.all));
  std::ostringstream text;
  text << headline(options, of) << columns(rows) << "\n"
       << "by status   " << statuses(of.all) << "\n"
       << "throughput  " << grouped(static_cast<std::uint64_t>(of.requests_per_second()))
       << " replies/s\n";
  for (std::size_t i = 0; i < failure_kinds; ++i)
    if (of.all.failures[i] > 0)
      text << "error       " << name_of(static_cast<failure>(i)) << ": "
           << grouped(of.all.failures[i]) << "; the first: " << of.all.examples[i] << "\n";
  if (of.all.repeated > 0)
    text << "repeated    " << grouped(of.all.repeated) << " times, after a 503\n";
  if (options.open_loop) {
    const auto& late = of.all.late;
    text << "late sends  " << grouped(late.count()) << " (" << share(late.count(), of.all.sent)
         << ") by more than 1 ms";
    if (late.count() > 0)
      text << ": " << grouped(late.for_connections) << " for want of a free connection, "
           << grouped(late.by_generator) << " because this program was late";
    const auto delay = [&late](double percent) {
      return duration_text(static_cast<double>(late.delays.percentile_ns(percent)));
    };
    text << "; half within " << delay(50) << ", 99 % within " << delay(99) << ", all within "
         << duration_text(static_cast<double>(late.delays.max_ns())) << "\n";
  }
  if (of.unconnected > 0)
    text << "connections " << of.unconnected << " could not be made before the load began\n";
  text << "processor   " << fixed(of.busiest_thread_percent, 0)
       << " % of a core for this program's busiest thread\n";
  if (const auto limit = bottleneck(of); !limit.empty()) text << "bottleneck  " << limit << "\n";
  return text.str();
}

std::string json_report(const options& options, const results& of) {
  model::json_writer json{model::json_escapes::beyond_ascii};
  json.object().name("url").text(options.url);
  json.name("loop").text(!options.open_loop                                 ? "closed"
                         : options.open_loop->kind == arrival_kind::poisson ? "poisson"
                                                                            : "constant");
  if (options.open_loop) json.name("rate").raw(fixed(options.open_loop->rate, 2));
  json.name("connections").number(options.connections).name("threads").number(options.threads);
  json.name("seed").number(options.seed).name("seconds").raw(fixed(of.seconds, 3));
  json.name("stopped_early").boolean(of.stopped_early);
  json.name("requests_per_second").raw(fixed(of.requests_per_second(), 1));
  write_tally(json, of.all);
  const auto limit = bottleneck(of);
  json.name("generator").object();
  json.name("cpu_percent").raw(fixed(of.busiest_thread_percent, 1));
  json.name("bottleneck").boolean(!limit.empty()).name("reason").text(limit).end_object();
  json.name("operations").array();
  for (std::size_t i = 0; i < of.parts.size(); ++i) {
    json.object().name("name").text(name_of(options.mix[i].what));
    write_tally(json, of.parts[i]);
    json.end_object();
  }
  json.end_array();
  json.name("assertions").array();
  for (const auto& each : options.asserted)
    json.object().name("text").text(each.text).name("holds").boolean(holds(each, of)).end_object();
  json.end_array();
  write_moments(json, of.moments);
  json.end_object();
  return json.take() + "\n";
}

std::string hdr_report(const latency_histogram& of) {
  std::ostringstream text;
  text << std::fixed << "       Value     Percentile TotalCount 1/(1-Percentile)\n\n";
  const auto count = static_cast<double>(of.count());
  for (const auto& step : of.steps()) {
    const double part = static_cast<double>(step.total) / count;
    text << std::setw(12) << std::setprecision(3) << static_cast<double>(step.up_to_ns) / 1e3
         << std::setw(15) << std::setprecision(12) << part << std::setw(11) << step.total;
    if (step.total < of.count()) text << std::setw(15) << std::setprecision(2) << 1 / (1 - part);
    text << "\n";
  }
  text << std::setprecision(3) << "#[Mean    = " << std::setw(12) << of.mean_ns() / 1e3
       << ", StdDeviation   = " << std::setw(12) << of.deviation_ns() / 1e3 << "]\n"
       << "#[Max     = " << std::setw(12) << static_cast<double>(of.max_ns()) / 1e3
       << ", Total count    = " << std::setw(12) << of.count() << "]\n"
       << "#[Buckets = " << std::setw(12) << 40 - latency_histogram::precision_bits
       << ", SubBuckets     = " << std::setw(12) << (2U << latency_histogram::precision_bits)
       << "]\n";
  return text.str();
}

} // namespace matchcloud::load
