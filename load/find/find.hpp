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
  /// The requested and the answered rate, in requests per second.
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
  /// Why a measurement failed, for example because the server is gone; empty if none failed.
  std::string failure;
  /// What gave way at `broken_rate`: `server`, `network`, `generator` or `machine`, and the reason
  /// in words.
  std::string gave_way;
  std::string gave_way_reason;
  /// The options and results of the last run at `kept_rate`, or of the last run if there is none.
  options shown_options;
  results shown;
};

/// Searches for the highest rate at which all of `options::promised` hold. Each measurement is a
/// run with `options::duration`; the search ends after 60 measurements or after
/// `options::find_limit`. Reports each one on stderr if that is a terminal. A signal or a failed
/// measurement ends the search. Fails like `run` if the first measurement fails. Main thread.
base::expected<found_capacity> find_capacity(const options& options, const cli::interrupt& signals);
/// As above, but measures by calling `measure` with the options of each run.
base::expected<found_capacity>
find_capacity(const options& options,
              const std::function<base::expected<results>(const load::options&)>& measure);

/// The curve as a table, the found rate and what gave way.
std::string find_report(const options& options, const found_capacity& of);
/// Writes the member `find`.
void write_find(model::json_writer& json, const options& options, const found_capacity& of);

} // namespace matchcloud::load
