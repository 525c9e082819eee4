#include "app/node/exposure.hpp"

#include "app/process/process_limits.hpp"
#include "base/failure.hpp"
#include "model/text/timestamp.hpp"

#include <algorithm>

namespace matchcloud::app {

namespace {

std::string warn_of_tokens_at(const std::string& where) {
  return where +
         " accepts tokens without TLS, so that anybody on the network path can read them; use "
         "--listen " +
         where + "/tls, unless a proxy in front of it speaks TLS";
}

std::string subject() {
  return "hosts/" + host_name();
}

} // namespace

std::string url_of(const data_listener& listener) {
  return (listener.kind.tls ? "https://" : "http://") + http::to_string(listener.where);
}

base::expected<void> check_exposure(const serve_config& config) {
  const auto refuse = [](const http::endpoint& where, const char* why) {
    return base::fail(base::errc::config_invalid, "--listen " + http::to_string(where) +
                                                      " is reachable from outside this machine, " +
                                                      why);
  };
  for (const auto& each : config.listen) {
    if (each.where.address.is_loopback()) continue;
    if (!config.front.access.requires_tokens && !config.insecure_open)
      return refuse(each.where, "where anybody may use it; use --auth required and make tokens "
                                "(matchcloud token create), or --insecure-open to serve everybody");
  }
  if (!config.ops_listen.address.is_loopback() && !config.ops_tls)
    return base::fail(base::errc::config_invalid,
                      "--ops-listen " + http::to_string(config.ops_listen) +
                          " is reachable from outside this machine, where tokens must not travel "
                          "without TLS; use --ops-listen " +
                          http::to_string(config.ops_listen) +
                          "/tls with --tls-cert and --tls-key, or listen on 127.0.0.1");
  return {};
}

std::vector<std::string> exposure_warnings(const serve_config& config,
                                           const std::vector<data_listener>& data) {
  std::vector<std::string> lines;
  for (const auto& each : data) {
    if (each.where.address.is_loopback()) continue;
    const auto where = http::to_string(each.where);
    if (!config.front.access.requires_tokens)
      lines.push_back(
          "INSECURE: anybody who reaches " + where +
          " may use the service, because of insecure-open; set auth = required to require tokens");
    else if (!each.kind.tls && !each.kind.proxy_header)
      lines.push_back(warn_of_tokens_at(where));
  }
  const auto& first = data.front();
  if (config.public_url.empty() &&
      (first.where.address.is_unspecified() || first.kind.proxy_header))
    lines.push_back("public-url is not set, so avatar lists refer to images at " + url_of(first) +
                    ", where " +
                    (first.kind.proxy_header ? "only a proxy is admitted"
                                             : "other machines cannot reach them") +
                    "; set --public-url URL");
  if (!config.front.proxies.trusted_proxies.empty()) return lines;
  for (const auto& each : data)
    if (each.kind.proxy_header)
      lines.push_back(http::to_string(each.where) +
                      " expects PROXY protocol headers, but no proxy is trusted, so the headers "
                      "are ignored; set --trusted-proxies");
  return lines;
}

bool has_fixed_port(const serve_config& config) {
  return std::ranges::any_of(config.listen,
                             [](const data_listener& each) { return each.where.port != 0; });
}

std::optional<last_protections> find_last_protections(store::database& in) {
  const auto log = base::value_of(in.audit());
  model::audit_query query{.limit = 1, .action = "service", .subject = subject()};
  while (true) {
    const auto page = base::value_of(log->read_audit(query));
    if (!page.entries.empty()) {
      const auto& last = page.entries.front();
      return last_protections{read_protections(last.what.after), last.at_ms};
    }
    if (page.next_before == 0) return std::nullopt;
    query.before = page.next_before;
  }
}

base::expected<void> check_against(const last_protections& last, const given_protections& wanted) {
  auto kept = check_protections(last.given, wanted);
  if (!kept)
    kept.error().detail +=
        "\nThe last start on this host was at " + model::format_timestamp(last.at_ms);
  return kept;
}

base::expected<void> record_protections(store::database& in, model::audit_action action,
                                        const given_protections& given) {
  return in.access().and_then([&](const auto& log) {
    return log->record({action, subject(), {}, to_json(given)});
  });
}

} // namespace matchcloud::app
