#include "model/validation/port_relations.hpp"

#include "model/text/unicode.hpp"
#include "model/validation/validation_messages.hpp"
#include "model/validation/value_checks.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::model {

namespace {

constexpr value_rule port_rule{.type = value_type::integer, .range = &port_number};
constexpr value_rule range_end_rule{.type = value_type::integer, .range = &unsigned_32_bit};

std::string range_text(std::uint64_t first, std::uint64_t last) {
  return std::to_string(first) + " to " + std::to_string(last);
}

/// The advice to share the host's network.
constexpr std::string_view host_network_step = "set `\"network_mode\": \"host\"` next to `ports`";

/// `sentence` with its first letter, of ASCII, in upper case.
std::string capitalized(std::string sentence) {
  if (!sentence.empty() && sentence.front() >= 'a' && sentence.front() <= 'z')
    sentence.front() -= 'a' - 'A';
  return sentence;
}

/// The transport protocol: TCP for all protocols except `udp`.
std::string_view transport_of(std::string_view protocol) noexcept {
  return protocol == "udp" ? "udp" : "tcp";
}

/// A port with the inputs of the conditions on it. A word that is invalid itself is absent.
struct checked_port {
  checked_port(const member_finder& finder, std::uint32_t node, std::optional<bool> is_on_host)
      : in{finder},
        label{in.name(node)},
        port_member{in.find(node, "port")},
        range_member{in.find(node, "port_range")},
        port{in.number(port_member, port_rule)},
        first{in.number(in.find(range_member, "min"), range_end_rule)},
        last{in.number(in.find(range_member, "max"), range_end_rule)},
        protocol{in.word(node, "protocol", protocol_words, default_protocol)},
        is_protocol_given{in.find(node, "protocol") != no_node},
        on_host{is_on_host} {
    if (first && last && *first <= *last) range = port_numbers{*first, *last};
    if (const auto proxy = in.word(node, "proxy", proxy_words, default_proxy))
      proxied = *proxy == default_proxy;
  }

  bool has_port() const noexcept { return port_member != no_node; }
  bool has_range() const noexcept { return range_member != no_node; }
  bool is_open_on_host() const noexcept { return proxied == false && on_host == true; }
  bool has_host_network() const noexcept { return in.rules.edition != service_edition::hosted; }
  bool is_host_port(std::uint64_t number) const noexcept {
    return number >= in.rules.limits.host_port_lowest &&
           number <= in.rules.limits.host_port_highest;
  }

  /// Whether either end of the port's range is outside the host's ports.
  bool is_outside_of_host() const noexcept {
    return (first && !is_host_port(*first)) || (last && !is_host_port(*last));
  }

  std::string host_range_text() const {
    return range_text(in.rules.limits.host_port_lowest, in.rules.limits.host_port_highest);
  }

  std::string gateway_advice() const {
    if (has_port() && has_range()) return "remove `proxy` and `port_range`";
    if (has_range()) return "remove `proxy` and use a single `port` in place of `port_range`";
    return has_port() ? "remove `proxy`" : "remove `proxy` and add `port`";
  }

  /// `network` is the step that gives the port the host's network.
  std::string host_advice(std::string_view network) const {
    std::vector<std::string> steps;
    if (on_host == false) steps.emplace_back(network);
    if (protocol && *protocol != "tcp" && *protocol != "udp")
      steps.emplace_back("set `protocol` to `tcp` or `udp`");
    const bool is_outside = is_outside_of_host();
    const auto within = "`port_range` within " + host_range_text();
    if (has_port())
      steps.push_back(!has_range() ? "use a " + within + " in place of `port`"
                      : is_outside ? "remove `port` and use a " + within
                                   : "remove `port`");
    else if (!has_range() || is_outside)
      steps.push_back((has_range() ? "use a " : "add a ") + within);
    std::string text;
    for (const auto& step : steps) {
      const bool is_last = &step == &steps.back();
      text += text.empty() ? "" : is_last ? " and " : ", ";
      text += step;
    }
    return text;
  }

