#include "app/node/take_over.hpp"

#include "base/files/io_failure.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <string>
#include <utility>

namespace matchcloud::app {

namespace {

using http::handed_listener;
using names = std::set<std::string>;

names configured(const serve_config& config) {
  names all;
  for (const auto& each : config.listen)
    all.insert(to_string(handed_listener{each.where, each.kind, false, {}}));
  all.insert(to_string(handed_listener{config.ops_listen, {false, config.ops_tls}, true, {}}));
  return all;
}

/// The elements of `these` that `those` lack; empty if there are none.
std::string missing(const names& these, const names& those) {
  std::string text;
  for (const auto& each : these)
    if (!those.contains(each)) text.append(text.empty() ? "" : ", ").append(each);
  return text;
}

base::expected<void> check_same(const serve_config& config, http::predecessor& running) {
  names its;
  for (const auto& each : running.listeners())
    its.insert(to_string(each));
  const auto own = configured(config);
  const auto only_running = missing(its, own);
  const auto only_own = missing(own, its);
  if (only_running.empty() && only_own.empty()) return {};
  auto text = "--take-over: process " + std::to_string(running.pid()) + " has different listeners:";
  if (!only_running.empty()) text += " only it has " + only_running;
  if (!only_own.empty())
    text +=
        (only_running.empty() ? " only this process has " : "; only this process has ") + only_own;
  return base::fail(
      base::errc::address_unavailable,
      text +
          ". Use the same --listen and --ops-listen, with fixed ports, or end that process first");
}

} // namespace

base::expected<std::optional<http::predecessor>> find_predecessor(const serve_config& config) {
  for (const auto& each : config.listen) {
    // A port chosen by the kernel cannot be in use by another process.
    if (each.where.port == 0) continue;
    auto found = http::predecessor::ask(config.store.data_dir, http::take_over_name(each.where));
    if (!found)
      return base::fail(found.error().code, "--take-over: " + std::move(found.error().detail));
    if (!*found) continue;
    if (auto same = check_same(config, **found); !same) return tl::unexpected(same.error());
    return found;
  }
  return std::nullopt;
}

std::vector<base::file_descriptor> take_sockets(std::vector<handed_listener>& from,
                                                const handed_listener& wanted) {
  const auto found = std::ranges::find_if(from, [&](const handed_listener& each) {
    return each.is_ops == wanted.is_ops && each.kind == wanted.kind && each.where == wanted.where;
  });
  if (found == from.end()) return {};
  return std::exchange(found->sockets, {});
}

base::expected<void> spread(std::vector<base::file_descriptor>& sockets, std::size_t least,
                            int backlog) {
  for (const auto& each : sockets)
    if (::listen(each.get(), backlog) != 0)
      return base::io_failure("--take-over", "listen", errno, base::errc::io_failed);
  const auto given = sockets.size();
  for (std::size_t i = 0; given != 0 && sockets.size() < least; ++i) {
    sockets.emplace_back(::fcntl(sockets[i % given].get(), F_DUPFD_CLOEXEC, 0));
    if (!sockets.back())
      return base::io_failure("--take-over", "duplicate a socket", errno, base::errc::io_failed);
  }
  return {};
}

} // namespace matchcloud::app
