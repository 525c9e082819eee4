#include "http/takeover/handover_protocol.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

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
