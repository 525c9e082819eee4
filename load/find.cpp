#include "load/find.hpp"

#include "base/clock.hpp"
#include "base/failure.hpp"
#include "load/report.hpp"

#include "load/text.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
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
  find_step made{summary_of(of.all.latency)};
  made.rate = with.open_loop->rate;
  made.answered_per_second = of.requests_per_second();
  made.errors = of.all.errors();
  made.broke = what_broke(with, of);
  made.kept = made.broke.empty();
  return made;
}

/// Shows a step on a terminal.
void show(std::size_t number, const find_step& of) {
  if (::isatty(STDERR_FILENO) == 0) return;
  std::cerr << "step " << number << ": " << rate_text(of.rate) << "/s "
            << (of.kept ? "kept" : "broken: " + of.broke) << ", p50 " << latency_text(of.of(50))
            << ", p99 " << latency_text(of.of(99)) << std::endl;
}

std::string with_capital(std::string text) {
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

/// Whether this program's own delay is most of the latency of the slowest requests.
bool explains_latency(const late_sends& late, const latency_histogram& latency) {
  return 2 * late.delays.percentile_ns(99) >= latency.percentile_ns(99);
}

/// Names what gave way in a run that broke the promise, and why.
void name_culprit(find_step& of, const results& by) {
  const auto limit = limit_of(by);
  const auto& late = by.all.late;
  of.gave_way = "server";
  of.gave_way_reason = of.broke;
  if (limit.of == limit::place::generator &&
      (is_busy(by) || 10 * late.by_generator > by.all.intended() ||
       explains_latency(late, by.all.latency)))
    of.gave_way = "generator";
  if (limit.of == limit::place::machine) of.gave_way = "machine";
  if (limit.of == limit::place::network) of.gave_way = "network";
  if (limit.of != limit::place::none) of.gave_way_reason += ". " + with_capital(limit.reason);
}

/// A search in progress, with the outcome of its runs by rate.
class search_run {
public:
  explicit search_run(const options& of) : options_{&of}, search_{limits_for(of)} {}

  found_capacity run(const std::function<results(const options&)>& measure) {
    const auto& clock = base::machine_clock();
    const auto until = clock.now() + options_->find_limit;
    while (const auto rate = search_.next()) {
      auto with = *options_;
      with.open_loop->rate = *rate;
      // With random arrivals, a repeated measurement must not repeat the same bursts.
      with.seed = options_->seed + made_.steps.size();
      auto measured = base::attempt([&] { return measure(with); });
      if (!measured && made_.steps.empty()) throw base::failure{measured.error()};
      if (!measured) {
        made_.problem = measured.error().detail;
        made_.cut_short = "the next measurement failed: " + made_.problem;
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
    auto step = step_of(with, measured);
    if (!step.kept) name_culprit(step, measured);
    made_.steps.push_back(step);
    show(made_.steps.size(), step);
    search_.note(step.kept);

    if (step.kept || runs_.empty())
      runs_.insert_or_assign(step.rate, std::pair{with, std::move(measured)});
  }

  void complete() {
    made_.kept_rate = search_.kept();
    made_.broken_rate = search_.broken();
    if (made_.cut_short.empty() && !search_.is_narrow() && made_.kept_rate > 0)
      made_.cut_short = made_.broken_rate == 0 ? "the highest possible rate was reached"
                                               : "the limit of 60 measurements was reached";
    for (const auto& step : made_.steps)
      if (!step.kept && step.rate == made_.broken_rate)
        std::tie(made_.gave_way, made_.gave_way_reason) =
            std::tie(step.gave_way, step.gave_way_reason);
    auto shown = runs_.find(made_.kept_rate);
    if (shown == runs_.end()) shown = runs_.begin();
    if (shown != runs_.end())
      std::tie(made_.shown_options, made_.shown) =
          std::tie(shown->second.first, shown->second.second);
    made_.doubt = doubt();
    if (!made_.problem.empty()) return;
    if (made_.kept_rate == 0)
      made_.problem = "no rate was found that keeps the promise of --find";
    else if (!made_.doubt.empty())
      made_.problem = "--find cannot tell: " + made_.doubt;
  }

  /// Why the found rate may say nothing about the server; empty if nothing suggests that.
  std::string doubt() const {
    if (made_.broken_rate > 0 && (made_.gave_way == "generator" || made_.gave_way == "machine"))
      return "the " + made_.gave_way + " gave way before the server";
    // Far above the noise of a single measurement.
    constexpr double far = 1.5;
    for (const auto& step : made_.steps)
      if (made_.broken_rate > 0 && step.kept && step.rate > far * made_.broken_rate)
        return rate_text(step.rate) + "/s kept the promise that " + rate_text(made_.broken_rate) +
               "/s broke";
    for (const auto& each : options_->promised)
      if (const auto percent = percentile_of(each);
          percent && *percent < 100 && made_.kept_rate > 0 &&
          static_cast<double>(made_.shown.all.latency.count()) * (100 - *percent) < 100)
        return "too few requests for " + each.name + "; use a longer --duration";
    return {};
  }

  const options* options_;
  capacity_search search_;
  found_capacity made_;

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
  return of.doubt.empty() ? text : "cannot tell: " + of.doubt + " (" + text + ")";
}

} // namespace

found_capacity find_capacity(const options& options,
                             const std::function<results(const load::options&)>& measure) {
  return search_run{options}.run(measure);
}

std::string find_report(const options& options, const found_capacity& of) {
  std::vector<text_row> rows{with_titles({"rate/s", "answered/s", "errors"})};
  rows.front().emplace_back("promise");
  for (const auto& each : curve_of(of)) {
    rows.push_back(with_latencies(
        {rate_text(each.rate), rate_text(each.answered_per_second), grouped(each.errors)}, each));
    rows.back().emplace_back(each.kept ? "kept" : "broken");
  }
  std::string text = "\n" + columns(rows) + "\nfound       " + find_verdict(options, of) + "\n";
  if (!of.cut_short.empty()) text += "cut short   " + of.cut_short + "\n";
  if (!of.gave_way.empty() && of.broken_rate > 0)
    text += "gave way    the " + of.gave_way + ": " + of.gave_way_reason + "\n";
  return text;
}

void write_find(model::json_writer& json, const options& options, const found_capacity& of) {
  write(json.name("find").object(), {{"promise", promise_text(options)},
                                     {"verdict", find_verdict(options, of)},
                                     {"rate", of.kept_rate, 2},
                                     {"broken_rate", of.broken_rate, 2},
                                     {"cut_short", of.cut_short},
                                     {"gave_way", of.gave_way},
                                     {"reason", of.gave_way_reason}});
  json.name("curve").array();
  for (const auto& each : curve_of(of)) {
    write(json.object(), {{"rate", each.rate, 2},
                          {"answered_per_second", each.answered_per_second, 1},
                          {"errors", each.errors}});
    write_latencies(json, each);
    write(json, {{"kept", each.kept}, {"broke", each.broke}});
    json.end_object();
  }
  json.end_array().end_object();
}

} // namespace matchcloud::load
