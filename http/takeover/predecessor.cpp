#include "http/takeover/predecessor.hpp"

#include "base/decimal.hpp"
#include "base/events/log.hpp"
#include "http/takeover/handover_protocol.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <utility>

namespace matchcloud::http {

namespace protocol = handover_protocol;

namespace {

tl::unexpected<base::error> refused(std::string why) {
  return base::fail(base::errc::address_unavailable, std::move(why));
}

tl::unexpected<base::error> not_understood(const protocol::statement& said) {
  if (said.verb == protocol::refused) return refused(said.argument);
  return refused("take-over: the running process said \"" + said.verb +
                 "\", which was not expected");
}

bool is_local_listener(int fd) {
  sockaddr_storage own{};
  socklen_t length = sizeof own;
  int listening = 0;
  socklen_t size = sizeof listening;
  return ::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &length) == 0 &&
         own.ss_family == AF_UNIX &&
         ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) == 0 && listening == 1;
}

} // namespace

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
  if (auto offered = found.receive_offer(directory, name); !offered)
    return refused("process " + std::to_string(*pid) + ": " + offered.error().detail);
  if (found.is_elsewhere_) return std::nullopt;
  return found;
}

base::expected<void> predecessor::receive_offer(const std::string& directory,
                                                const std::string& name) {
  const auto hello = protocol::write(protocol::hello, protocol::network_namespace());
  // A process that refuses may have closed the connection already; its message can still be read.
  const auto sent = to_.send(hello, {}, protocol::soon());
  if (!sent && sent.error().code != base::errc::unavailable) return sent;
  auto said = protocol::read(to_, protocol::soon());
  if (!said) return tl::unexpected(said.error());
  if (said->verb == protocol::elsewhere) {
    is_elsewhere_ = true;
    return {};
  }
  const auto count = base::parse_decimal<std::size_t>(said->argument);
  if (said->verb != protocol::offer || !count) return not_understood(*said);
  if (*count > protocol::listeners_limit || said->descriptors.size() != 1 ||
      !is_local_listener(said->descriptors.front().get()))
    return refused("take-over: this process does not understand the offer of the running one");
  auto local = adopt_local(directory, name, std::move(said->descriptors.front()));
  if (!local) return tl::unexpected(local.error());
  local_ = *std::move(local);
  for (std::size_t i = 0; i < *count; ++i)
    if (auto received = receive_listener(); !received) return received;
  return {};
}

base::expected<void> predecessor::receive_listener() {
  auto said = protocol::read(to_, protocol::soon());
  if (!said) return tl::unexpected(said.error());
  if (said->verb != protocol::listener) return not_understood(*said);
  auto named = parse_handed_listener(said->argument);
  if (!named) return tl::unexpected(named.error());
  const auto is_sound = [&](const auto& fd) { return listens_at(fd.get(), named->where); };
  if (said->descriptors.empty() || !std::ranges::all_of(said->descriptors, is_sound))
    return refused("take-over: the sockets of " + said->argument + " do not listen there");
  // A listener with more sockets than fit in one message arrives in several messages.
  const auto same = [&](const auto& each) {
    return each.where == named->where && each.kind == named->kind && each.is_ops == named->is_ops;
  };
  auto into = std::ranges::find_if(listeners_, same);
  if (into == listeners_.end()) into = listeners_.insert(into, *std::move(named));
  std::ranges::move(said->descriptors, std::back_inserter(into->sockets));
  return {};
}

base::expected<void> predecessor::take_over() {
  const auto was_alive = to_.send(protocol::write(protocol::ready), {}, protocol::soon());
  auto said = protocol::read(to_, protocol::soon());
  if (!said && said.error().code != base::errc::unavailable) {
    const auto why = "process " + std::to_string(pid_) + ": " + said.error().detail;
    // From here on the running process cannot hand over (its send fails with EPIPE) and continues
    // to serve. A `yours` that it sent before still counts: if this process gave up as well, no
    // process would serve.
    ::shutdown(to_.get(), SHUT_RD);
    said = protocol::read(to_, protocol::soon());
    if (!said) return refused(why);
  }
  if (said && said->verb == protocol::yours) return {};
  if (said) return not_understood(*said);
  // The running process is gone. Either it removed the name, or the socket that listens there is
  // now open in this process alone, so that closing it frees the name.
  local_.reset();
  base::log(base::log_event::predecessor_ended, "process {} ended before it could hand over{}",
            pid_, was_alive ? "" : ", while this one was starting");
  return {};
}

} // namespace matchcloud::http
