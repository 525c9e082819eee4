#include "load/find/find.hpp"

#include "base/clock.hpp"
#include "load/duration.hpp"
#include "load/find/capacity_search.hpp"
#include "load/report.hpp"
#include "load/run.hpp"
#include "load/text/table.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <iostream>
#include <map>
#include <tuple>
#include <utility>

namespace matchcloud::load {

namespace {

constexpr double default_start = 1'000;

std::string what_broke(const options& of, const results& by) {
  std::string text;
  for (const auto& each : of.promised)
    if (!holds(each, by)) text += (text.empty() ? "" : ", ") + explain(each, by);
  return text;
}

find_step step_of(const options& with, const results& of) {
  const auto& latency = of.all.latency;
  find_step made;
  made.rate = with.open_loop->rate;
  made.answered_per_second = of.requests_per_second();
  made.errors = of.all.errors();
  made.p50_ns = latency.percentile_ns(50);
  made.p90_ns = latency.percentile_ns(90);
  made.p99_ns = latency.percentile_ns(99);
  made.p99_9_ns = latency.percentile_ns(99.9);
  made.max_ns = latency.max_ns();
  made.broke = what_broke(with, of);
  made.kept = made.broke.empty();
  return made;
}

std::string ns_text(std::uint64_t ns) {
  return latency_text(static_cast<double>(ns));
}

/// Shows a step on a terminal.
void show(std::size_t number, const find_step& of) {
  if (::isatty(STDERR_FILENO) == 0) return;
  std::cerr << "step " << number << ": " << rate_text(of.rate) << "/s "
            << (of.kept ? "kept" : "broken: " + of.broke) << ", p50 " << ns_text(of.p50_ns)
            << ", p99 " << ns_text(of.p99_ns) << std::endl;
}

struct blame {
  std::string on;
  std::string reason;
};

std::string with_capital(std::string text) {
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

/// Whether this program's own delay is most of the latency of the slowest requests.
bool explains_latency(const late_sends& late, const latency_histogram& latency) {
  return 2 * late.delays.percentile_ns(99) >= latency.percentile_ns(99);
}

/// The component that gave way in a run that broke the promise.
blame blame_for(const find_step& step, const results& of) {
  const auto limit = limit_of(of);
  blame made{"server", step.broke};
  switch (limit.of) {
  case limit::place::generator:
    if (is_busy(of) || explains_latency(of.all.late, of.all.latency)) made.on = "generator";
    break;
  case limit::place::machine: made.on = "machine"; break;
  case limit::place::network: made.on = "network"; break;
  case limit::place::connections:
  case limit::place::none: break;
  }
  if (limit.of != limit::place::none) made.reason += ". " + with_capital(limit.reason);
  return made;
}

using measurement = std::function<base::expected<results>(const options&)>;

/// A search in progress, with the outcome of its runs by rate.
class search_run {
public:
  explicit search_run(const options& of) : options_{&of}, search_{limits_for(of)} {}

  base::expected<found_capacity> run(const measurement& measure) {
    const auto& clock = base::machine_clock();
    const auto until = clock.now() + options_->find_limit;
    while (const auto rate = search_.next()) {
      auto with = *options_;
      with.open_loop->rate = *rate;
      // With random arrivals, a repeated measurement must not repeat the same bursts.
      with.seed = options_->seed + made_.steps.size();
      auto measured = measure(with);
      if (!measured && made_.steps.empty()) return tl::unexpected(measured.error());
      if (!measured) {
        made_.failure = measured.error().detail;
        made_.cut_short = "the next measurement failed: " + made_.failure;
        break;
      }
      if (measured->stopped_early) {
        made_.cut_short = "a signal ended the search";
        break;
      }
      note(with, *std::move(measured));
      if (clock.now() >= until && search_.next()) {
        made_.cut_short = "--find-limit was reached";
        break;
      }
    }
    complete();
    return std::move(made_);
  }

private:
  static capacity_search::limits limits_for(const options& of) {
    capacity_search::limits limits;
    limits.start = of.open_loop->rate > 0 ? of.open_loop->rate : default_start;
    return limits;
  }

  void note(const options& with, results measured) {
    const auto step = step_of(with, measured);
    made_.steps.push_back(step);
    show(made_.steps.size(), step);
    search_.note(step.kept);
    if (!step.kept) blames_[step.rate] = blame_for(step, measured);
    if (step.kept || runs_.empty())
      runs_.insert_or_assign(step.rate, std::pair{with, std::move(measured)});
  }

  void complete() {
    made_.kept_rate = search_.kept();
    made_.broken_rate = search_.broken();
    if (made_.cut_short.empty() && !search_.is_narrow() && made_.kept_rate > 0)
      made_.cut_short = made_.broken_rate == 0 ? "the highest possible rate was reached"
                                               : "the limit of 60 measurements was reached";
    if (const auto found = blames_.find(made_.broken_rate); found != blames_.end())
      std::tie(made_.gave_way, made_.gave_way_reason) =
          std::tie(found->second.on, found->second.reason);
    auto shown = runs_.find(made_.kept_rate);
    if (shown == runs_.end()) shown = runs_.begin();
    if (shown != runs_.end())
      std::tie(made_.shown_options, made_.shown) =
          std::tie(shown->second.first, shown->second.second);
  }

  const options* options_;
  capacity_search search_;
  found_capacity made_;
  std::map<double, blame> blames_;
  /// The last run at each rate that kept the promise, and the first run of all.
  std::map<double, std::pair<options, results>> runs_;
};

/// The points in ascending order of their rates.
std::vector<find_step> curve_of(const found_capacity& of) {
  auto steps = of.steps;
  std::ranges::stable_sort(steps, {}, &find_step::rate);
  return steps;
}

std::string promise_text(const options& of) {
  std::string text;
  for (const auto& each : of.promised)
    text += (text.empty() ? "" : ", ") + each.text;
  return text;
}

/// The result in one line.
std::string find_verdict(const options& options, const found_capacity& of) {
  const auto promise = promise_text(options);
  if (of.steps.empty()) return "nothing was measured";
  if (of.kept_rate == 0)
    return "no rate kept " + promise + ", down to " + rate_text(of.broken_rate) + "/s";
  auto text = rate_text(of.kept_rate) + "/s keeps " + promise;
  if (of.broken_rate > 0) text += "; " + rate_text(of.broken_rate) + "/s does not";
  return text;
}

} // namespace

base::expected<found_capacity> find_capacity(const options& options,
                                             const cli::interrupt& signals) {
  return find_capacity(options,
                       [&signals](const load::options& with) { return run(with, signals); });
}

base::expected<found_capacity>
find_capacity(const options& options,
              const std::function<base::expected<results>(const load::options&)>& measure) {
  return search_run{options}.run(measure);
}

std::string find_report(const options& options, const found_capacity& of) {
  std::vector<std::vector<std::string>> rows{
      {"rate/s", "answered/s", "errors", "p50", "p90", "p99", "p99.9", "max", "promise"}};
  for (const auto& each : curve_of(of))
    rows.push_back({rate_text(each.rate), rate_text(each.answered_per_second), grouped(each.errors),
                    ns_text(each.p50_ns), ns_text(each.p90_ns), ns_text(each.p99_ns),
                    ns_text(each.p99_9_ns), ns_text(each.max_ns), each.kept ? "kept" : "broken"});
  std::string text = "\n" + columns(rows) + "\nfound       " + find_verdict(options, of) + "\n";
  if (!of.cut_short.empty()) text += "cut short   " + of.cut_short + "\n";
  if (!of.gave_way.empty() && of.broken_rate > 0)
    text += "gave way    the " + of.gave_way + ": " + of.gave_way_reason + "\n";
  return text;
}

void write_find(model::json_writer& json, const options& options, const found_capacity& of) {
  json.name("find").object().name("promise").text(promise_text(options));
  json.name("verdict").text(find_verdict(options, of));
  json.name("rate").raw(fixed(of.kept_rate, 2));
  json.name("broken_rate").raw(fixed(of.broken_rate, 2));
  json.name("cut_short").text(of.cut_short);
  json.name("gave_way").text(of.gave_way).name("reason").text(of.gave_way_reason);
  json.name("curve").array();
  for (const auto& each : curve_of(of)) {
    json.object().name("rate").raw(fixed(each.rate, 2));
    json.name("answered_per_second").raw(fixed(each.answered_per_second, 1));
    json.name("errors").number(each.errors);
    for (const auto& [name, ns] :
         {std::pair{"p50_us", each.p50_ns}, std::pair{"p90_us", each.p90_ns},
          std::pair{"p99_us", each.p99_ns}, std::pair{"p99.9_us", each.p99_9_ns},
          std::pair{"max_us", each.max_ns}})
      write_us(json, name, static_cast<double>(ns));
    json.name("kept").boolean(each.kept).name("broke").text(each.broke).end_object();
  }
  json.end_array().end_object();
}

} // namespace matchcloud::load
