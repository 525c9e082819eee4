// The listeners and certificates that clients use to reach a service.
#include "app/doctor/health_checks.hpp"
#include "app/doctor/listening_process.hpp"
#include "app/node/exposure.hpp"
#include "base/clock.hpp"
#include "http/tls/tls_files.hpp"

#include <algorithm>
#include <string>

namespace matchcloud::app {

namespace {

/// Where the service would listen, the ops plane last. A port that the kernel chooses is free.
std::vector<http::endpoint> wanted_ports(const serve_config& config) {
  std::vector<http::endpoint> all;
  for (const auto& each : config.listen)
    all.push_back(each.where);
  all.push_back(config.ops_listen);
  return all;
}

health_finding check_port(const http::endpoint& where, examined_service& of) {
  const auto shown = http::to_string(where);
  const auto is_free = http::check_free(where);
  if (is_free)
    return fine(shown + (where.port == 0 ? " leaves the port to the kernel" : " is free"));
  const auto& running = of.running();
  if (running && process_listens_at(*running, where))
    return fine(shown + " is served by " + name_of_process(running->pid) +
                ", from the same data directory");
  return refused(is_free.error().detail, "find the process that listens there with `ss -ltnp`");
}

bool speaks_tls(const serve_config& config) {
  return config.ops_tls || std::ranges::any_of(config.listen, [](const data_listener& each) {
           return each.kind.tls;
         });
}

} // namespace

health_findings check_listeners(examined_service& of) {
  const auto& config = of.config();
  if (const auto allowed = check_exposure(config); !allowed)
    return {refused(allowed.error().detail)};
  health_findings found;
  for (const auto& line : exposure_warnings(config, config.listen))
    found.push_back(warned(line));
  if (!found.empty()) return found;
  const bool is_local = std::ranges::all_of(
      wanted_ports(config), [](const auto& each) { return each.address.is_loopback(); });
  return {fine(is_local ? "only this machine can reach the listeners"
                        : "listeners that other machines can reach require tokens")};
}

health_findings check_ports(examined_service& of) {
  health_findings found;
  for (const auto& each : wanted_ports(of.config()))
    found.push_back(check_port(each, of));
  return found;
}

health_findings check_certificates(examined_service& of) {
  const auto& config = of.config();
  if (!speaks_tls(config)) return {};
  const auto material = http::read_tls_files(config.tls);
  if (!material) return {refused(material.error().detail)};
  health_findings found;
  const auto now_ts = base::machine_clock().unix_ms();
  for (const auto& each : http::warnings_of(*material, now_ts))
    found.push_back(
        each.is_useless
            ? refused(each.text,
                      "replace both files with a new certificate and its key; no restart is needed")
            : warned(each.text));
  for (const auto& line : http::exposed_keys(config.tls))
    found.push_back(warned(line));
  if (!found.empty()) return found;
  constexpr std::int64_t day_s = 86'400;
  const auto days = (http::first_expiry_s(*material) - now_ts / 1'000) / day_s;
  return {fine("valid for " + std::to_string(days) + " more days")};
}

} // namespace matchcloud::app
