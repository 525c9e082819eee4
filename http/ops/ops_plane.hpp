#pragma once

#include "http/ops/service_metrics.hpp"
#include "http/ops/single_request_server.hpp"
#include "http/transport/listener.hpp"
#include "http/transport/request_id.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace matchcloud::http {

/// Health, metrics and administration for operators, apart from the data plane and on loopback by
/// default: stock cpp-httplib on a listener of its own, so that it answers while the data plane is
/// full.
class ops_plane {
public:
  /// `metrics` must outlive the plane; `seed` makes its request ids unique.
  ops_plane(const service_metrics& metrics, std::uint64_t seed);
  ~ops_plane();
  ops_plane(const ops_plane&) = delete;
  ops_plane& operator=(const ops_plane&) = delete;

  /// Lets another component add its routes. Call before `start`; what the routes refer to must
  /// outlive the plane. A handler may refuse a request without reading its body. Handlers of POST,
  /// PUT, PATCH and DELETE must take a ContentReader: others never see a request.
  void add_routes(const std::function<void(httplib::Server&)>& add) { add(server_); }

  /// The endpoint with its real port, or `address_unavailable`.
  base::expected<endpoint> bind(const endpoint& where);
  /// An alternative to `bind`: takes a socket that listens already, see
  /// `single_request_server::adopt`.
  base::expected<endpoint> adopt(base::file_descriptor listening, const endpoint& where) {
    return server_.adopt(std::move(listening), where);
  }
  /// The listening socket; call before `start`.
  const base::file_descriptor& listening() const noexcept { return server_.listening(); }

  /// `on_ended` is called when, after `stop_accepting`, the last connection has ended.
  void start(std::function<void()> on_ended = [] {});
  /// Stops accepting, because another process accepts from now on; open requests continue. Any
  /// thread.
  void stop_accepting() { server_.stop_accepting(); }

  /// Sets what `/readyz` answers, which is "not ready" until the first call. Any thread.
  void set_ready(bool ready) noexcept { ready_ = ready; }

private:
  /// Whether the request's Host is an IP address literal or `localhost`: a host name that an
  /// attacker's DNS resolves to this machine (rebinding) is refused.
  bool host_allowed(const httplib::Request& request) const;

  std::string id_for(const httplib::Request& request);

  const service_metrics* metrics_;
  std::mutex ids_mutex_;
  request_id_source ids_;
  single_request_server server_;
  std::atomic<bool> ready_{false};
};

} // namespace matchcloud::http
