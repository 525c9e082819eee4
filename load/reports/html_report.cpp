#include "load/reports/html_report.hpp"

#include "load/charts/page.hpp"
#include "load/charts/svg.hpp"
#include "load/duration.hpp"
#include "load/report.hpp"
#include "load/reports/run_charts.hpp"
#include "load/reports/time_frame.hpp"
#include "load/text/table.hpp"

#include <array>
#include <ctime>
#include <utility>
#include <vector>

namespace matchcloud::load {

namespace {

/// Up to this number of intervals are shown open; more are folded.
constexpr std::size_t open_rows = 40;

std::string utc_text(std::int64_t unix_ms) {
  const std::time_t seconds = unix_ms / 1'000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text.data();
}

std::string tile(const std::string& value, const std::string& name) {
  return "<div><b>" + escaped(value) + "</b><span>" + escaped(name) + "</span></div>\n";
}

std::string tiles(const report_subject& about) {
  const auto& all = about.of->all;
  std::string made = "<div class=\"tiles\">\n";
  if (about.found != nullptr)
    made += tile(grouped(static_cast<std::uint64_t>(about.found->kept_rate)) + "/s", "found");
  made +=
      tile(grouped(static_cast<std::uint64_t>(about.of->requests_per_second())) + "/s", "replies");
  made += tile(grouped(all.answered), "answered");
  made += tile(grouped(all.errors()), "errors");
  for (const auto& [name, percent] :
       {std::pair{"p50", 50.0}, std::pair{"p99", 99.0}, std::pair{"p99.9", 99.9}})
    made += tile(latency_text(all.latency.percentile_ns(percent)), name);
  made += tile(latency_text(all.latency.max_ns()), "longest");
  return made + "</div>\n";
}

std::string notes(const report_subject& about) {
  std::string made = "<ul class=\"notes\">\n";
  if (about.of->stopped_early) made += "<li class=\"bad\">A signal ended the run early.</li>\n";
  for (const auto& each : about.asked->asserted) {
    const bool good = holds(each, *about.of);
    made += std::string{"<li class=\""} + (good ? "good" : "bad") + "\">" +
            (good ? "Holds: " : "Does not hold: ") + escaped(explain(each, *about.of)) + "</li>\n";
  }
  if (const auto limit = bottleneck(*about.of); !limit.empty())
    made += "<li class=\"bad\">Bottleneck: " + escaped(limit) + "</li>\n";
  return made + "</ul>\n";
}

std::string loop_text(const options& of) {
  if (of.replay) return "open, at the times of a log";
  if (!of.open_loop) return "closed: each connection sends when its reply has arrived";
  const auto kind = of.open_loop->kind == arrival_kind::poisson ? "poisson" : "constant";
  return std::string{"open, "} + kind + " arrivals";
}

std::string rates_text(const options& of) {
  if (of.replay) return fixed(of.replay->speed(), 2) + " times the rate of the log";
  if (!of.open_loop) return "as fast as replies arrive";
  std::string made;
  for (const auto& each : of.open_loop->stages)
    made += (made.empty() ? "" : ", ") + each.name;
  return made.empty() ? fixed(of.open_loop->rate, of.open_loop->rate < 10 ? 2 : 0) + "/s" : made;
}

std::string mix_text(const options& of) {
  if (of.replay)
    return grouped(of.replay->entries().size()) + " requests of " + of.replay->file() +
           (of.replay->left_out().empty() ? "" : "; left out: " + of.replay->left_out());
  double sum = 0;
  for (const auto& part : of.mix)
    sum += part.weight;
  std::string made;
  for (const auto& part : of.mix)
    made +=
        (made.empty() ? "" : ", ") + name_of(part) + " " + fixed(100 * part.weight / sum, 1) + " %";
  return made;
}

std::string configuration_part(const report_subject& about) {
  const auto& asked = *about.asked;
  const std::vector<std::vector<std::string>> run{
      {"URL", asked.url},
      {"loop", loop_text(asked)},
      {"rate", rates_text(asked)},
      {"duration", latency_text(static_cast<std::uint64_t>(asked.duration.count()))},
      {"ramp", asked.ramp.count() == 0
                   ? "none"
                   : latency_text(static_cast<std::uint64_t>(asked.ramp.count()))},
      {"mix", mix_text(asked)},
      {"connections", grouped(asked.connections)},
      {"threads", grouped(asked.threads)},
      {"timeout", std::to_string(asked.timeout.count()) + " ms"},
      {"seed", std::to_string(asked.seed)},
  };
  const auto& late = about.of->all.late;
  const std::vector<std::vector<std::string>> machine{
      {"host", about.on.host},
      {"processor", about.on.processor},
      {"cores", std::to_string(about.on.cores)},
      {"kernel", about.on.kernel},
      {"matchcloud-load", about.on.version},
      {"busiest thread", fixed(about.of->busiest_thread_percent, 0) + " % of a core"},
      {"late sends", grouped(late.count()) + " by more than 1 ms: " +
                         grouped(late.for_connections) + " because no connection was free, " +
                         grouped(late.by_generator) + " because this program was late"},
      {"lost TCP segments", grouped(about.of->resent_segments)},
  };
  return html_part("The run", html_facts(run),
                   "<figcaption>The machine that sent the load</figcaption>" + html_facts(machine));
}

std::string intervals_part(const results& of) {
  std::vector<std::vector<std::string>> rows{
      {"until, s", "sent", "answered", "errors", "p50", "p90", "p99", "p99.9", "longest"}};
  for (const auto& each : of.moments)
    rows.push_back({fixed(each.seconds, 1) + (each.is_measured ? "" : " *"), grouped(each.sent),
                    grouped(each.answered), grouped(each.errors), latency_text(each.p50_ns),
                    latency_text(each.p90_ns), latency_text(each.p99_ns),
                    latency_text(each.p99_9_ns), latency_text(each.max_ns)});
  const std::string open = of.moments.size() <= open_rows ? " open" : "";
  return html_part("Intervals",
                   "<details" + open + "><summary>" + grouped(of.moments.size()) +
                       " intervals</summary>\n<p class=\"pale\">* in the ramp, or after the end "
                       "of sending</p>\n" +
                       html_table(rows) + "</details>\n",
                   "");
}

} // namespace

std::string html_report(const report_subject& about) {
  const auto headline = text_headline(*about.asked, *about.of);
  std::string body = "<header><h1>Load on " + escaped(about.asked->url) +
                     "</h1>\n<p class=\"pale\">" + escaped(utc_text(about.of->began_ms)) +
                     " &middot; " + escaped(headline.substr(about.asked->url.size() + 2)) +
                     "</p></header>\n";
  body += tiles(about) + notes(about);
  body += curve_part(about) + percentiles_part(about) + heat_part(about) + throughput_part(about);
  body += operations_part(about) + flows_part(about) + service_part(about);
  body += configuration_part(about) + intervals_part(*about.of);
  return html_page("Load on " + about.asked->url, body);
}

} // namespace matchcloud::load
