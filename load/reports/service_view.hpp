#pragma once

#include "base/expected.hpp"
#include "cli/interrupt.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

/// A service's data on a span of time: one point of `GET /v1/history`.
struct service_point {
  /// In seconds since the load began.
  double begins = 0;
  double ends = 0;
  std::uint64_t requests = 0;
  std::uint64_t answers_5xx = 0;
  std::uint64_t p50_ns = 0;
  std::uint64_t p99_ns = 0;
  std::uint64_t max_ns = 0;
  /// The fraction of the time that each event loop of the data plane worked, 0 to 1.
  std::vector<double> busy;
  /// Counts of events, by the service's names: `shed`, `actor_restarts`.
  std::map<std::string, std::uint64_t> counts;
};

struct service_view {
  std::vector<service_point> points;
  /// The number of faults injected during the run.
  std::uint64_t faults = 0;
  /// The JSON response of the service.
  std::string history;
};

/// Reads the response to `GET /v1/history`. `began_ms`: when the load began, in milliseconds since
/// 1970. Fails with `io_failed`.
base::expected<service_view> parse_history(std::string_view answer, std::int64_t began_ms);

/// Queries the ops plane of the service under load. Main thread.
class service_watch {
public:
  /// `token_file`: a file with the bearer token to send; if empty, the token in the environment is
  /// used, if any. `ca_file`: as for the load. Queries the service at once, so that a wrong URL is
  /// reported before the load. Fails with `config_invalid` or `io_failed`.
  static base::expected<service_watch> open(const std::string& url, const std::string& token_file,
                                            const std::string& ca_file);

  /// The history from `began_ms` on, `seconds` long. Waits until the service has recorded all of
  /// it, but at most 3 s or until a signal. Fails with `io_failed`.
  base::expected<service_view> view(std::int64_t began_ms, double seconds,
                                    const cli::interrupt& signals) const;

private:
  base::expected<std::string> ask(const std::string& path) const;
  std::uint64_t injected_faults() const;

  std::string url_;
  std::string token_;
  std::string ca_file_;
  std::uint64_t faults_before_ = 0;
};

} // namespace matchcloud::load
