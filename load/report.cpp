#include "load/report.hpp"

#include "model/text/counts.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>

namespace matchcloud::load {

namespace {

/// Joins the buckets of a histogram to some that are at most 1 % wide.
constexpr std::size_t histogram_joined = 8;
/// Above this percentage of a core, a thread counts as short of processor time.
constexpr double busy_percent = 90;
/// Late sends up to this share, or below this number, count as chance, because the machine also
/// does other work.
constexpr double late_share = 0.01;
constexpr std::uint64_t late_least = 10;

std::string share(std::uint64_t part, std::uint64_t whole) {
  return fmt::format("{:.2f} %", 100 * static_cast<double>(part) /
                                     static_cast<double>(std::max<std::uint64_t>(1, whole)));
}

std::string_view kind_name(std::size_t failure_kind) {
  return name_of(static_cast<failure>(failure_kind));
}

std::string_view kind_name(const arrivals::shape& of) {
  return of.kind == arrival_kind::poisson ? "poisson" : "constant";
}

text_row row_of(const std::string& name, const tally& of) {
  return with_latencies({name, grouped(of.sent), grouped(of.answered), grouped(of.errors())},
                        summary_of(of.latency));
}

/// The names of the mix's flows, in their order.
std::vector<std::string> flow_names(const std::vector<mix_part>& mix) {
  std::vector<std::string> names;
  for (const auto& part : mix)
    if (part.is_flow()) names.push_back(part.name);
  return names;
}

/// The names of the rows of the results, in their order.
std::vector<std::string> row_names(const options& options) {
  if (options.replay) return options.replay->rows;
  std::vector<std::string> names;
  for (const auto& row : rows_of(options.mix))
    names.push_back(row.name());
  return names;
}

/// A run in one line: `http://127.0.0.1:8080: 500 requests/s (poisson) for 1.0 s, ..`.
std::string text_headline(const options& options, const results& of) {
  const auto& open = options.open_loop;
  std::string load{"closed loop"};
  if (const auto* const log = options.replay.get())
    load = fmt::format("{} requests of {} at {:.2f} times its speed", grouped(log->entries.size()),
                       log->file, log->speed);
  else if (open && !open->stages.empty())
    load = fmt::format("{} stages up to {:.0f} requests/s ({})", open->stages.size(), open->rate,
                       kind_name(*open));
  else if (open)
    load = fmt::format("{:.{}f} requests/s ({})", open->rate, open->rate < 10 ? 2 : 0,
                       kind_name(*open));
  return fmt::format("{}: {} for {:.1f} s{}, {}, {}", options.url, load, of.seconds,
                     of.stopped_early ? " (stopped early)" : "",
                     model::counted(options.connections, "connection"),
                     model::counted(options.threads, "thread"));
}

void add_rows(std::vector<text_row>& to, const std::vector<std::string>& names,
              const std::vector<tally>& all) {
  for (std::size_t i = 0; i < all.size(); ++i)
    to.push_back(row_of(names[i], all[i]));
}

/// The rows of the results, and all of them together.
std::string result_table(const options& options, const results& of) {
  const auto names = row_names(options);
  std::vector<text_row> rows{with_titles({"", "sent", "answered", "errors"})};
  const bool are_several = of.parts.size() > 1;
  if (are_several) add_rows(rows, names, of.parts);
  rows.push_back(row_of(are_several ? "all" : names.front(), of.all));
  return columns(rows) + "\n";
}

/// The flows as a whole, with their first failures, which name the step; empty if there are none.
std::string flow_table(const options& options, const results& of) {
  if (of.flows.empty()) return {};
  const auto names = flow_names(options.mix);
  std::vector<text_row> rows{with_titles({"flow", "started", "completed", "failed"})};
  add_rows(rows, names, of.flows);
  auto text = columns(rows);
  for (std::size_t i = 0; i < of.flows.size(); ++i)
    for (std::size_t k = 0; k < failure_kinds; ++k)
      if (of.flows[i].failures[k] > 0)
        text +=
            fmt::format("flow        {}: {} failed, {}; the first: {}\n", names[i],
                        grouped(of.flows[i].failures[k]), kind_name(k), of.flows[i].examples[k]);
  return text + "\n";
}

double seconds_of(std::chrono::nanoseconds length) {
  return std::chrono::duration<double>{length}.count();
}

double stage_rate(const results& of, std::size_t stage) {
  return static_cast<double>(of.stages[stage].answered) / seconds_of(of.stage_shapes[stage].length);
}

std::string stage_table(const results& of) {
  if (of.stages.empty()) return {};
  std::vector<text_row> rows{with_titles({"stage", "sent", "answered", "errors"})};
  rows.front().emplace_back("answered/s");
  for (std::size_t i = 0; i < of.stages.size(); ++i) {
    rows.push_back(row_of(of.stage_shapes[i].name, of.stages[i]));
    rows.back().push_back(grouped(static_cast<std::uint64_t>(stage_rate(of, i))));
  }
  return columns(rows) + "\n";
}

std::string statuses(const tally& of) {
  std::string text;
  for (const auto& [status, count] : of.by_status)
    text += (text.empty() ? "" : ", ") + std::to_string(status) + ": " + grouped(count);
  return text.empty() ? "no replies" : text;
}

std::string late_text(const tally& all) {
  const auto& late = all.late;
  const auto delay = [&late](double percent) {
    return duration_text(static_cast<double>(late.delays.percentile_ns(percent)));
  };
  const auto why = late.count() == 0
                       ? std::string{}
                       : fmt::format(": {} because no connection was free, {} because this program "
                                     "was late",
                                     grouped(late.for_connections), grouped(late.by_generator));
  return fmt::format("{} ({}) by more than 1 ms{}; half within {}, 99 % within {}, all within {}",
                     grouped(late.count()), share(late.count(), all.sent), why, delay(50),
                     delay(99), delay(100));
}

/// The latencies without this program's own lateness; empty if that makes no difference.
std::string on_time_text(const results& of) {
  /// The difference from which on a reader would draw other conclusions.
  constexpr double telling = 1.05;
  const auto on_time = summary_of(of.on_time);
  const auto all = summary_of(of.all.latency);
  std::string text;
  bool differ = false;
  for (const auto& [name, percent, is_in_text] : reported_percentiles) {
    if (!is_in_text) continue;
    text.append(name).append(" ").append(latency_text(on_time.of(percent))).append(", ");
    differ = differ || static_cast<double>(all.of(percent)) >
                           telling * static_cast<double>(on_time.of(percent));
  }
  return differ && of.on_time.count() > 0 ? text + "without this program's own lateness" : "";
}

void write_tally(model::json_writer& json, const tally& of) {
  write(json, {{"intended", of.intended()},
               {"sent", of.sent},
               {"answered", of.answered},
               {"repeated", of.repeated}});
  json.name("by_status").object();
  for (const auto& [status, count] : of.by_status)
    write(json, {{std::to_string(status), count}});
  json.end_object().name("errors").object();
  write(json, {{"total", of.errors()}});
  for (std::size_t i = 0; i < failure_kinds; ++i)
    write(json, {{kind_name(i), of.failures[i]}});
  json.end_object().name("first_errors").object();
  for (std::size_t i = 0; i < failure_kinds; ++i)
    if (of.failures[i] > 0) write(json, {{kind_name(i), of.examples[i]}});
  json.end_object().name("latency_us").object();
  write_latencies(json, summary_of(of.latency), "");
  write(json, {in_us("mean", of.latency.mean_ns())});
  json.end_object().name("histogram").array();
  std::uint64_t before = 0;
  for (const auto& [up_to_ns, total] : of.latency.steps(histogram_joined)) {
    json.array().raw(fixed(static_cast<double>(up_to_ns) / 1e3, 3));
    json.number(total - std::exchange(before, total)).end_array();
  }
  write(json.end_array().name("late_sends").object(), {{"count", of.late.count()},
                                                       {"for_connections", of.late.for_connections},
                                                       {"by_generator", of.late.by_generator}});
  write_latencies(json, summary_of(of.late.delays));
  json.end_object();
}

/// Writes tallies as a list of objects with names.
void write_tallies(model::json_writer& json, std::string_view name,
                   const std::vector<std::string>& names, const std::vector<tally>& all) {
  json.name(name).array();
  for (std::size_t i = 0; i < all.size(); ++i) {
    write(json.object(), {{"name", names[i]}});
    write_tally(json, all[i]);
    json.end_object();
  }
  json.end_array();
}

void write_stages(model::json_writer& json, const results& of) {
  if (of.stages.empty()) return;
  json.name("stages").array();
  std::chrono::nanoseconds begins{0};
  for (std::size_t i = 0; i < of.stages.size(); ++i) {
    const auto& [name, from, to, length] = of.stage_shapes[i];
    write(json.object(), {{"name", name},
                          {"from", from, 2},
                          {"to", to, 2},
                          {"seconds", seconds_of(length), 3},
                          {"requests_per_second", stage_rate(of, i), 1},
                          {"begins", seconds_of(begins), 3}});
    begins += length;
    write_tally(json, of.stages[i]);
    json.end_object();
  }
  json.end_array();
}

void write_outcomes(model::json_writer& json, const outcomes& of) {
  write(json, {{"sent", of.sent}, {"answered", of.answered}, {"errors", of.errors()}});
  json.name("errors_by_kind").object();
  for (std::size_t i = 0; i < failure_kinds; ++i)
    if (of.failures[i] > 0) write(json, {{kind_name(i), of.failures[i]}});
  json.end_object();
}

void write_moment(model::json_writer& json, const std::vector<std::string>& names,
                  const moment& of) {
  write(json.object(),
        {{"begins", of.begins, 3}, {"seconds", of.seconds, 3}, {"measured", of.is_measured}});
  write_outcomes(json, of);
  write_latencies(json, of);
  json.name("operations").array();
  for (std::size_t i = 0; i < of.parts.size(); ++i) {
    const auto& part = of.parts[i];
    write(json.object(), {{"name", names[i]}});
    write_outcomes(json, part);
    write(json, {in_us("p99_us", static_cast<double>(percentile_ns(part.latency, 99)))});
    json.name("latency_ns_counts").array();
    for (const auto& [up_to_ns, count] : part.latency)
      json.array().number(up_to_ns).number(count).end_array();
    json.end_array().end_object();
  }
  json.end_array().end_object();
}

/// Writes what was asked for.
void write_options(model::json_writer& json, const options& options) {
  const auto& open = options.open_loop;
  write(json, {{"loop", options.replay ? "replay" : open ? kind_name(*open) : "closed"}});
  if (open) write(json, {{"rate", open->rate, 2}});
  if (options.replay) {
    write(json.name("replay").object(), {{"file", options.replay->file},
                                         {"speed", options.replay->speed, 3},
                                         {"requests", options.replay->entries.size()},
                                         {"left_out", options.replay->left_out}});
    json.end_object();
  }
  write(json, {{"connections", options.connections},
               {"threads", options.threads},
               {"ramp_seconds", seconds_of(options.ramp), 3},
               {"duration_seconds", seconds_of(options.duration), 3},
               {"timeout_ms", options.timeout.count()}});
  double sum = 0;
  for (const auto& part : options.mix)
    sum += part.weight;
  json.name("mix").array();
  for (const auto& part : options.mix) {
    write(json.object(), {{"name", part.name}, {"percent", 100 * part.weight / sum, 1}});
    json.end_object();
  }
  json.end_array();
}

} // namespace

json_member in_us(std::string_view name, double ns) {
  json_member made{name, ns / 1e3, 1};
  if (ns == 0) made.value = "null";
  return made;
}

void write(model::json_writer& json, std::initializer_list<json_member> members) {
  for (const auto& each : members) {
    json.name(each.name);
    if (each.is_text)
      json.text(each.value);
    else
      json.raw(each.value);
  }
}

void write_latencies(model::json_writer& json, const latency_summary& of, std::string_view unit) {
  for (std::size_t i = 0; i < of.ns.size(); ++i)
    write(json, {in_us(std::string{reported_percentiles[i].name}.append(unit),
                       static_cast<double>(of.ns[i]))});
}

text_row with_titles(text_row row) {
  for (const auto& each : reported_percentiles)
    if (each.is_in_text) row.emplace_back(each.name);
  return row;
}

text_row with_latencies(text_row row, const latency_summary& of) {
  for (std::size_t i = 0; i < of.ns.size(); ++i)
    if (reported_percentiles[i].is_in_text) row.push_back(latency_text(of.ns[i]));
  return row;
}

bool is_busy(const results& of) noexcept {
  return of.busiest_thread_percent > busy_percent;
}

limit limit_of(const results& of) {
  using place = limit::place;
  const auto& all = of.all;
  if (is_busy(of))
    return {place::generator,
            fmt::format("this program: its busiest thread was busy {:.0f} % of the time. Use more "
                        "--threads (and cores), or another machine.",
                        of.busiest_thread_percent)};
  if (const auto failed = all.failed(failure::local); failed > 0)
    return {place::machine,
            fmt::format("this machine: {} connections failed: {}. If ports ran out, use more "
                        "--sources; if descriptors ran out, raise ulimit -n.",
                        grouped(failed), all.examples[static_cast<std::size_t>(failure::local)])};
  const auto is_much = [&all](std::uint64_t count) {
    return static_cast<double>(count) > late_share * static_cast<double>(all.intended());
  };
  // Lost segments are not an accident of this machine, so there is no minimum number.
  if (is_much(of.resent_segments))
    return {place::network, "the network: " + grouped(of.resent_segments) +
                                " TCP segments with requests were lost and resent."};
  const auto waited = all.late.for_connections + all.failed(failure::unsent);
  const auto late = all.late.by_generator;
  if (waited > late && waited >= late_least && is_much(waited))
    return {place::connections,
            "connections: " + share(waited, all.intended()) +
                " of the requests waited for a free one. The service does not keep up with the "
                "rate, or --connections is too low."};
  if (late >= late_least && is_much(late))
    return {place::generator,
            "this program: " + share(late, all.intended()) +
                " of the requests were sent more than 1 ms late, although connections were "
                "free. Does it have its own core?"};
  return {};
}

std::string text_report(const options& options, const results& of) {
  const auto& all = of.all;
  auto text = text_headline(options, of) + "\n\n" + result_table(options, of) +
              flow_table(options, of) + stage_table(of);
  const auto line = [&text](std::string_view title, const std::string& words) {
    if (!words.empty()) text += fmt::format("{:<12}{}\n", title, words);
  };
  line("by status", statuses(all));
  line("throughput", grouped(static_cast<std::uint64_t>(of.requests_per_second())) + " replies/s");
  for (std::size_t i = 0; i < failure_kinds; ++i)
    if (all.failures[i] > 0)
      line("error", fmt::format("{}: {}; the first: {}", kind_name(i), grouped(all.failures[i]),
                                all.examples[i]));
  if (all.repeated > 0) line("repeated", grouped(all.repeated) + " times, after a 503");
  if (options.replay) line("left out", options.replay->left_out);
  if (options.open_loop || options.replay)
    line("late sends", late_text(all));
  else
    line("closed loop",
         "hides stalls: a connection that waits sends nothing. --rate measures them.");
  line("on time", on_time_text(of));
  if (of.unconnected > 0)
    line("connections",
         std::to_string(of.unconnected) + " could not be made before the load began");
  line("processor", fmt::format("{:.0f} % of a core for this program's busiest thread",
                                of.busiest_thread_percent));
  line("bottleneck", limit_of(of).reason);
  return text;
}

std::string json_report(const options& options, const results& of,
                        const std::function<void(model::json_writer&)>& add_members) {
  model::json_writer json{model::json_escapes::beyond_ascii};
  write(json.object(), {{"results_version", results_version},
                        {"url", options.url},
                        {"headline", text_headline(options, of)}});
  write_options(json, options);
  write(json, {{"began", of.began_ms},
               {"seed", options.seed},
               {"seconds", of.seconds, 3},
               {"stopped_early", of.stopped_early},
               {"requests_per_second", of.requests_per_second(), 1}});
  write_tally(json, of.all);
  write_latencies(json.name("on_time_us").object(), summary_of(of.on_time), "");
  json.end_object();
  const auto limit = limit_of(of);
  write(json.name("generator").object(), {{"cpu_percent", of.busiest_thread_percent, 1},
                                          {"resent_segments", of.resent_segments},
                                          {"bottleneck", !limit.reason.empty()},
                                          {"reason", limit.reason}});
  json.end_object();
  const auto names = row_names(options);
  write_tallies(json, "operations", names, of.parts);
  if (!of.flows.empty()) write_tallies(json, "flows", flow_names(options.mix), of.flows);
  json.name("assertions").array();
  for (const auto& each : options.asserted) {
    write(json.object(),
          {{"text", each.text}, {"holds", holds(each, of)}, {"result", explain(each, of)}});
    json.end_object();
  }
  json.end_array();
  write_stages(json, of);
  json.name("intervals").array();
  for (const auto& each : of.moments)
    write_moment(json, names, each);
  json.end_array();
  if (add_members) add_members(json);
  json.end_object();
  return json.take() + "\n";
}

} // namespace matchcloud::load
