#include "http/ops/ops_plane.hpp"

#include "http/ops/ops_guard.hpp"
#include "http/ops/ops_problem.hpp"
#include "http/wire/characters.hpp"
#include "http/wire/response.hpp"

namespace matchcloud::http {

namespace {

using httplib::Request;
using httplib::Response;

base::error no_such_path() {
  return {
      base::errc::route_not_found,
      "The ops plane has /healthz, /readyz, /metrics, /actors, /v1/lobbies and, to administer the "
      "catalog, /v1/games, /v1/namespaces, /v1/regions and /v1/tiers; with "
      "--enable-fault-injection also /faults."};
}

} // namespace

ops_plane::ops_plane(const service_metrics& metrics, std::uint64_t seed)
    : metrics_{&metrics},
      ids_{seed},
      server_{httplib_settings{.body_limit_bytes = ops_body_limit_bytes}} {
  server_.set_pre_routing_handler([this](const Request& request, Response& into) {
    into.set_header("X-Request-Id", id_for(request));
    auto refused = check_request(request);
    if (!host_allowed(request))
      refused = {base::errc::host_not_allowed,
                 "Ask for the ops plane by its address or as localhost."};
    settle_framing(request);
    if (!refused) return httplib::Server::HandlerResponse::Unhandled;
    if (refused->code == base::errc::method_not_allowed) into.set_header("Allow", "GET, HEAD");
    set_problem(into, *refused);
    return httplib::Server::HandlerResponse::Handled;
  });
  server_.set_error_handler(
      httplib::Server::Handler{[this](const Request& request, Response& into) {
        if (!into.body.empty()) return;
        if (!into.has_header("X-Request-Id")) into.set_header("X-Request-Id", id_for(request));
        if (into.status == 404)
          set_problem(into, no_such_path());
        else
          set_problem(into, refusal_of(into.status));
      }});
  server_.Get("/healthz", [](const Request&, Response& into) {
    into.set_content(R"({"status":"ok"})", std::string{json_type});
  });
  server_.Get("/readyz", [this](const Request&, Response& into) {
    const bool ready = ready_; // read only once, because it may change meanwhile
    into.status = ready ? 200 : 503;
    into.set_content(ready ? R"({"ready":true})" : R"({"ready":false})", std::string{json_type});
  });
  server_.Get("/metrics", [this](const Request&, Response& into) {
    into.set_content(render_metrics(*metrics_), "text/plain; version=0.0.4");
  });
}

ops_plane::~ops_plane() {
  server_.end();
}

base::expected<endpoint> ops_plane::bind(const endpoint& where) {
  return server_.bind(where);
}

void ops_plane::start(std::function<void()> on_ended) {
  // Routes for all other paths: without them, cpp-httplib would read a body into memory before it
  // finds that no route takes the request.
  const std::string any = R"([\s\S]*)";
  const auto refuse = [](const Request&, Response& into, const httplib::ContentReader&) {
    set_problem(into, no_such_path());
  };
  server_.Post(any, refuse).Put(any, refuse).Patch(any, refuse).Delete(any, refuse);
  server_.start(std::move(on_ended));
}

std::string ops_plane::id_for(const Request& request) {
  auto sent = request.get_header_value("X-Request-Id");
  if (is_sane_request_id(sent)) return sent;
  const std::lock_guard lock{ids_mutex_};
  return ids_.next();
}

bool ops_plane::host_allowed(const Request& request) const {
  const std::string host = request.get_header_value("Host");
  auto name = std::string_view{host}.substr(0, host.find_last_of(':'));
  if (host.ends_with(']')) name = host; // IPv6 without a port
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  if (equal_ignoring_case(name, "localhost")) return true;
  // A client that uses an IP address literal was not led here by a host name.
  return model::parse_ip_address(name).has_value();
}

} // namespace matchcloud::http
