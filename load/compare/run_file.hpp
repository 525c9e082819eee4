#pragma once

#include "base/expected.hpp"
#include "load/latency_bands.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

/// The counts of one operation in an interval of a run.
struct compared_operation {
  std::uint64_t answered = 0;
  band_counts latency;
};

struct compared_interval {
  double seconds = 0;
  std::map<std::string, compared_operation> operations;
};

/// The work of the service's event loops for its requests.
struct compared_work {
  double busy_seconds = 0;
  double requests = 0;
};

/// A run, as read from a `--json` report.
struct compared_run {
  std::string file;
  /// The options of the run, by the names of the report's members: `loop`, `rate`, `connections`.
  std::map<std::string, std::string> asked;
  std::uint64_t errors = 0;
  /// The intervals after the ramp and before the end of sending.
  std::vector<compared_interval> intervals;
  /// Empty without `--ops`.
  std::vector<compared_work> work;
};

/// With fewer measured intervals, it is unknown how much the numbers vary.
inline constexpr std::size_t least_intervals = 5;

/// Reads a report. Fails with `config_invalid` if it is not one, or has too few intervals; the
/// detail begins with the file's name.
base::expected<compared_run> parse_run(const std::string& file, std::string_view text);
/// Reads a report from a file. Also fails with `io_failed`.
base::expected<compared_run> read_run(const std::string& file);

} // namespace matchcloud::load
