#pragma once

#include "base/expected.hpp"
#include "cli/interrupt.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

/// What a service says of a span of time: a point of `GET /v1/history`.
struct service_point {
  /// In seconds since the load began.
  double begins = 0;
  double ends = 0;
  std::uint64_t requests = 0;
  std::uint64_t answers_5xx = 0;
  std::uint64_t p50_ns = 0;
  std::uint64_t p99_ns = 0;
  std::uint64_t max_ns = 0;
  /// How much of the time each event loop of the data plane worked, 0 to 1.
  std::vector<double> busy;
  /// What happened how often, by the service's names: `shed`, `actor_restarts`.
  std::map<std::string, std::uint64_t> counts;
};

struct service_view {
  std::vector<service_point> points;
  /// How many faults were injected during the run.
  std::uint64_t faults = 0;
  /// The answer of the service, JSON.
  std::string history;
};

/// Reads the answer of `GET /v1/history`. `began_ms`: when the load began, in milliseconds since
/// 1970. Fails with `io_failed`.
base::expected<service_view> parse_history(std::string_view answer, std::int64_t began_ms);

/// Asks the ops plane of the service under load. Main thread.
class service_watch {
public:
  /// `token_file`: a file with the bearer token to send; empty: the environment's, if any.
  /// `ca_file`: as for the load. Asks the service at once, so that a wrong URL is known before the
  /// load. Fails with `config_invalid` or `io_failed`.
  static base::expected<service_watch> open(const std::string& url, const std::string& token_file,
                                            const std::string& ca_file);

  /// The history from `began_ms` on, `seconds` long. Waits until the service has noted all of it,
  /// at most 3 s or until a signal. Fails with `io_failed`.
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
