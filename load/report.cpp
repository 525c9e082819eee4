#include "load/report.hpp"

#include "load/duration.hpp"
#include "load/text/table.hpp"
#include "model/text/counts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iomanip>
#include <sstream>

namespace matchcloud::load {

namespace {

constexpr std::array<std::pair<const char*, double>, 5> percentiles{
    {{"p50", 50}, {"p90", 90}, {"p99", 99}, {"p99.9", 99.9}, {"p99.99", 99.99}}};
/// Above this percentage of a core, a thread counts as short of processor time.
constexpr double busy_percent = 90;
/// Late sends up to this share, or below this number, count as chance, because the machine also
/// does other work.
constexpr double late_share = 0.01;
constexpr std::uint64_t late_least = 10;

std::string share(std::uint64_t part, std::uint64_t whole) {
  return fixed(whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole), 2) +
         " %";
}

std::vector<std::string> row_of(std::string_view name, const tally& of) {
  std::vector<std::string> row{std::string{name}, grouped(of.sent), grouped(of.answered),
                               grouped(of.errors())};
  for (const auto& [title, percent] : percentiles)
    row.push_back(latency_text(static_cast<double>(of.latency.percentile_ns(percent))));
  row.push_back(latency_text(static_cast<double>(of.latency.max_ns())));
  return row;
}

std::string statuses(const tally& of) {
  std::string text;
  for (const auto& [status, count] : of.by_status)
    text += (text.empty() ? "" : ", ") + std::to_string(status) + ": " + grouped(count);
  return text.empty() ? "no replies" : text;
}

/// The names of the mix's flows, in their order.
std::vector<std::string> flow_names(const std::vector<mix_part>& mix) {
  std::vector<std::string> names;
  for (const auto& part : mix)
    if (const auto* flow = std::get_if<any_flow>(&part.any)) names.push_back(flow->name);
  return names;
}

/// The names of the rows of the results, in their order.
std::vector<std::string> row_names(const options& options) {
  if (options.replay) return options.replay->rows();
  std::vector<std::string> names;
  for (auto& row : rows_of(options.mix))
    names.push_back(std::move(row.name));
  return names;
}

std::string_view kind_name(const arrivals::shape& of) {
  return of.kind == arrival_kind::poisson ? "poisson" : "constant";
}

/// A run in one line: `http://127.0.0.1:8080: 500 requests/s (poisson) for 1.0 s, ..`.
std::string text_headline(const options& options, const results& of) {
  std::ostringstream text;
  text << options.url << ": ";
  if (options.replay)
    text << grouped(options.replay->entries().size()) << " requests of " << options.replay->file()
         << " at " << fixed(options.replay->speed(), 2) << " times its speed";
  else if (options.open_loop && !options.open_loop->stages.empty())
    text << options.open_loop->stages.size() << " stages up to "
         << fixed(options.open_loop->rate, 0) << " requests/s (" << kind_name(*options.open_loop)
         << ")";
  else if (options.open_loop)
    text << fixed(options.open_loop->rate, options.open_loop->rate < 10 ? 2 : 0) << " requests/s ("
         << kind_name(*options.open_loop) << ")";
  else
    text << "closed loop";
  text << " for " << fixed(of.seconds, 1) << " s" << (of.stopped_early ? " (stopped early)" : "")
       << ", " << model::counted(options.connections, "connection") << ", "
       << model::counted(options.threads, "thread");
  return text.str();
}

void write_latency(model::json_writer& json, const latency_histogram& of) {
  static constexpr std::array<std::pair<const char*, double>, 8> distribution{{{"p50", 50},
                                                                               {"p75", 75},
                                                                               {"p90", 90},
                                                                               {"p95", 95},
                                                                               {"p99", 99},
                                                                               {"p99.5", 99.5},
                                                                               {"p99.9", 99.9},
                                                                               {"p99.99", 99.99}}};
  json.name("latency_us").object();
  for (const auto& [title, percent] : distribution)
    write_us(json, title, static_cast<double>(of.percentile_ns(percent)));
  write_us(json, "max", static_cast<double>(of.max_ns()));
  write_us(json, "mean", of.mean_ns());
  json.end_object();
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
    write_us(json, name, static_cast<double>(delays.percentile_ns(percent)));
  write_us(json, "max_us", static_cast<double>(delays.max_ns()));
  json.end_object();
}

/// The shares of the parts of a mix in its requests; empty if a log is replayed.
void write_mix(model::json_writer& json, const std::vector<mix_part>& mix) {
  double sum = 0;
  for (const auto& part : mix)
    sum += part.weight;
  json.name("mix").array();
  for (const auto& part : mix) {
    json.object().name("name").text(name_of(part));
    json.name("percent").raw(fixed(100 * part.weight / sum, 1)).end_object();
  }
  json.end_array();
}

/// The flows as a whole, with their first failures; empty if there are none.
std::string flow_table(const options& options, const results& of) {
  if (of.flows.empty()) return {};
  const auto names = flow_names(options.mix);
  std::vector<std::vector<std::string>> rows{{"flow", "started", "completed", "failed"}};
  for (const auto& [title, percent] : percentiles)
    rows.front().emplace_back(title);
  rows.front().emplace_back("max");
  for (std::size_t i = 0; i < of.flows.size(); ++i)
    rows.push_back(row_of(names[i], of.flows[i]));
  auto text = columns(rows);
  for (std::size_t i = 0; i < of.flows.size(); ++i)
    for (std::size_t k = 0; k < failure_kinds; ++k)
      if (of.flows[i].failures[k] > 0)
        text += "flow        " + names[i] + ": " + grouped(of.flows[i].failures[k]) + " failed, " +
                std::string{name_of(static_cast<failure>(k))} +
                "; the first: " + of.flows[i].examples[k] + "\n";
  return text + "\n";
}

void write_flows(model::json_writer& json, const options& options, const results& of) {
  if (of.flows.empty()) return;
  const auto names = flow_names(options.mix);
  json.name("flows").array();
  for (std::size_t i = 0; i < of.flows.size(); ++i) {
    json.object().name("name").text(names[i]);
    write_tally(json, of.flows[i]);
    json.end_object();
  }
  json.end_array();
}

std::string seconds_text(std::chrono::nanoseconds length) {
  return fixed(std::chrono::duration<double>{length}.count(), 3);
}

void write_stages(model::json_writer& json, const std::vector<stage_results>& stages) {
  if (stages.empty()) return;
  json.name("stages").array();
  std::chrono::nanoseconds begins{0};
  for (const auto& each : stages) {
    json.object().name("name").text(each.which.name);
    json.name("from").raw(fixed(each.which.from, 2)).name("to").raw(fixed(each.which.to, 2));
    json.name("seconds").raw(seconds_text(each.which.length));
    json.name("requests_per_second").raw(fixed(each.requests_per_second(), 1));
    json.name("begins").raw(seconds_text(begins));
    begins += each.which.length;
    write_tally(json, each.all);
    json.end_object();
  }
  json.end_array();
}

void write_failures(model::json_writer& json,
                    const std::array<std::uint64_t, failure_kinds>& failures) {
  json.name("errors_by_kind").object();
  for (std::size_t i = 0; i < failure_kinds; ++i)
    if (failures[i] > 0) json.name(name_of(static_cast<failure>(i))).number(failures[i]);
  json.end_object();
}

void write_moment_parts(model::json_writer& json, const std::vector<std::string>& names,
                        const moment& of) {
  json.name("operations").array();
  for (std::size_t i = 0; i < of.parts.size(); ++i) {
    const auto& part = of.parts[i];
    json.object().name("name").text(names[i]);
    json.name("sent").number(part.sent).name("answered").number(part.answered);
    write_failures(json, part.failures);
    write_us(json, "p99_us", static_cast<double>(percentile_ns(part.latency, 99)));
    json.name("latency_ns_counts").array();
    for (const auto& [up_to_ns, count] : part.latency)
      json.array().number(up_to_ns).number(count).end_array();
    json.end_array().end_object();
  }
  json.end_array();
}

void write_moments(model::json_writer& json, const options& options,
                   const std::vector<moment>& moments) {
  const auto names = row_names(options);
  json.name("intervals").array();
  for (const auto& each : moments) {
    json.object().name("begins").raw(fixed(each.begins, 3));
    json.name("seconds").raw(fixed(each.seconds, 3)).name("measured").boolean(each.is_measured);
    json.name("sent").number(each.sent).name("answered").number(each.answered);
    json.name("errors").number(each.errors);
    std::array<std::uint64_t, failure_kinds> failures{};
    for (const auto& part : each.parts)
      std::ranges::transform(failures, part.failures, failures.begin(), std::plus<>{});
    write_failures(json, failures);
    for (const auto& [name, ns] :
         {std::pair{"p50_us", each.p50_ns}, std::pair{"p90_us", each.p90_ns},
          std::pair{"p99_us", each.p99_ns}, std::pair{"p99.9_us", each.p99_9_ns},
          std::pair{"max_us", each.max_ns}})
      write_us(json, name, static_cast<double>(ns));
    write_moment_parts(json, names, each);
    json.end_object();
  }
  json.end_array();
}

} // namespace

