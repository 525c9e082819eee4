#include "http/takeover/handover.hpp"

#include "base/events/log.hpp"
#include "http/takeover/handover_protocol.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace matchcloud::http {

namespace protocol = handover_protocol;

namespace {

/// Pause before the next accept when descriptors or memory have run out.
constexpr std::chrono::milliseconds accept_pause{50};

base::file_descriptor stop_event() {
  base::file_descriptor made{::eventfd(0, EFD_CLOEXEC)};
  if (!made) throw std::system_error{errno, std::generic_category(), "eventfd"};
  return made;
}

std::size_t messages_for(const handed_listener& each) {
  constexpr auto most = descriptor_channel::descriptors_per_message;
  return (each.sockets.size() + most - 1) / most;
}

} // namespace

handover::handover(local_listener at, std::vector<handed_listener> offered,
                   const handover_settings& settings, std::function<void()> on_handed_over)
    : at_{std::move(at)},
      offered_{std::move(offered)},
      settings_{settings},
      on_handed_over_{std::move(on_handed_over)},
      stop_{stop_event()} {
  // Even on an adopted socket that already listens: connecting processes see the credentials of the
  // process that called listen(2) last.
  ::listen(at_.socket.get(), take_over_waiting_limit);
  thread_ = std::thread{[this] { run(); }};
}

void handover::stop() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  static_cast<void>(!::write(stop_.get(), &one, sizeof one));
  thread_.join();
}

void handover::run() {
  while (true) {
    std::array<pollfd, 2> watched{pollfd{at_.socket.get(), POLLIN, 0},
                                  pollfd{stop_.get(), POLLIN, 0}};
    if (::poll(watched.data(), watched.size(), -1) < 0) continue;
    if (watched[1].revents != 0) return withdraw();
    descriptor_channel channel{next_connection(), stop_.get()};
    // Processes of other users get no answer. They can connect only if the file's mode was changed.
    const auto who = channel.get() < 0 ? std::nullopt : same_user_peer(channel.get());
    if (!who) continue;
    const auto served = serve(channel, *who);
    if (served) {
      successor_ = *who;
      at_.socket.reset();
      offered_.clear();
      return on_handed_over_();
    }
    // `channel` closes after `withdraw`: when the successor sees the end, the name is already free.
    if (served.error().code == base::errc::cancelled) return withdraw();
  }
}

void handover::withdraw() {
  // The file goes first: once the socket is closed, another process takes the file for a dead
  // process's and may bind the name, which must not be removed then.
  at_.remove_file();
  at_.socket.reset();
  offered_.clear();
}

base::file_descriptor handover::next_connection() const {
  base::file_descriptor next{
      ::accept4(at_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
  if (!next && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
    // The pending connection keeps the socket readable, so poll(2) would return at once.
    pollfd ends{stop_.get(), POLLIN, 0};
    ::poll(&ends, 1, static_cast<int>(accept_pause.count()));
  }
  return next;
}

base::expected<void> handover::serve(descriptor_channel& channel, pid_t who) {
  auto done = hear_hello(channel);
  if (!done) return done;
  base::log(base::log_event::take_over_begins, "process {} is starting to take over", who);
  done = send_offer(channel);
  if (done) done = await_ready(channel);
  if (done) done = channel.send(protocol::write(protocol::yours), {}, protocol::soon());
  if (done || done.error().code == base::errc::cancelled) return done;
  base::log(base::log_event::take_over_given_up, "process {} did not take over ({}); continuing",
            who, done.error().detail);
  static_cast<void>(
      channel.send(protocol::write(protocol::refused, done.error().detail), {}, protocol::soon()));
  return done;
}

base::expected<void> handover::hear_hello(descriptor_channel& channel) {
  const auto refuse = [&](std::string_view verb, const std::string& why) {
    static_cast<void>(channel.send(protocol::write(verb, why), {}, protocol::soon()));
    return base::fail(base::errc::unavailable, why);
  };
  const auto until = base::machine_clock().now() + settings_.hello_patience;
  const auto said = protocol::read(channel, until);
  if (!said) return refuse(protocol::refused, said.error().detail);
  if (said->verb != protocol::hello || !said->descriptors.empty())
    return refuse(protocol::refused, "take-over: a process must say hello first");
  if (said->argument != protocol::network_namespace()) return refuse(protocol::elsewhere, {});
  if (!settings_.refusal.empty()) return refuse(protocol::refused, settings_.refusal);
  return {};
}

base::expected<void> handover::send_offer(descriptor_channel& channel) {
  std::size_t messages = 0;
  std::size_t sockets = 0;
  for (const auto& each : offered_) {
    messages += messages_for(each);
    sockets += each.sockets.size();
  }
  if (messages > protocol::listeners_limit || sockets > protocol::sockets_limit)
    return base::fail(base::errc::unavailable, "take-over: more than " +
                                                   std::to_string(protocol::sockets_limit) +
                                                   " listening sockets cannot be handed over");
  const int local = at_.socket.get();
  auto sent = channel.send(protocol::write(protocol::offer, std::to_string(messages)), {&local, 1},
                           protocol::soon());
  for (const auto& each : offered_) {
    std::vector<int> all;
    std::ranges::transform(each.sockets, std::back_inserter(all), &base::file_descriptor::get);
    const auto text = protocol::write(protocol::listener, to_string(each));
    for (std::size_t at = 0; sent && at < all.size();
         at += descriptor_channel::descriptors_per_message)
      sent = channel.send(
          text,
          std::span{all}.subspan(
              at, std::min(descriptor_channel::descriptors_per_message, all.size() - at)),
          protocol::soon());
  }
  return sent;
}

base::expected<void> handover::await_ready(descriptor_channel& starting) {
  const auto until = base::machine_clock().now() + settings_.startup_patience;
  while (true) {
    const auto readable = starting.wait(POLLIN, until, at_.socket.get());
    if (!readable) return tl::unexpected(readable.error());
    if (*readable) break;
    refuse_next();
  }
  const auto said = protocol::read(starting, protocol::soon());
  if (!said) return tl::unexpected(said.error());
  if (said->verb == protocol::ready) return {};
  return base::fail(base::errc::request_malformed,
                    "take-over: the successor said \"" + said->verb + "\" instead of ready");
}

void handover::refuse_next() {
  descriptor_channel another{next_connection(), stop_.get()};
  if (another.get() < 0 || !same_user_peer(another.get())) return;
  static_cast<void>(another.send(
      protocol::write(protocol::refused, "another process is taking over now; try again"), {},
      base::machine_clock().now()));
}

} // namespace matchcloud::http
