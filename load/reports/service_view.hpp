#pragma once

#include "base/expected.hpp"
#include "cli/interrupt.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::load {

struct service_view {
  /// The JSON response of the service.
  std::string history;
  /// Where it ends, in seconds since the load began; 0 if it has no points.
  double ends = 0;
  /// The number of faults injected during the run.
  std::uint64_t faults = 0;
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
