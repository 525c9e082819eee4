#include "http/takeover/handover_protocol.hpp"

#include "base/failure.hpp"

#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

namespace matchcloud::http {

namespace {

constexpr std::string_view ops_prefix = "ops ";

} // namespace

std::string to_string(const handed_listener& listener) {
  return std::string{listener.is_ops ? ops_prefix : ""}
      .append(to_string(listener.where))
      .append(suffix_of(listener.kind));
}

handed_listener parse_handed_listener(std::string_view text) {
  const bool is_ops = text.starts_with(ops_prefix);
  if (is_ops) text.remove_prefix(ops_prefix.size());
  const auto kind = take_suffix(text);
  return {base::value_of(parse_endpoint(text)), kind, is_ops, {}};
}

bool listens_at(int fd, const endpoint& where) noexcept {
  int listens = 0;
  socklen_t length = sizeof listens;
  return ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens == 1 &&
         endpoint_of(fd) == where;
}

} // namespace matchcloud::http

namespace matchcloud::http::handover_protocol {

std::string write(std::string_view verb, std::string_view argument) {
  std::string text{prefix};
  text.append(verb);
  if (!argument.empty()) text.append(" ").append(argument);
  return text;
}

base::expected<statement> read(descriptor_channel& from, base::steady_time until) {
  auto message = from.receive(until);
  if (!message) return tl::unexpected(message.error());
  std::string_view text = message->text;
  if (!text.starts_with(prefix))
    return base::fail(base::errc::request_malformed,
                      "take-over: the other process speaks another version of the protocol");
  text.remove_prefix(prefix.size());
  const auto space = std::min(text.find(' '), text.size());
  statement said;
  said.verb = text.substr(0, space);
  said.argument = text.substr(std::min(space + 1, text.size()));
  said.descriptors = std::move(message->descriptors);
  return said;
}

std::string network_namespace() {
  struct stat found {};
  // Without /proc, all processes count as being in the same network namespace.
  if (::stat("/proc/self/ns/net", &found) != 0) return "unknown";
  return std::to_string(found.st_dev) + ":" + std::to_string(found.st_ino);
}

base::steady_time soon() {
  return base::machine_clock().now() + patience;
}

} // namespace matchcloud::http::handover_protocol
