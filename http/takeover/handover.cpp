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

base::file_descriptor new_event() {
  base::file_descriptor made{::eventfd(0, EFD_CLOEXEC)};
  if (!made) throw std::system_error{errno, std::generic_category(), "eventfd"};
  return made;
}

constexpr std::string_view ops_prefix = "ops ";

/// Parses the form of `to_string`; the result has no sockets. Throws `base::failure`.
handed_listener parse_listener(std::string_view text) {
  const bool is_ops = text.starts_with(ops_prefix);
  if (is_ops) text.remove_prefix(ops_prefix.size());
  const auto kind = take_suffix(text);
  return {base::value_of(parse_endpoint(text)), kind, is_ops, {}};
}

/// Whether `fd` is a TCP socket that listens at `where`.
bool listens_at(int fd, const endpoint& where) noexcept {
  int listens = 0;
  socklen_t length = sizeof listens;
  return ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens == 1 &&
         endpoint_of(fd) == where;
}

base::failure refused(std::string why) {
  return {base::errc::address_unavailable, std::move(why)};
}

base::failure not_understood(const handover_message& said) {
  if (said.verb == protocol::refused) return refused(said.argument);
  return refused("take-over: the running process said \"" + said.verb +
                 "\", which was not expected");
}

} // namespace

std::string to_string(const handed_listener& listener) {
  return std::string{listener.is_ops ? ops_prefix : ""}
      .append(to_string(listener.where))
      .append(suffix_of(listener.kind));
}