  std::string unproxied_advice(std::string_view network) const {
    const auto gateway = gateway_advice();
    return has_host_network() ? host_advice(network) + ", or " + gateway : gateway;
  }

  std::optional<relation_violation> presence_violation() const {
    if (has_port() != has_range()) return std::nullopt;
    relation_violation found = has_port()
                                   ? relation_violation{{"conflicting", "has both `port` and "
                                                                        "`port_range`. "}}
                                   : relation_violation{{"required", "has neither `port` nor "
                                                                     "`port_range`. "}};
    auto& text = found.what.predicate;
    if (!proxied)
      text += has_port() ? "Keep one of them." : "Add one of them.";
    else if (*proxied)
      text += has_port() ? "Remove `port_range`." : "Add `port`.";
    else
      text += capitalized(unproxied_advice(host_network_step)) + ".";
    return found;
  }

  std::optional<relation_violation> network_violation() const {
    if (!proxied) return std::nullopt;
    if (*proxied) {
      // A range that is not an object has its own violation.
      if (!has_range() || in.node(range_member).kind != json_kind::object) return std::nullopt;
      std::string text = "cannot be proxied by the gateway. Use a single `port` in its place";
      if (has_host_network()) {
        const auto steps = host_advice(host_network_step);
        text += "; or set `\"proxy\": \"none\"`";
        if (!steps.empty()) text += (steps.find(" and ") == steps.npos ? " and " : ", ") + steps;
      }
      return relation_violation{{"unsupported-port-range", text + "."}, range_member};
    }
    if (!on_host) return std::nullopt;
    if (!*on_host)
      return relation_violation{
          {"needs-host-network",
           (has_host_network()
                ? std::string{"has `\"proxy\": \"none\"`, which needs "
                              "`\"network_mode\": \"host\"`, but it is `bridge`. "}
                : std::string{"has `\"proxy\": \"none\"`, which needs a network mode "
                              "that the hosted edition does not have. "}) +
               capitalized(unproxied_advice("set that next to `ports`")) + "."}};
    return host_violation();
  }

  std::optional<relation_violation> host_violation() const {
    if (!protocol) return std::nullopt;
    if (*protocol != "tcp" && *protocol != "udp")
      return relation_violation{
          {"needs-gateway", "has `\"proxy\": \"none\"`, but " + in_backticks(*protocol) +
                                (is_protocol_given ? "" : " (the default protocol)") +
                                " works only through the gateway. " +
                                capitalized(unproxied_advice(host_network_step)) + "."}};
    if (has_port()) {
      if (!port) return std::nullopt;
      return relation_violation{
          {"unsupported-port",
           "cannot be chosen for a port with `\"proxy\": \"none\"`. Use a `port_range` within " +
               host_range_text() + " in its place, or remove `proxy`."},
          port_member};
    }
    // Ends in the wrong order have their own violation.
    const bool is_reversed = first && last && !range;
    if (is_reversed || !is_outside_of_host()) return std::nullopt;
    const auto found = range   ? "is " + range_text(range->first, range->last)
                       : first ? "has `min` " + std::to_string(*first)
                               : "has `max` " + std::to_string(*last);
    return relation_violation{{"out-of-range", found + ", which is not within " +
                                                   host_range_text() +
                                                   ". Use a range within those limits."},
                              range_member};
  }

  std::optional<relation_violation>
  repeated_number(const std::vector<earlier_port>& earlier_ports) const {
    if (!port || !protocol) return std::nullopt;
    const auto earlier = std::ranges::find_if(earlier_ports, [&](const earlier_port& each) {
      return each.number == port && each.protocol == *protocol;
    });
    if (earlier == earlier_ports.end()) return std::nullopt;
    return relation_violation{
        {"not-unique", "is " + std::to_string(*port) + " for " + in_backticks(*protocol) +
                           ", as in the earlier port " +
                           quoted_excerpt(earlier->label, in.rules.limits.echo) +
                           ". Use another number."},
        port_member};
  }

