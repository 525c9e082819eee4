#pragma once

#include "base/expected.hpp"
#include "load/arrivals.hpp"
#include "load/assertion.hpp"
#include "load/mix.hpp"
#include "load/replay.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

/// The options of one run of matchcloud-load.
struct options {
  std::string url;
  /// The arrivals of an open loop; empty in a closed loop.
  std::optional<arrivals::shape> open_loop;
  std::chrono::nanoseconds ramp{0};
  std::chrono::nanoseconds duration{std::chrono::seconds{10}};
  std::size_t connections = 64;
  std::size_t threads = 1;
  std::uint64_t requests_per_connection = 0;
  std::chrono::milliseconds timeout{10'000};
  /// How long after its due time a request that gets 503 is sent again.
  std::chrono::milliseconds repeat_503{0};
  /// The number of addresses of 127.1.0.0/16 to connect from; 0: the kernel chooses the address.
  std::size_t sources = 0;
  std::uint64_t seed = 1;
  /// The requests to send; empty if a log is replayed.
  std::vector<mix_part> mix;
  /// The log to replay instead of an open loop; null: no replay.
  std::shared_ptr<const replay_log> replay;
  std::vector<std::string> header_lines;
  /// Bearer tokens: connection i uses token i, wrapping around at the end. If empty, requests have
  /// no token.
  std::vector<std::string> tokens;
  /// A PEM file with the authorities to trust; if empty, the system's.
  std::string ca_file;
  /// Whether new connections resume the TLS session of an earlier one of their thread.
  bool resumes_sessions = false;
  /// The files for the reports; if empty, no report. `-` is stdout.
  std::string json;
  std::string report;
  /// The service's ops plane, whose view is added to reports; if empty, it is not. `ops_token_file`
  /// has the bearer token for it; if empty, the token in the environment is used, if any.
  std::string ops_url;
  std::string ops_token_file;
  std::vector<assertion> asserted;
  /// The two reports to compare instead of a run; empty for a run.
  std::vector<std::string> compared;
  /// The difference between two runs to ignore, as a fraction of the measured value.
  double tolerance = 0.05;
  /// The assertions for the search for the highest rate, which must keep all of them. If empty, no
  /// search.
  std::vector<assertion> promised;
  /// The longest time for the search, to the end of its last measurement.
  std::chrono::nanoseconds find_limit{std::chrono::minutes{20}};
};

inline constexpr std::size_t connections_limit = 100'000;
inline constexpr std::size_t threads_limit = 64;
inline constexpr std::size_t sources_limit = 60'000;

/// Reads the command line. Returns the options, or the exit code after printing the help or what is
/// wrong.
tl::expected<options, int> read_options(int argc, char* argv[]);

} // namespace matchcloud::load
