#include "app/doctor/health_checks.hpp"
#include "app/node/exposure.hpp"
#include "base/clock.hpp"
#include "base/failure.hpp"
#include "http/tls/tls_files.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

// The listeners and certificates that clients use to reach a service.

namespace matchcloud::app {

namespace {

/// TCP_LISTEN in the column `st`.
constexpr std::string_view listening_state = "0A";

/// An endpoint as the kernel writes it: words of 32 bits of the address, in this machine's order.
std::string kernel_form(const http::endpoint& where) {
  std::string text;
  const auto& bytes = where.address.bytes;
  for (std::size_t at = where.address.is_v4() ? 12 : 0; at < bytes.size(); at += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, &bytes[at], sizeof word);
    text += fmt::format("{:08X}", word);
  }
  return fmt::format("{}:{:04X}", text, where.port);
}

} // namespace

std::vector<listening_socket> listening_sockets(std::istream& table, const http::endpoint& where) {
  const auto wanted = kernel_form(where);
  std::vector<listening_socket> found;
  for (std::string line; std::getline(table, line);) {
    std::istringstream words{line};
    std::string number, local, remote, state, queues, timer, retransmits, user, timeout, inode;
    words >> number >> local >> remote >> state >> queues >> timer >> retransmits >> user >>
        timeout >> inode;
    if (words && local == wanted && state == listening_state) found.push_back({user, inode});
  }
  return found;
}

bool process_listens_at(const http::local_peer& process, const http::endpoint& where) {
  namespace fs = std::filesystem;
  std::ifstream table{where.address.is_v4() ? "/proc/net/tcp" : "/proc/net/tcp6"};
  const auto sockets = listening_sockets(table, where);
  std::error_code failed;
  const fs::directory_iterator all{"/proc/" + std::to_string(process.pid) + "/fd", failed};
  // Permission is denied as EACCES, as EPERM with hidepid=1, and as ENOENT with hidepid=2.
  bool is_hidden = failed && process.pid > 0 && (::kill(process.pid, 0) == 0 || errno == EPERM);
  for (const auto& each : all) {
    std::error_code unread;
    const auto leads_to = fs::read_symlink(each.path(), unread).string();
    is_hidden |= unread == std::errc::permission_denied;
    const auto is_it = [&](const auto& socket) {
      return leads_to == "socket:[" + socket.inode + "]";
    };
    if (std::ranges::any_of(sockets, is_it)) return true;
  }
  return is_hidden &&
         std::ranges::count(sockets, std::to_string(process.user), &listening_socket::user) > 0;
}

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
  base::value_of(check_exposure(config));
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
  const auto material = base::value_of(http::read_tls_files(config.tls));
  health_findings found;
  const auto now_ts = base::machine_clock().unix_ms();
  for (const auto& each : http::warnings_of(material, now_ts))
    found.push_back(
        each.is_useless
            ? refused(each.text,
                      "replace both files with a new certificate and its key; no restart is needed")
            : warned(each.text));
  for (const auto& line : http::exposed_keys(config.tls))
    found.push_back(warned(line));
  if (!found.empty()) return found;
  constexpr std::int64_t day_s = 86'400;
  const auto days = (http::first_expiry_s(material) - now_ts / 1'000) / day_s;
  return {fine("valid for " + std::to_string(days) + " more days")};
}

} // namespace matchcloud::app
