#pragma once

#include "base/expected.hpp"
#include "cli/interrupt.hpp"
#include "load/options.hpp"
#include "load/results.hpp"
#include "model/json/json_writer.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace matchcloud::load {

/// One measurement of a search: a point of the curve of latency over throughput.
struct find_step {
  /// What was asked, in requests per second, and what was answered.
  double rate = 0;
  double answered_per_second = 0;
  std::uint64_t errors = 0;
  std::uint64_t p50_ns = 0;
  std::uint64_t p90_ns = 0;
  std::uint64_t p99_ns = 0;
  std::uint64_t p99_9_ns = 0;
  std::uint64_t max_ns = 0;
  bool kept = false;
  /// The assertions that did not hold, with their values; empty if all did.
  std::string broke{};
};

/// What a search for the highest rate found.
struct found_capacity {
  /// In the order of the search.
  std::vector<find_step> steps;
  /// The highest rate that kept the promise and the lowest that broke it; 0 if there is none.
  double kept_rate = 0;
  double broken_rate = 0;
  /// Why the search ended before the interval was narrow; empty if it was.
  std::string cut_short;
  /// Why no further measurement could be made, as where the server is gone; empty if none failed.
  std::string failure;
  /// What gave way at `broken_rate`: `server`, `network`, `generator` or `machine`, and in words.
  std::string gave_way;
  std::string gave_way_reason;
  /// The options and results of the last run at `kept_rate`, or of the last run if there is none.
  options shown_options;
  results shown;
};

/// Searches the highest rate at which all of `options::promised` hold. Each measurement is a run
/// with `options::duration`; the search ends after 60 of them or after `options::find_limit`.
/// Reports each on stderr if that is a terminal. A signal ends the search, and so does a
/// measurement that cannot be made. Fails like `run` where that is the first. Main thread.
base::expected<found_capacity> find_capacity(const options& options, const cli::interrupt& signals);
/// The same with another way to measure, which is called with the options of each run.
base::expected<found_capacity>
find_capacity(const options& options,
              const std::function<base::expected<results>(const load::options&)>& measure);

/// What was found, in one line.
std::string find_verdict(const options& options, const found_capacity& of);
/// The curve as a table, the rate that was found and what gave way.
std::string find_report(const options& options, const found_capacity& of);
/// Writes the member `find`.
void write_find(model::json_writer& json, const options& options, const found_capacity& of);

} // namespace matchcloud::load
