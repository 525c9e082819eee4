#include "app/config/exposure.hpp"

#include <string>

namespace matchcloud::app {

base::expected<void> check_exposure(const serve_config& config) {
  const auto refuse = [](const http::endpoint& where, const char* why) {
    return base::fail(base::errc::config_invalid, "--listen " + http::to_string(where) +
                                                      " is reachable from outside this machine, " +
                                                      why);
  };
  for (const auto& each : config.listen) {
    if (each.where.address.is_loopback()) continue;
    if (config.transport == transport_kind::httplib)
      return refuse(each.where, "and the transport httplib listens on loopback only, because it "
                                "reads headers less strictly; choose loops");
    if (!config.front.access.requires_tokens && !config.insecure_open)
      return refuse(each.where, "where anybody may use it; give --auth required and make tokens "
                                "(matchcloud token create), or say --insecure-open to serve "
                                "everybody");
  }
  if (!config.ops_listen.address.is_loopback() && !config.ops_tls)
    return base::fail(base::errc::config_invalid,
                      "--ops-listen " + http::to_string(config.ops_listen) +
                          " is reachable from outside this machine, where tokens may not travel "
                          "without TLS; write --ops-listen " +
                          http::to_string(config.ops_listen) +
                          "/tls with --tls-cert and --tls-key, or listen on 127.0.0.1");
  return {};
}

} // namespace matchcloud::app
