#pragma once

#include "app/certificates/certificate_authorities.hpp"
#include "base/expected.hpp"
#include "model/net/http_url.hpp"

#include <chrono>
#include <string_view>

namespace matchcloud::app {

/// What to ask whether a service is well.
struct health_check {
  model::http_url url;
  /// Who may vouch for the server of an https URL.
  certificate_authorities trusted{};
  /// Whether any server is accepted, as for a service on this machine, whose certificate is for the
  /// name that its clients use.
  bool trusts_any_server = false;
  /// How long the answer may take, but for finding the address of a name.
  std::chrono::seconds limit{3};
};

/// What asks the service that listens on `listen`, an `ops-listen` such as `0.0.0.0:8081/tls`, from
/// its own machine. Fails with `config_invalid`.
base::expected<health_check> health_check_of(std::string_view listen);

/// Asks with GET and returns the status, which is 200 to 299; the path of a URL without one is
/// `/readyz`. Fails with `io_failed` and the status and first line of any other answer, or why
/// there is none; with `cancelled` if a signal arrived. Blocks until then. In the main thread,
/// before others start.
base::expected<int> check_health(health_check of);

} // namespace matchcloud::app