void write_us(model::json_writer& json, std::string_view name, double ns) {
  json.name(name);
  if (ns == 0)
    json.null();
  else
    json.raw(fixed(ns / 1e3, 1));
}

bool is_busy(const results& of) noexcept {
  return of.busiest_thread_percent > busy_percent;
}

limit limit_of(const results& of) {
  using place = limit::place;
  if (is_busy(of))
    return {place::generator,
            "this program: its busiest thread was busy " + fixed(of.busiest_thread_percent, 0) +
                " % of the time. Use more --threads (and cores), or another machine."};
  const auto& all = of.all;
  if (all.failed(failure::local) > 0)
    return {place::machine,
            "this machine: " + grouped(all.failed(failure::local)) +
                " connections failed: " + all.examples[static_cast<std::size_t>(failure::local)] +
                ". If ports ran out, use more --sources; if descriptors ran out, raise "
                "ulimit -n."};
  const auto matters = [&all](std::uint64_t count) {
    return count >= late_least &&
           static_cast<double>(count) > late_share * static_cast<double>(all.intended());
  };
  // Lost segments are not an accident of this machine, so there is no minimum number.
  if (static_cast<double>(of.resent_segments) > late_share * static_cast<double>(all.intended()))
    return {place::network, "the network: " + grouped(of.resent_segments) +
                                " TCP segments with requests were lost and resent."};
  const auto waited = all.late.for_connections + all.failed(failure::unsent);
  if (waited > all.late.by_generator && matters(waited))
    return {place::connections,
            "connections: " + share(waited, all.intended()) +
                " of the requests waited for a free one. The service does not keep up with the "
                "rate, or --connections is too low."};
  if (matters(all.late.by_generator))
    return {place::generator,
            "this program: " + share(all.late.by_generator, all.intended()) +
                " of the requests were sent more than 1 ms late, although connections were "
                "free. Does it have its own core?"};
  return {};
}

