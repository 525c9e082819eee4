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

/// Pause before the next accept after one that failed.
constexpr std::chrono::milliseconds accept_pause{50};

base::file_descriptor new_event() {
  base::file_descriptor made{::eventfd(0, EFD_CLOEXEC)};
  if (!made) throw std::system_error{errno, std::generic_category(), "eventfd"};
  return made;
}

constexpr std::string_view ops_prefix = "ops ";

/// Whether `fd` is a TCP socket that listens where `name` says.
bool listens_at(int fd, std::string_view name) {
  if (name.starts_with(ops_prefix)) name.remove_prefix(ops_prefix.size());
  int listens = 0;
  socklen_t length = sizeof listens;
  const auto where = endpoint_of(fd);
  return ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens == 1 &&
         where && name.substr(0, name.find('/')) == to_string(*where);
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

std::string listener_name(const endpoint& where, listener_kind kind, bool is_ops) {
  return std::string{is_ops ? ops_prefix : ""}.append(to_string(where)).append(suffix_of(kind));
}

handover::handover(local_listener at, handed_listeners offered, const handover_settings& settings)
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
  if (!next) {
    // Descriptors or memory may have run out. Then the connection keeps the socket readable, so
    // that poll(2) would return at once.
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
  for (const auto& [name, all] : offered_) {
    sockets += all.size();
    messages += (all.size() + most - 1) / most;
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
  for (const auto& [name, all] : offered_) {
    std::vector<int> numbers;
    for (const auto& each : all)
      numbers.push_back(each.get());
    for (std::span<const int> left{numbers}; !left.empty();
         left = left.subspan(std::min(most, left.size())))
      base::value_of(
          channel.say(protocol::listener, name, left.first(std::min(most, left.size()))));
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
  const auto is_sound = [&](const auto& fd) { return listens_at(fd.get(), said.argument); };
  if (said.descriptors.empty() || !std::ranges::all_of(said.descriptors, is_sound))
    throw refused("take-over: the sockets of " + said.argument + " do not listen there");
  // A listener with more sockets than fit in one message arrives in several messages.
  std::ranges::move(said.descriptors, std::back_inserter(listeners_[said.argument]));
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
