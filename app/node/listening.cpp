#include "app/node/listening.hpp"

#include "base/clock.hpp"
#include "base/events/log.hpp"
#include "base/failure.hpp"
#include "base/files/io_failure.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <set>
#include <string>
#include <utility>

namespace matchcloud::app {

namespace {

using listener_names = std::set<std::string>;

/// How long addresses may be in use without a name to ask at: a process that has just taken over
/// listens under the name a moment later.
constexpr std::chrono::milliseconds name_patience{1'000};
constexpr std::chrono::milliseconds name_pause{20};

bool is_served(const serve_config& config) {
  return std::ranges::any_of(
      config.listen, [](const data_listener& each) { return !http::check_free(each.where); });
}

/// Adds the elements of `these` that `those` lack to a sentence.
void add_missing(std::string& to, std::string_view who, const listener_names& these,
                 const listener_names& those) {
  std::string missing;
  for (const auto& each : these)
    if (!those.contains(each)) missing.append(missing.empty() ? "" : ", ").append(each);
  if (!missing.empty()) to.append(to.ends_with(':') ? " " : "; ").append(who).append(missing);
}

void check_same(const serve_config& config, http::predecessor& running) {
  listener_names own{http::listener_name(config.ops_listen, {false, config.ops_tls}, true)};
  for (const auto& each : config.listen)
    own.insert(http::listener_name(each.where, each.kind));
  listener_names its;
  for (const auto& [name, sockets] : running.listeners())
    its.insert(name);
  if (own == its) return;
  auto text = "--take-over: process " + std::to_string(running.pid()) + " has different listeners:";
  add_missing(text, "only it has ", its, own);
  add_missing(text, "only this process has ", own, its);
  throw base::failure{
      base::errc::address_unavailable,
      text +
          ". Use the same --listen and --ops-listen, with fixed ports, or end that process first"};
}

base::file_descriptor duplicate(const base::file_descriptor& socket) {
  base::file_descriptor made{::fcntl(socket.get(), F_DUPFD_CLOEXEC, 0)};
  if (!made)
    base::value_of<void>(
        base::io_failure("--take-over", "duplicate a socket", errno, base::errc::io_failed));
  return made;
}

} // namespace

std::optional<http::predecessor> find_predecessor(const serve_config& config) {
  for (const auto& each : config.listen) {
    // A port chosen by the kernel cannot be in use by another process.
    if (each.where.port == 0) continue;
    auto found = http::predecessor::ask(config.store.data_dir, http::take_over_name(each.where));
    if (!found) throw base::failure{found.error().code, "--take-over: " + found.error().detail};
    if (!*found) continue;
    check_same(config, **found);
    return *std::move(found);
  }
  return std::nullopt;
}

void spread(std::vector<base::file_descriptor>& sockets, std::size_t least, int backlog) {
  for (const auto& each : sockets)
    if (::listen(each.get(), backlog) != 0)
      base::value_of<void>(base::io_failure("--take-over", "listen", errno, base::errc::io_failed));
  const auto given = sockets.size();
  for (std::size_t i = 0; given != 0 && sockets.size() < least; ++i)
    sockets.push_back(duplicate(sockets[i % given]));
}

void listening::find_predecessor() {
  if (!config_->take_over) return;
  const auto until = base::machine_clock().now() + name_patience;
  while (!(predecessor_ = app::find_predecessor(*config_)) && is_served(*config_) &&
         base::machine_clock().now() < until)
    static_cast<void>(::poll(nullptr, 0, static_cast<int>(name_pause.count())));
  if (predecessor_)
    predecessor_pid_ = predecessor_->pid();
  else
    base::log(base::log_event::predecessor_missing,
              "--take-over: no process serves these listeners from data-dir {}; starting as "
              "usual",
              config_->store.data_dir);
}

template <class Value>
Value listening::value_of(base::expected<Value> bound) const {
  const bool asked_nobody = config_->take_over && !predecessor_;
  if (!bound && bound.error().code == base::errc::address_unavailable && asked_nobody)
    bound.error().detail +=
        "; --take-over found no process that serves it from data-dir " + config_->store.data_dir +
        ". Use the data-dir and the --listen of the process to be replaced, or end it first";
  return base::value_of(std::move(bound));
}

void listening::open_ops() {
  if (!predecessor_)
    for (const auto& each : config_->listen)
      value_of(http::check_free(each.where));
  auto bound = bind(config_->ops_listen, {false, config_->ops_tls}, true, 1);
  ops_ = bound.where;
  ops_socket_ = std::move(bound.sockets.front());
}

void listening::open_for_loops(std::size_t loops) {
  for (const auto& each : config_->listen) {
    sockets_.push_back(bind(each.where, each.kind, false, loops));
    data_.push_back({sockets_.back().where, each.kind});
  }
}

http::listeners listening::bind(const http::endpoint& where, http::listener_kind kind, bool is_ops,
                                std::size_t loops) {
  const auto backlog = config_->limits.listen_backlog;
  http::listeners bound{where, {}};
  if (predecessor_) {
    bound.sockets = std::move(predecessor_->listeners()[http::listener_name(where, kind, is_ops)]);
  } else {
    bound = value_of(http::listen_on(where, loops, backlog));
  }
  auto& offered = offered_[http::listener_name(bound.where, kind, is_ops)];
  for (const auto& each : bound.sockets)
    offered.push_back(duplicate(each));
  // Each loop gets at least one socket; sockets of a predecessor with more loops share loops.
  spread(bound.sockets, loops, backlog);
  return bound;
}

void listening::take_over() {
  base::value_of(predecessor_->take_over());
}

void listening::offer() {
  if (predecessor_) predecessor_->await_name();
  predecessor_.reset();
  auto local =
      http::listen_local(config_->store.data_dir, http::take_over_name(data_.front().where));
  if (!local) {
    base::log(base::log_event::take_over_unfindable, "--take-over cannot find this process: {}",
              local.error().detail);
    return offered_.clear();
  }
  http::handover_settings settings;
  if (config_->transport == transport_kind::httplib)
    settings.refusal = httplib_cannot_be_taken_over;
  handover_.emplace(*std::move(local), std::exchange(offered_, {}), settings);
}

bool listening::end_offer() {
  if (!handover_) return false;
  handover_->stop();
  return handover_->successor().has_value();
}

} // namespace matchcloud::app