std::string bottleneck(const results& of) {
  return limit_of(of).reason;
}

std::string stage_table(const std::vector<stage_results>& stages) {
  if (stages.empty()) return {};
  std::vector<std::vector<std::string>> rows{{"stage", "sent", "answered", "errors"}};
  for (const auto& [title, percent] : percentiles)
    rows.front().emplace_back(title);
  rows.front().insert(rows.front().end(), {"max", "answered/s"});
  for (const auto& each : stages) {
    rows.push_back(row_of(each.which.name, each.all));
    rows.back().push_back(grouped(static_cast<std::uint64_t>(each.requests_per_second())));
  }
  return columns(rows) + "\n";
}

std::string text_report(const options& options, const results& of) {
  const auto names = row_names(options);
  std::vector<std::vector<std::string>> rows{{"", "sent", "answered", "errors"}};
  for (const auto& [title, percent] : percentiles)
    rows.front().emplace_back(title);
  rows.front().emplace_back("max");
  if (of.parts.size() > 1)
    for (std::size_t i = 0; i < of.parts.size(); ++i)
      rows.push_back(row_of(names[i], of.parts[i]));
  rows.push_back(row_of(of.parts.size() > 1 ? "all" : std::string_view{names.front()}, of.all));
  std::ostringstream text;
  text << text_headline(options, of) << "\n\n"
       << columns(rows) << "\n"
       << flow_table(options, of) << stage_table(of.stages) << "by status   " << statuses(of.all)
       << "\n"
       << "throughput  " << grouped(static_cast<std::uint64_t>(of.requests_per_second()))
       << " replies/s\n";
  for (std::size_t i = 0; i < failure_kinds; ++i)
    if (of.all.failures[i] > 0)
      text << "error       " << name_of(static_cast<failure>(i)) << ": "
           << grouped(of.all.failures[i]) << "; the first: " << of.all.examples[i] << "\n";
  if (of.all.repeated > 0)
    text << "repeated    " << grouped(of.all.repeated) << " times, after a 503\n";
  if (options.replay && !options.replay->left_out().empty())
    text << "left out    " << options.replay->left_out() << "\n";
  if (options.open_loop || options.replay) {
    const auto& late = of.all.late;
    text << "late sends  " << grouped(late.count()) << " (" << share(late.count(), of.all.sent)
         << ") by more than 1 ms";
    if (late.count() > 0)
      text << ": " << grouped(late.for_connections) << " because no connection was free, "
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

std::string json_report(const options& options, const results& of,
                        const std::function<void(model::json_writer&)>& add_members) {
  model::json_writer json{model::json_escapes::beyond_ascii};
  json.object().name("url").text(options.url).name("headline").text(text_headline(options, of));
  json.name("loop").text(options.replay      ? "replay"
                         : options.open_loop ? kind_name(*options.open_loop)
                                             : "closed");
  if (options.open_loop) json.name("rate").raw(fixed(options.open_loop->rate, 2));
  if (options.replay) {
    json.name("replay").object().name("file").text(options.replay->file());
    json.name("speed").raw(fixed(options.replay->speed(), 3));
    json.name("requests").number(options.replay->entries().size());
    json.name("left_out").text(options.replay->left_out()).end_object();
  }
  json.name("connections").number(options.connections).name("threads").number(options.threads);
  json.name("ramp_seconds").raw(seconds_text(options.ramp));
  json.name("duration_seconds").raw(seconds_text(options.duration));
  json.name("timeout_ms").number(options.timeout.count());
  write_mix(json, options.mix);
  json.name("began").number(of.began_ms);
  json.name("seed").number(options.seed).name("seconds").raw(fixed(of.seconds, 3));
  json.name("stopped_early").boolean(of.stopped_early);
  json.name("requests_per_second").raw(fixed(of.requests_per_second(), 1));
  write_tally(json, of.all);
  const auto limit = bottleneck(of);
  json.name("generator").object();
  json.name("cpu_percent").raw(fixed(of.busiest_thread_percent, 1));
  json.name("resent_segments").number(of.resent_segments);
  json.name("bottleneck").boolean(!limit.empty()).name("reason").text(limit).end_object();
  const auto names = row_names(options);
  json.name("operations").array();
  for (std::size_t i = 0; i < of.parts.size(); ++i) {
    json.object().name("name").text(names[i]);
    write_tally(json, of.parts[i]);
    json.end_object();
  }
  json.end_array();
  write_flows(json, options, of);
  json.name("assertions").array();
  for (const auto& each : options.asserted) {
    json.object().name("text").text(each.text).name("holds").boolean(holds(each, of));
    json.name("result").text(explain(each, of)).end_object();
  }
  json.end_array();
  write_stages(json, of.stages);
  write_moments(json, options, of.moments);
  if (add_members) add_members(json);
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
