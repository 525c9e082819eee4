#include "load/report.hpp"

#include "model/text/counts.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>
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
  return fixed(whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole), 2) +
         " %";
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
  if (options.replay) return options.replay->rows();
  std::vector<std::string> names;
  for (const auto& row : rows_of(options.mix))
    names.push_back(row.name());
  return names;
}

/// A run in one line: `http://127.0.0.1:8080: 500 requests/s (poisson) for 1.0 s, ..`.
std::string text_headline(const options& options, const results& of) {
  std::ostringstream text;
  const auto& open = options.open_loop;
  text << options.url << ": ";
  if (options.replay)
    text << grouped(options.replay->entries().size()) << " requests of " << options.replay->file()
         << " at " << fixed(options.replay->speed(), 2) << " times its speed";
  else if (open && !open->stages.empty())
    text << open->stages.size() << " stages up to " << fixed(open->rate, 0) << " requests/s ("
         << kind_name(*open) << ")";
  else if (open)
    text << fixed(open->rate, open->rate < 10 ? 2 : 0) << " requests/s (" << kind_name(*open)
         << ")";
  else
    text << "closed loop";
  text << " for " << fixed(of.seconds, 1) << " s" << (of.stopped_early ? " (stopped early)" : "")
       << ", " << model::counted(options.connections, "connection") << ", "
       << model::counted(options.threads, "thread");
  return text.str();
}

/// The rows of the results, and all of them together.
std::string result_table(const options& options, const results& of) {
  const auto names = row_names(options);
  std::vector<text_row> rows{with_titles({"", "sent", "answered", "errors"})};
  const bool are_several = of.parts.size() > 1;
  for (std::size_t i = 0; i < of.parts.size() && are_several; ++i)
    rows.push_back(row_of(names[i], of.parts[i]));
  rows.push_back(row_of(are_several ? "all" : names.front(), of.all));
  return columns(rows) + "\n";
}

/// The flows as a whole, with their first failures; empty if there are none.
std::string flow_table(const options& options, const results& of) {
  if (of.flows.empty()) return {};
  const auto names = flow_names(options.mix);
  std::vector<text_row> rows{with_titles({"flow", "started", "completed", "failed"})};
  std::string failures;
  for (std::size_t i = 0; i < of.flows.size(); ++i) {
    rows.push_back(row_of(names[i], of.flows[i]));
    for (std::size_t k = 0; k < failure_kinds; ++k)
      if (of.flows[i].failures[k] > 0)
        failures += "flow        " + names[i] + ": " + grouped(of.flows[i].failures[k]) +
                    " failed, " + std::string{kind_name(k)} +
                    "; the first: " + of.flows[i].examples[k] + "\n";
  }
  return columns(rows) + failures + "\n";
}

std::string stage_table(const std::vector<stage_results>& stages) {
  if (stages.empty()) return {};
  std::vector<text_row> rows{with_titles({"stage", "sent", "answered", "errors"})};
  rows.front().emplace_back("answered/s");
  for (const auto& each : stages) {
    rows.push_back(row_of(each.which.name, each.all));
    rows.back().push_back(grouped(static_cast<std::uint64_t>(each.requests_per_second())));
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
  auto text = grouped(late.count()) + " (" + share(late.count(), all.sent) + ") by more than 1 ms";
  if (late.count() > 0)
    text += ": " + grouped(late.for_connections) + " because no connection was free, " +
            grouped(late.by_generator) + " because this program was late";
  const auto delay = [&late](double percent) {
    return duration_text(static_cast<double>(late.delays.percentile_ns(percent)));
  };
  return text + "; half within " + delay(50) + ", 99 % within " + delay(99) + ", all within " +
         delay(100);
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

double seconds_of(std::chrono::nanoseconds length) {
  return std::chrono::duration<double>{length}.count();
}

void write_stages(model::json_writer& json, const std::vector<stage_results>& stages) {
  if (stages.empty()) return;
  json.name("stages").array();
  std::chrono::nanoseconds begins{0};
  for (const auto& each : stages) {
    write(json.object(), {{"name", each.which.name},
                          {"from", each.which.from, 2},
                          {"to", each.which.to, 2},
                          {"seconds", seconds_of(each.which.length), 3},
                          {"requests_per_second", each.requests_per_second(), 1},
                          {"begins", seconds_of(begins), 3}});
    begins += each.which.length;
    write_tally(json, each.all);
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
    write(json.name("replay").object(), {{"file", options.replay->file()},
                                         {"speed", options.replay->speed(), 3},
                                         {"requests", options.replay->entries().size()},
                                         {"left_out", options.replay->left_out()}});
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

std::string text_report(const options& options, const results& of) {
  const auto& all = of.all;
  std::ostringstream text;
  text << text_headline(options, of) << "\n\n"
       << result_table(options, of) << flow_table(options, of) << stage_table(of.stages)
       << "by status   " << statuses(all) << "\n"
       << "throughput  " << grouped(static_cast<std::uint64_t>(of.requests_per_second()))
       << " replies/s\n";
  for (std::size_t i = 0; i < failure_kinds; ++i)
    if (all.failures[i] > 0)
      text << "error       " << kind_name(i) << ": " << grouped(all.failures[i])
           << "; the first: " << all.examples[i] << "\n";
  if (all.repeated > 0) text << "repeated    " << grouped(all.repeated) << " times, after a 503\n";
  if (options.replay && !options.replay->left_out().empty())
    text << "left out    " << options.replay->left_out() << "\n";
  if (options.open_loop || options.replay)
    text << "late sends  " << late_text(all) << "\n";
  else
    text << "closed loop hides stalls: whoever waits sends nothing. --rate measures them.\n";
  if (const auto latencies = on_time_text(of); !latencies.empty())
    text << "on time     " << latencies << "\n";
  if (of.unconnected > 0)
    text << "connections " << of.unconnected << " could not be made before the load began\n";
  text << "processor   " << fixed(of.busiest_thread_percent, 0)
       << " % of a core for this program's busiest thread\n";
  if (const auto limit = limit_of(of); !limit.reason.empty())
    text << "bottleneck  " << limit.reason << "\n";
  return text.str();
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
  write_stages(json, of.stages);
  json.name("intervals").array();
  for (const auto& each : of.moments)
    write_moment(json, names, each);
  json.end_array();
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
