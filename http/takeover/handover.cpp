#include "http/takeover/handover.hpp"

#include "base/decimal.hpp"
#include "base/events/log.hpp"
#include "base/failure.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <span>
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

/// A `listener` message: a listener with as many of its sockets as fit.
struct listener_message {
  std::string text;
  std::vector<int> sockets;
};

std::vector<listener_message> messages_of(const std::vector<handed_listener>& offered) {
  std::vector<listener_message> all;
  for (const auto& each : offered) {
    const auto text = protocol::write(protocol::listener, to_string(each));
    for (std::size_t i = 0; i < each.sockets.size(); ++i) {
      if (i % descriptor_channel::descriptors_per_message == 0) all.push_back({text, {}});
      all.back().sockets.push_back(each.sockets[i].get());
    }
  }
  return all;
}

tl::unexpected<base::error> refused(std::string why) {
  return base::fail(base::errc::address_unavailable, std::move(why));
}

std::string not_understood(const protocol::statement& said) {
  if (said.verb == protocol::refused) return said.argument;
  return "take-over: the running process said \"" + said.verb + "\", which was not expected";
}

[[noreturn]] void give_up(std::string why) {
  throw base::failure{base::errc::address_unavailable, std::move(why)};
}

} // namespace

handover::handover(local_listener at, std::vector<handed_listener> offered,
                   const handover_settings& settings, std::function<void()> on_handed_over)
    : at_{std::move(at)},
      offered_{std::move(offered)},
      settings_{settings},
      on_handed_over_{std::move(on_handed_over)},
      stop_{stop_event()},
      thread_{[this] { run(); }} {}

void handover::stop() {
  if (!thread_.joinable()) return;
  ::eventfd_write(stop_.get(), 1);
  thread_.join();
}

void handover::run() {
  while (true) {
    std::array<pollfd, 2> watched{pollfd{at_.socket.get(), POLLIN, 0},
                                  pollfd{stop_.get(), POLLIN, 0}};
    if (::poll(watched.data(), watched.size(), -1) < 0) continue;
    if (watched[1].revents != 0) return let_go(true);
    auto channel = next_connection();
    // Processes of other users get no answer. They can connect only if the file's mode was changed.
    const auto who = channel.get() < 0 ? std::nullopt : same_user_peer(channel.get());
    if (!who) continue;
    const auto served = serve(channel, *who);
    // `channel` closes after `let_go`: when the successor sees the end, the name is already free.
    if (served) {
      successor_ = *who;
      let_go(false);
      return on_handed_over_();
    }
    if (served.error().code == base::errc::cancelled) return let_go(true);
  }
}

void handover::let_go(bool with_file) {
  // The file goes first: once the socket is closed, another process takes the file for a dead
  // process's and may bind the name, which must not be removed then.
  if (with_file) at_.remove_file();
  at_.socket.reset();
  offered_.clear();
}