handover::handover(local_listener at, std::vector<handed_listener> offered,
                   const handover_settings& settings)
    : at_{std::move(at)},
      offered_{std::move(offered)},
      settings_{settings},
      handed_over_{new_event()},
      stop_{new_event()},
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
    const auto channel = next_connection();
    // Processes of other users get no answer. They can connect only if the file's mode was changed.
    const auto who = channel.get() < 0 ? std::nullopt : same_user_peer(channel.get());
    if (!who) continue;
    const auto served = serve(channel, *who);
    // `channel` closes after `let_go`: when the successor sees the end, the name is already free.
    if (served) {
      successor_ = *who;
      let_go(false);
      ::eventfd_write(handed_over_.get(), 1);
      return;
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

handover_channel handover::next_connection() const {
  base::file_descriptor next{
      ::accept4(at_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
  if (!next && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
    // The pending connection keeps the socket readable, so poll(2) would return at once.
    pollfd ends{stop_.get(), POLLIN, 0};
    ::poll(&ends, 1, static_cast<int>(accept_pause.count()));
  }
  return handover_channel{std::move(next), stop_.get()};
}

base::expected<void> handover::serve(const handover_channel& channel, pid_t who) const {
  const auto refuse = [&channel](std::string_view verb, const std::string& why) {
    static_cast<void>(channel.say(verb, why));
    return base::fail(base::errc::unavailable, why);
  };
  const auto said = channel.hear(settings_.hello_patience);
  if (!said) return refuse(protocol::refused, said.error().detail);
  if (said->verb != protocol::hello || !said->descriptors.empty())
    return refuse(protocol::refused, "take-over: a process must say hello first");
  if (said->argument != protocol::network_namespace()) return refuse(protocol::elsewhere, {});
  if (!settings_.refusal.empty()) return refuse(protocol::refused, settings_.refusal);
  base::log(base::log_event::take_over_begins, "process {} is starting to take over", who);
  auto done = base::attempt([&] {
    send_offer(channel);
    await_ready(channel);
    base::value_of(channel.say(protocol::yours));
  });
  if (done || done.error().code == base::errc::cancelled) return done;
  base::log(base::log_event::take_over_given_up, "process {} did not take over ({}); continuing",
            who, done.error().detail);
  return refuse(protocol::refused, done.error().detail);
}

void handover::send_offer(const handover_channel& channel) const {
  constexpr auto most = protocol::descriptors_per_message;
  std::size_t sockets = 0;
  std::size_t messages = 0;
  for (const auto& each : offered_) {
    sockets += each.sockets.size();
    messages += (each.sockets.size() + most - 1) / most;
  }
  if (messages > protocol::listeners_limit)
    throw base::failure{base::errc::unavailable,
                        "take-over: {} listening sockets cannot be handed over: they need {} "
                        "messages, each with up to {} sockets of one listener, and at most {} are "
                        "possible",
                        sockets,
                        messages,
                        most,
                        protocol::listeners_limit};
  const int local = at_.socket.get();
  base::value_of(channel.say(protocol::offer, std::to_string(messages), {&local, 1}));
  for (const auto& each : offered_) {
    std::vector<int> all;
    for (const auto& socket : each.sockets)
      all.push_back(socket.get());
    for (std::size_t at = 0; at < all.size(); at += most)
      base::value_of(channel.say(protocol::listener, to_string(each),
                                 std::span{all}.subspan(at, std::min(most, all.size() - at))));
  }
}

void handover::await_ready(const handover_channel& starting) const {
  const auto until = base::machine_clock().now() + settings_.startup_patience;
  while (!base::value_of(starting.wait(POLLIN, until, at_.socket.get()))) {
    // One successor at a time.
    const auto another = next_connection();
    if (another.get() >= 0 && same_user_peer(another.get()))
      static_cast<void>(another.say(protocol::refused,
                                    "another process is taking over now; try again", {},
                                    std::chrono::milliseconds{0}));
  }
  const auto said = base::value_of(starting.hear());
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
  return base::attempt([&]() -> std::optional<predecessor> {
    auto connected = connect_local(directory, name);
    if (!connected) throw refused(connected.error().detail);
    if (!*connected) return std::nullopt;
    const auto pid = same_user_peer((*connected)->get());
    if (!pid) throw refused(directory + "/" + name + ": belongs to another user's process");
    predecessor found{handover_channel{*std::move(*connected)}, *pid};
    const auto offers = base::attempt([&] { return found.receive_offer(); });
    if (!offers) throw refused("process " + std::to_string(*pid) + ": " + offers.error().detail);
    return *offers ? std::optional{std::move(found)} : std::nullopt;
  });
}

bool predecessor::receive_offer() {
  // A process that refuses may have closed the connection already; its message can still be read.
  auto sent = to_.say(protocol::hello, protocol::network_namespace());
  if (!sent && sent.error().code != base::errc::unavailable) base::value_of(std::move(sent));
  const auto said = base::value_of(to_.hear());
  if (said.verb == protocol::elsewhere) return false;
  const auto count = base::parse_decimal<std::size_t>(said.argument);
  if (said.verb != protocol::offer || !count) throw not_understood(said);
  // The socket is for versions that go on listening there.
  if (*count > protocol::listeners_limit || said.descriptors.size() != 1)
    throw refused("take-over: this process does not understand the offer of the running one");
  for (std::size_t i = 0; i < *count; ++i)
    receive_listener();
  return true;
}

void predecessor::receive_listener() {
  auto said = base::value_of(to_.hear());
  if (said.verb != protocol::listener) throw not_understood(said);
  auto named = parse_listener(said.argument);
  const auto is_sound = [&](const auto& fd) { return listens_at(fd.get(), named.where); };
  if (said.descriptors.empty() || !std::ranges::all_of(said.descriptors, is_sound))
    throw refused("take-over: the sockets of " + said.argument + " do not listen there");
  // A listener with more sockets than fit in one message arrives in several messages.
  auto into = std::ranges::find_if(listeners_, [&](const auto& each) { return each.is(named); });
  if (into == listeners_.end()) into = listeners_.insert(into, std::move(named));
  std::ranges::move(said.descriptors, std::back_inserter(into->sockets));
}

base::expected<void> predecessor::take_over() {
  const auto was_alive = to_.say(protocol::ready);
  auto said = to_.hear();
  if (!said && said.error().code != base::errc::unavailable) {
    const auto why = "process " + std::to_string(pid_) + ": " + said.error().detail;
    // From here on the running process cannot hand over (its send fails with EPIPE) and continues
    // to serve. A `yours` that it sent before still counts: if this process gave up as well, no
    // process would serve.
    ::shutdown(to_.get(), SHUT_RD);
    said = to_.hear();
    if (!said) return tl::unexpected(refused(why).why());
  }
  if (said && said->verb != protocol::yours) return tl::unexpected(not_understood(*said).why());
  if (!said)
    base::log(base::log_event::predecessor_ended, "process {} ended before it could hand over{}",
              pid_, was_alive ? "" : ", while this one was starting");
  return {};
}

} // namespace matchcloud::http