  std::optional<relation_violation>
  repeated_range(const std::vector<earlier_port>& earlier_ports) const {
    if (!range || !protocol || !is_open_on_host()) return std::nullopt;
    const auto transport = transport_of(*protocol);
    const auto earlier = std::ranges::find_if(earlier_ports, [&](const earlier_port& each) {
      return each.host_range && transport_of(each.protocol) == transport &&
             each.host_range->first <= range->last && range->first <= each.host_range->last;
    });
    if (earlier == earlier_ports.end()) return std::nullopt;
    return relation_violation{
        {"ranges-overlap", "is " + range_text(range->first, range->last) + ", which overlaps " +
                               range_text(earlier->host_range->first, earlier->host_range->last) +
                               " of the earlier port " +
                               quoted_excerpt(earlier->label, in.rules.limits.echo) + " (both " +
                               (transport == "udp" ? "UDP" : "TCP") +
                               "). Use ranges that do not overlap."},
        range_member};
  }

  const member_finder& in;
  std::string_view label;
  std::uint32_t port_member;
  std::uint32_t range_member;
  std::optional<std::uint64_t> port;
  /// The ends of the range; empty if absent or invalid.
  std::optional<std::uint64_t> first;
  std::optional<std::uint64_t> last;
  /// Both ends, if they are in order.
  std::optional<port_numbers> range;
  std::optional<std::string_view> protocol;
  bool is_protocol_given;
  /// Whether the gateway proxies the port.
  std::optional<bool> proxied;
  std::optional<bool> on_host;
};

} // namespace

std::uint32_t member_finder::find(std::uint32_t object, name_symbol name) const noexcept {
  if (object == no_node || node(object).kind != json_kind::object) return no_node;
  const auto end = node(object).next;
  for (auto at = object + 1; at < end; at = node(at).next)
    if (node(at).symbol == name && node(at).kind != json_kind::null) return at;
  return no_node;
}

std::optional<std::uint64_t> member_finder::number(std::uint32_t at,
                                                   const value_rule& rule) const noexcept {
  if (at == no_node || node(at).kind != json_kind::number) return std::nullopt;
  const auto value = read_integer(document.text(node(at)));
  if (!value || value->too_large || value->negative) return std::nullopt;
  const auto [lowest, highest] = bounds_of(rule, rules.limits);
  const auto least = static_cast<std::uint64_t>(std::max<std::int64_t>(lowest, 0));
  if (value->magnitude < least || value->magnitude > highest) return std::nullopt;
  return value->magnitude;
}

std::optional<std::string_view> member_finder::word(std::uint32_t object, member_name member,
                                                    std::span<const std::string_view> words,
                                                    std::string_view default_word) const noexcept {
  const auto at = find(object, member);
  if (at == no_node) return default_word;
  if (node(at).kind != json_kind::string) return std::nullopt;
  return known_word(document.text(node(at)), words, rules);
}

void port_relations::begin(std::uint32_t container_runtime) {
  earlier_.clear();
  if (std::exchange(ports_of_, container_runtime) == container_runtime) return;
  const auto mode =
      in_.word(container_runtime, "network_mode", network_mode_words, default_network_mode);
  on_host_ = mode ? std::optional{*mode != default_network_mode} : std::nullopt;
}

std::vector<relation_violation> port_relations::check(std::uint32_t node) {
  const checked_port port{in_, node, on_host_};
  // One of two ports with the same name must go, so the later one is not compared with others.
  const bool is_repeated = in_.node(node).repeated;
  std::vector<relation_violation> violations;
  const auto add = [&](std::optional<relation_violation> found) {
    if (found) violations.push_back(*std::move(found));
    return !violations.empty();
  };
  const bool is_settled = add(port.presence_violation());
  if (!is_repeated) add(port.repeated_number(earlier_));
  if (!is_settled) add(port.network_violation());
  if (!is_repeated) add(port.repeated_range(earlier_));
  if (port.protocol && !is_repeated)
    earlier_.push_back({port.label, *port.protocol, port.port,
                        port.is_open_on_host() ? port.range : std::nullopt});
  return violations;
}

} // namespace matchcloud::model