descriptor_channel handover::next_connection() const {
  base::file_descriptor next{
      ::accept4(at_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
  if (!next && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
    // The pending connection keeps the socket readable, so poll(2) would return at once.
    pollfd ends{stop_.get(), POLLIN, 0};
    ::poll(&ends, 1, static_cast<int>(accept_pause.count()));
  }
  return descriptor_channel{std::move(next), stop_.get()};
}

base::expected<void> handover::serve(descriptor_channel& channel, pid_t who) const {
  const auto say = [&channel](std::string_view verb, std::string_view argument = {}) {
    return channel.send(protocol::write(verb, argument), {}, protocol::soon());
  };
  const auto refuse = [&say](std::string_view verb, const std::string& why) {
    static_cast<void>(say(verb, why));
    return base::fail(base::errc::unavailable, why);
  };
  const auto said = protocol::read(channel, base::machine_clock().now() + settings_.hello_patience);
  if (!said) return refuse(protocol::refused, said.error().detail);
  if (said->verb != protocol::hello || !said->descriptors.empty())
    return refuse(protocol::refused, "take-over: a process must say hello first");
  if (said->argument != protocol::network_namespace()) return refuse(protocol::elsewhere, {});
  if (!settings_.refusal.empty()) return refuse(protocol::refused, settings_.refusal);
  base::log(base::log_event::take_over_begins, "process {} is starting to take over", who);
  auto done = base::attempt([&] {
    send_offer(channel);
    await_ready(channel);
    base::value_of(say(protocol::yours));
  });
  if (done || done.error().code == base::errc::cancelled) return done;
  base::log(base::log_event::take_over_given_up, "process {} did not take over ({}); continuing",
            who, done.error().detail);
  static_cast<void>(say(protocol::refused, done.error().detail));
  return done;
}

void handover::send_offer(descriptor_channel& channel) const {
  const auto messages = messages_of(offered_);
  if (messages.size() > protocol::listeners_limit)
    throw base::failure{base::errc::unavailable,
                        "take-over: so many listening sockets cannot be handed over"};
  const int local = at_.socket.get();
  const auto offer = protocol::write(protocol::offer, std::to_string(messages.size()));
  base::value_of(channel.send(offer, {&local, 1}, protocol::soon()));
  for (const auto& each : messages)
    base::value_of(channel.send(each.text, each.sockets, protocol::soon()));
}

void handover::await_ready(descriptor_channel& starting) const {
  const auto until = base::machine_clock().now() + settings_.startup_patience;
  while (!base::value_of(starting.wait(POLLIN, until, at_.socket.get()))) {
    // One successor at a time.
    auto another = next_connection();
    if (another.get() >= 0 && same_user_peer(another.get()))
      static_cast<void>(another.send(
          protocol::write(protocol::refused, "another process is taking over now; try again"), {},
          base::machine_clock().now()));
  }
  const auto said = base::value_of(protocol::read(starting, protocol::soon()));
  if (said.verb != protocol::ready)
    throw base::failure{base::errc::request_malformed,
                        "take-over: the successor said \"" + said.verb + "\" instead of ready"};
}

// -- the successor -------------------------------------------------------------

std::string take_over_name(const endpoint& first_listener) {
  return "take-over-" + to_string(first_listener) + ".sock";
}

base::expected<std::optional<predecessor>> predecessor::ask(const std::string& directory,
                                                            const std::string& name) {
  auto connected = connect_local(directory, name, protocol::patience);
  if (!connected) return refused(connected.error().detail);
  if (!*connected) return std::nullopt;
  const auto pid = same_user_peer((*connected)->get());
  if (!pid) return refused(directory + "/" + name + ": belongs to another user's process");
  predecessor found{descriptor_channel{*std::move(*connected)}, *pid};
  const auto offers = base::attempt([&] { return found.receive_offer(); });
  if (!offers) return refused("process " + std::to_string(*pid) + ": " + offers.error().detail);
  if (!*offers) return std::nullopt;
  return found;
}

base::expected<protocol::statement> predecessor::hear() {
  return protocol::read(to_, protocol::soon());
}

bool predecessor::receive_offer() {
  const auto hello = protocol::write(protocol::hello, protocol::network_namespace());
  // A process that refuses may have closed the connection already; its message can still be read.
  auto sent = to_.send(hello, {}, protocol::soon());
  if (!sent && sent.error().code != base::errc::unavailable) base::value_of(std::move(sent));
  const auto said = base::value_of(hear());
  if (said.verb == protocol::elsewhere) return false;
  const auto count = base::parse_decimal<std::size_t>(said.argument);
  if (said.verb != protocol::offer || !count) give_up(not_understood(said));
  // The socket is for versions that go on listening there.
  if (*count > protocol::listeners_limit || said.descriptors.size() != 1)
    give_up("take-over: this process does not understand the offer of the running one");
  for (std::size_t i = 0; i < *count; ++i)
    receive_listener();
  return true;
}

void predecessor::receive_listener() {
  auto said = base::value_of(hear());
  if (said.verb != protocol::listener) give_up(not_understood(said));
  auto named = parse_handed_listener(said.argument);
  const auto is_sound = [&](const auto& fd) { return listens_at(fd.get(), named.where); };
  if (said.descriptors.empty() || !std::ranges::all_of(said.descriptors, is_sound))
    give_up("take-over: the sockets of " + said.argument + " do not listen there");
  // A listener with more sockets than fit in one message arrives in several messages.
  auto into = std::ranges::find_if(listeners_, [&](const auto& each) { return each.is(named); });
  if (into == listeners_.end()) into = listeners_.insert(into, std::move(named));
  std::ranges::move(said.descriptors, std::back_inserter(into->sockets));
}

base::expected<void> predecessor::take_over() {
  const auto was_alive = to_.send(protocol::write(protocol::ready), {}, protocol::soon());
  auto said = hear();
  if (!said && said.error().code != base::errc::unavailable) {
    const auto why = "process " + std::to_string(pid_) + ": " + said.error().detail;
    // From here on the running process cannot hand over (its send fails with EPIPE) and continues
    // to serve. A `yours` that it sent before still counts: if this process gave up as well, no
    // process would serve.
    ::shutdown(to_.get(), SHUT_RD);
    said = hear();
    if (!said) return refused(why);
  }
  if (said && said->verb != protocol::yours) return refused(not_understood(*said));
  if (!said)
    base::log(base::log_event::predecessor_ended, "process {} ended before it could hand over{}",
              pid_, was_alive ? "" : ", while this one was starting");
  return {};
}

} // namespace matchcloud::http
