#pragma once

#include "app/certificates/certificate_authorities.hpp"
#include "base/expected.hpp"
#include "model/net/http_url.hpp"

#include <chrono>

namespace matchcloud::app {

/// How to check whether a service is healthy.
struct health_check {
  model::http_url url;
  /// The authorities to trust for the server of an https URL.
  certificate_authorities trusted{};
  /// Whether any server is accepted, as for a service on this machine, whose certificate is for the
  /// name that its clients use.
  bool trusts_any_server = false;
  /// How long the answer may take, not counting the lookup of a host name.
  std::chrono::seconds limit{3};
};

/// The check of the service on this machine that listens on MATCHCLOUD_OPS_LISTEN, an `ops-listen`
/// such as `0.0.0.0:8081/tls`, or else on 127.0.0.1:8081. Throws a CLI::ValidationError if that is
/// invalid.
health_check check_of_this_machine();

/// Sends GET and returns the status, which is 200 to 299; the default path is `/readyz`. Fails with
/// `io_failed` and the status and first line of any other answer, or the reason why there is none;
/// with `cancelled` if a signal arrived. Blocks until then. Call in the main thread, before others
/// start.
base::expected<int> check_health(health_check of);

} // namespace matchcloud::app
