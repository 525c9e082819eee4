#pragma once

#include "app/certificates/certificate_authorities.hpp"
#include "base/expected.hpp"
#include "cli/interrupt.hpp"
#include "model/net/http_url.hpp"

#include <chrono>
#include <string>

namespace matchcloud::app {

/// A service's ops plane that a command calls.
struct ops_plane {
  model::http_url url;
  /// The bearer token of requests; empty: none.
  std::string token;
  /// The authorities to trust for the server of an https URL.
  certificate_authorities trusted{};
  /// Whether any server is accepted, as for a service on this machine.
  bool trusts_any_server = false;
};

struct ops_request {
  std::string method = "GET";
  /// For example `/faults`.
  std::string target;
  std::string body;
};

struct ops_answer {
  int status = 0;
  std::string body;
};

/// Sends a request and returns an answer from 200 to 299. Fails with `io_failed` (the
/// detail names the service and quotes its problem, without the token), or with `cancelled` if a
/// signal arrived. Blocks for 10 s at most. One thread.
base::expected<ops_answer> ask_ops_plane(const ops_plane& of, const ops_request& what,
                                         const cli::interrupt& until);

/// Sends GET and returns the status, which is 200 to 299; the default path is `/readyz`. The answer
/// may take `limit`, not counting the lookup of a host name. Throws a `base::failure`: `io_failed`
/// with the status and first line of any other answer, or the reason why there is none, or
/// `cancelled` if a signal arrived. Blocks until then. Call in the main thread, before others
/// start.
int check_health(ops_plane of, std::chrono::seconds limit);

} // namespace matchcloud::app
