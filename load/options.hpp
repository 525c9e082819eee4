#pragma once

#include "base/expected.hpp"
#include "load/arrivals.hpp"
#include "load/assertion.hpp"
#include "load/mix.hpp"
#include "load/replay/replay_log.hpp"
#include "load/stages.hpp"

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
  /// The arrivals of an open loop; nothing in a closed loop.
  std::optional<arrivals::shape> open_loop;
  std::chrono::nanoseconds ramp{0};
  std::chrono::nanoseconds duration{std::chrono::seconds{10}};
  std::size_t connections = 64;
  std::size_t threads = 1;
  std::uint64_t requests_per_connection = 0;
  std::chrono::milliseconds timeout{10'000};
  /// For how long, from when it was meant to be sent, a request that gets 503 is sent again.
  std::chrono::milliseconds repeat_503{0};
  /// The number of addresses of 127.1.0.0/16 to connect from; 0: the kernel chooses the address.
  std::size_t sources = 0;
  std::uint64_t seed = 1;
  /// What is asked; empty if a log is replayed.
  std::vector<mix_part> mix;
  /// The log that is replayed in place of an open loop; null: none is.
  std::shared_ptr<const replay_log> replay;
  std::vector<std::string> header_lines;
  /// Bearer tokens: connection i uses token i, counted in a circle. Empty: requests have none.
  std::vector<std::string> tokens;
  /// The authorities to trust, a PEM file; empty: the system's.
  std::string ca_file;
  /// Whether new connections resume the TLS session of an earlier one of their thread.
  bool resumes_sessions = false;
  /// The files for the reports; empty: no report. `-` is stdout.
  std::string json;
  std::string hdr;
  std::string report;
  /// The service's ops plane, which reports show too; empty: they do not. `ops_token_file` has the
  /// bearer token for it; empty: the environment's, if any.
  std::string ops_url;
  std::string ops_token_file;
  std::vector<assertion> asserted;
  /// The two reports to compare in place of a run; empty: there is a run.
  std::vector<std::string> compared;
  /// The difference between two runs that does not matter, as a part of what is measured.
  double tolerance = 0.05;
  /// What the highest rate is searched for: the rate must keep all of these. Empty: no search.
  std::vector<assertion> promised;
  /// How long the search may take, to the end of its last measurement.
  std::chrono::nanoseconds find_limit{std::chrono::minutes{20}};
};

inline constexpr std::size_t connections_limit = 100'000;
inline constexpr std::size_t threads_limit = 64;
inline constexpr std::size_t sources_limit = 60'000;

/// Reads the command line. Returns the options, or the exit code to end with after what was wrong,
/// or the help, has been printed.
tl::expected<options, int> read_options(int argc, char* argv[]);

} // namespace matchcloud::load
