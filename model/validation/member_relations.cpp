#include "model/validation/member_relations.hpp"

#include "model/text/unicode.hpp"
#include "model/validation/route_glob.hpp"
#include "model/validation/validation_messages.hpp"
#include "model/validation/value_checks.hpp"

#include <algorithm>

namespace matchcloud::model {

namespace {

constexpr value_rule port_rule{.type = value_type::integer, .range = &port_number};
constexpr value_rule range_end_rule{.type = value_type::integer, .range = &unsigned_32_bit};

constexpr std::string_view port_variable = "PORT_";
constexpr std::string_view range_variable = "PORT_RANGE_";
constexpr std::string_view least_variable = "_MIN";
constexpr std::string_view most_variable = "_MAX";

std::string range_text(std::uint64_t first, std::uint64_t last) {
  return std::to_string(first) + " to " + std::to_string(last);
}

/// The transport protocol: TCP for all protocols except `udp`.
std::string_view transport_of(std::string_view protocol) noexcept {
  return protocol == "udp" ? "udp" : "tcp";
}

/// The candidates for the port label in the name of a variable that the service sets for a port;
/// empty if `name` is not such a name.
std::vector<std::string_view> labels_in(std::string_view name) {
  std::vector<std::string_view> labels;
  if (!name.starts_with(port_variable)) return labels;
  labels.push_back(name.substr(port_variable.size()));
  const bool is_range = name.ends_with(least_variable) || name.ends_with(most_variable);
  if (is_range && name.starts_with(range_variable) &&
      name.size() > range_variable.size() + least_variable.size()) {
    name.remove_prefix(range_variable.size());
    name.remove_suffix(least_variable.size());
    labels.push_back(name);
  }
  return labels;
}

} // namespace

struct member_relations::port_facts {
  std::string_view label;
  std::uint32_t port_member = no_node;
  std::uint32_t range_member = no_node;
  std::optional<std::uint64_t> port;
  std::optional<port_numbers> range;
  std::optional<std::string_view> protocol;
  bool is_protocol_given = false;
  /// Whether the gateway proxies the port.
  std::optional<bool> proxied;
  std::optional<bool> on_host;

  bool has_port() const noexcept { return port_member != no_node; }
  bool has_range() const noexcept { return range_member != no_node; }
  bool is_open_on_host() const noexcept { return proxied == false && on_host == true; }
};

/// The client's text as messages may show it.
std::string member_relations::excerpt(std::string_view name) const {
  return quoted_excerpt(name, rules_.limits.echo);
}

std::string_view member_relations::name(std::uint32_t node) const noexcept {
  return document_.name(document_.node(node));
}

std::uint32_t member_relations::find(std::uint32_t object, name_symbol name) const noexcept {
  if (object == no_node || document_.node(object).kind != json_kind::object) return no_node;
  const auto end = document_.node(object).next;
  for (auto at = object + 1; at < end; at = document_.node(at).next)
    if (document_.node(at).symbol == name && document_.node(at).kind != json_kind::null) return at;
  return no_node;
}

std::optional<std::uint64_t> member_relations::number(std::uint32_t node,
                                                      const value_rule& rule) const noexcept {
  if (node == no_node || document_.node(node).kind != json_kind::number) return std::nullopt;
  const auto value = read_integer(document_.text(document_.node(node)));
  if (!value || value->too_large || value->negative) return std::nullopt;
  const auto [lowest, highest] = bounds_of(rule, rules_.limits);
  const auto least = static_cast<std::uint64_t>(std::max<std::int64_t>(lowest, 0));
  if (value->magnitude < least || value->magnitude > highest) return std::nullopt;
  return value->magnitude;
}

std::optional<std::string_view>
member_relations::word(std::uint32_t object, member_name member,
                       std::span<const std::string_view> words,
                       std::string_view default_word) const noexcept {
  const auto at = find(object, member);
  if (at == no_node) return default_word;
  if (document_.node(at).kind != json_kind::string) return std::nullopt;
  return known_word(document_.text(document_.node(at)), words, rules_);
}

std::optional<member_relations::port_numbers>
member_relations::read_range(std::uint32_t range) const noexcept {
  const auto first = number(find(range, "min"), range_end_rule);
  const auto last = number(find(range, "max"), range_end_rule);
  if (!first || !last || *first > *last) return std::nullopt;
  return port_numbers{*first, *last};
}

std::vector<relation_violation> member_relations::check(object_rule rule, const object_shape& shape,
                                                        std::uint32_t object,
                                                        const document_place& place) {
  const auto one = [](std::optional<relation_violation> found) {
    return found ? std::vector{*std::move(found)} : std::vector<relation_violation>{};
  };
  switch (rule) {
  case object_rule::none: return {};
  case object_rule::ordered_range: return one(check_order(shape, object));
  case object_rule::exactly_one:
  case object_rule::at_least_one: return one(check_choice(rule, shape, object));
  case object_rule::port: return check_port(object);
  case object_rule::config: return one(check_config(object));
  case object_rule::cdn: return one(check_cdn(object));
  case object_rule::matchmaker: return one(check_matchmaker(object));
  case object_rule::game_mode: return one(check_game_mode(object, place));
  }
  return {};
}

std::optional<relation_violation> member_relations::check_order(const object_shape& shape,
                                                                std::uint32_t range) const {
  const auto least = find(range, "min");
  const auto first = number(least, *shape.members[0].value);
  const auto last = number(find(range, "max"), *shape.members[1].value);
  if (!first || !last || *first <= *last) return std::nullopt;
  return relation_violation{{"min-gt-max", "is " + std::to_string(*first) +
                                               ", above `max`, which is " + std::to_string(*last) +
                                               ". Write a `min` that is at most `max`."},
                            least};
}

std::optional<relation_violation> member_relations::check_choice(object_rule rule,
                                                                 const object_shape& shape,
                                                                 std::uint32_t object) const {
  std::string choices;
  std::size_t present = 0;
  for (const auto& member : shape.members) {
    if (member.required) continue;
    choices.append(choices.empty() ? "" : ", ").append(quoted(member.name));
    if (find(object, member.symbol) != no_node) ++present;
  }
  if (present == 0)
    return relation_violation{
        {"required", choices.find(',') == choices.npos
                         ? "lacks " + choices + ". Write it."
                         : "has none of " + choices + ". Write one of them."}};
  if (rule == object_rule::at_least_one || present == 1) return std::nullopt;
  return relation_violation{
      {"conflicting", "has more than one of " + choices + ". Keep one of them."}};
}

// Ports

void member_relations::begin_ports(std::uint32_t container_runtime) {
  earlier_ports_.clear();
  const auto mode =
      word(container_runtime, "network_mode", network_mode_words, default_network_mode);
  on_host_ = mode ? std::optional{*mode != default_network_mode} : std::nullopt;
}

member_relations::port_facts member_relations::read_port(std::uint32_t port) const {
  port_facts facts;
  facts.label = name(port);
  facts.port_member = find(port, "port");
  facts.range_member = find(port, "port_range");
  facts.port = number(facts.port_member, port_rule);
  facts.range = read_range(facts.range_member);
  facts.protocol = word(port, "protocol", protocol_words, default_protocol);
  facts.is_protocol_given = find(port, "protocol") != no_node;
  if (const auto proxy = word(port, "proxy", proxy_words, default_proxy))
    facts.proxied = *proxy == default_proxy;
  facts.on_host = on_host_;
  return facts;
}

std::vector<relation_violation> member_relations::check_port(std::uint32_t port) {
  const auto facts = read_port(port);
  std::vector<relation_violation> violations;
  auto first = presence_violation(facts);
  const bool is_settled = first.has_value();
  if (first) violations.push_back(*std::move(first));
  if (auto repeated = repeated_number(facts)) violations.push_back(*std::move(repeated));
  if (!is_settled)
    if (auto violation = network_violation(facts)) violations.push_back(*std::move(violation));
  if (auto repeated = repeated_range(facts)) violations.push_back(*std::move(repeated));

  if (facts.protocol)
    earlier_ports_.push_back({facts.label, *facts.protocol, facts.port,
                              facts.is_open_on_host() ? facts.range : std::nullopt});
  return violations;
}

std::optional<relation_violation>
member_relations::presence_violation(const port_facts& port) const {
  if (!port.has_port() && !port.has_range())
    return relation_violation{
        {"required", "has neither `port` nor `port_range`. Write one of them."}};
  if (port.has_port() && port.has_range())
    return relation_violation{
        {"conflicting", "has both `port` and `port_range`. Keep one of them."}};
  return std::nullopt;
}

std::optional<relation_violation>
member_relations::network_violation(const port_facts& port) const {
  if (!port.proxied) return std::nullopt;
  if (*port.proxied) {
    // A range that is not an object has its own violation.
    if (!port.has_range() || document_.node(port.range_member).kind != json_kind::object)
      return std::nullopt;
    return relation_violation{
        {"unsupported-port-range",
         has_host_network()
             ? "cannot be proxied by the gateway. Write `port`; or `\"proxy\": \"none\"`, a "
               "`protocol` `tcp` or `udp` and, beside `ports`, `\"network_mode\": \"host\"`."
             : "cannot be proxied by the gateway. Write `port`."},
        port.range_member};
  }
  if (!port.on_host) return std::nullopt;
  if (!*port.on_host)
    return relation_violation{
        {"needs-host-network",
         has_host_network()
             ? "is not proxied, for which `network_mode` must be `host`, but is `bridge`. Write "
               "`\"network_mode\": \"host\"` beside `ports`, or leave `proxy` out."
             : "is not proxied, for which `network_mode` must be `host`, which the hosted edition "
               "does not have. Leave `proxy` out."}};
  return host_violation(port);
}

std::optional<relation_violation> member_relations::host_violation(const port_facts& port) const {
  if (!port.protocol) return std::nullopt;
  const auto lowest = rules_.limits.host_port_lowest;
  const auto highest = rules_.limits.host_port_highest;
  if (*port.protocol != "tcp" && *port.protocol != "udp")
    return relation_violation{
        {"needs-gateway", "is not proxied, but only the gateway speaks " + quoted(*port.protocol) +
                              (port.is_protocol_given ? "" : ", the default") +
                              ". Leave `proxy` out, or write `tcp` or `udp` as "
                              "`protocol`."}};
  if (port.has_port()) {
    if (!port.port) return std::nullopt;
    return relation_violation{
        {"unsupported-port", "cannot be chosen for a port that is not proxied. Write a "
                             "`port_range` within " +
                                 range_text(lowest, highest) + ", or leave `proxy` out."},
        port.port_member};
  }
  if (!port.range || (port.range->first >= lowest && port.range->last <= highest))
    return std::nullopt;
  return relation_violation{
      {"out-of-range", "is " + range_text(port.range->first, port.range->last) +
                           ", which is not within " + range_text(lowest, highest) +
                           ". Write a range within these."},
      port.range_member};
}

std::optional<relation_violation> member_relations::repeated_number(const port_facts& port) const {
  if (!port.port || !port.protocol) return std::nullopt;
  const auto earlier = std::ranges::find_if(earlier_ports_, [&](const earlier_port& each) {
    return each.number == port.port && each.protocol == *port.protocol;
  });
  if (earlier == earlier_ports_.end()) return std::nullopt;
  return relation_violation{{"not-unique", "is " + std::to_string(*port.port) + " for " +
                                               quoted(*port.protocol) +
                                               ", as in the earlier port " +
                                               excerpt(earlier->label) + ". Write another number."},
                            port.port_member};
}

std::optional<relation_violation> member_relations::repeated_range(const port_facts& port) const {
  if (!port.range || !port.protocol || !port.is_open_on_host()) return std::nullopt;
  const auto transport = transport_of(*port.protocol);
  const auto earlier = std::ranges::find_if(earlier_ports_, [&](const earlier_port& each) {
    return each.host_range && transport_of(each.protocol) == transport &&
           each.host_range->first <= port.range->last && port.range->first <= each.host_range->last;
  });
  if (earlier == earlier_ports_.end()) return std::nullopt;
  return relation_violation{
      {"ranges-overlap", "is " + range_text(port.range->first, port.range->last) +
                             ", which meets " +
                             range_text(earlier->host_range->first, earlier->host_range->last) +
                             " of the earlier port " + excerpt(earlier->label) + ", also over " +
                             std::string(transport) + ". Write ranges that do not meet."},
      port.range_member};
}

// Routes

std::optional<violation> member_relations::check_glob_is_new(std::string_view glob,
                                                             std::size_t route) {
  const auto [earlier, is_new] = globs_.emplace(folded_glob(glob), route);
  if (is_new) return std::nullopt;
  return violation{"not-unique", "matches the same as that of the earlier route " +
                                     std::to_string(earlier->second) +
                                     ". Join the two routes, or write another pattern."};
}

std::optional<violation> member_relations::check_kind_is_new(std::uint64_t kind,
                                                             std::uint32_t middlewares) {
  if (kinds_of_ != middlewares) kinds_ = 0;
  kinds_of_ = middlewares;
  const bool is_new = (kinds_ & kind) == 0;
  kinds_ |= kind;
  if (is_new) return std::nullopt;
  return violation{"not-unique",
                   "stands more than once in the middlewares of this route. Join them "
                   "into one."};
}

// Environment

std::uint32_t member_relations::shared_runtime(const document_place& place) {
  if (!shared_runtime_) shared_runtime_ = find(place.matchmaker, "container_runtime");
  return *shared_runtime_;
}

void member_relations::read_labels(reserved_labels& into, std::uint32_t runtime) const {
  if (into.runtime == runtime) return;
  into.runtime = runtime;
  into.labels.clear();
  const auto ports = find(runtime, "ports");
  if (ports == no_node || document_.node(ports).kind != json_kind::object) return;
  const auto end = document_.node(ports).next;
  for (auto at = ports + 1; at < end; at = document_.node(at).next) {
    // An invalid label is ignored, because it must be changed anyway.
    if (!is_port_label(name(at), rules_.limits.port_label)) continue;
    auto& label = into.labels.emplace_back(name(at));
    std::ranges::replace(label, '-', '_');
  }
  std::ranges::sort(into.labels);
}

const std::vector<std::string>& member_relations::labels_for(const document_place& place) {
  read_labels(own_labels_, place.container_runtime);
  if (!own_labels_.labels.empty()) return own_labels_.labels;
  read_labels(shared_labels_, shared_runtime(place));
  return shared_labels_.labels;
}

std::optional<violation> member_relations::check_env_is_free(std::string_view variable,
                                                             const document_place& place) {
  for (const auto label : labels_in(variable)) {
    if (!std::ranges::binary_search(labels_for(place), label, {},
                                    [](const auto& each) { return std::string_view{each}; }))
      continue;
    return violation{"reserved",
                     "is " + excerpt(variable) +
                         ", which the service sets itself for a port of that name. Write "
                         "another name."};
  }
  return std::nullopt;
}

std::size_t member_relations::merged_env_size(std::uint32_t env, const document_place& place) {
  if (!matchmaker_env_) {
    matchmaker_env_.emplace();
    const auto shared = find(shared_runtime(place), "env");
    if (shared != no_node && document_.node(shared).kind == json_kind::object) {
      const auto end = document_.node(shared).next;
      for (auto at = shared + 1; at < end; at = document_.node(at).next)
        if (!document_.node(at).repeated) matchmaker_env_->push_back(name(at));
    }
    std::ranges::sort(*matchmaker_env_);
  }
  if (matchmaker_env_->size() > rules_.limits.env) return 0;
  auto size = matchmaker_env_->size();
  const auto end = document_.node(env).next;
  for (auto at = env + 1; at < end; at = document_.node(at).next)
    if (!document_.node(at).repeated && !std::ranges::binary_search(*matchmaker_env_, name(at)))
      ++size;
  return size;
}

// Completeness

std::optional<relation_violation> member_relations::check_config(std::uint32_t config) const {
  if (!rules_.complete || find(config, "matchmaker") != no_node) return std::nullopt;
  return relation_violation{{"too-few",
                             "is absent, so that there is no game mode. Write one with at "
                             "least one in it, such as `{\"game_modes\": {\"default\": {}}}`."},
                            no_node,
                            "matchmaker"};
}

std::optional<relation_violation> member_relations::check_cdn(std::uint32_t cdn) const {
  if (!rules_.complete || find(cdn, "site_id") != no_node) return std::nullopt;
  return relation_violation{{"required", "is required to serve a site. Write the id of an uploaded "
                                         "one."},
                            no_node,
                            "site_id"};
}

std::optional<relation_violation>
member_relations::check_matchmaker(std::uint32_t matchmaker) const {
  if (!rules_.complete) return std::nullopt;
  const auto modes = find(matchmaker, "game_modes");
  // A value that is not a map has its own violation.
  if (modes != no_node &&
      (document_.node(modes).kind != json_kind::object || document_.node(modes).count > 0))
    return std::nullopt;
  return relation_violation{
      {"too-few", "holds no game mode. Write at least one, such as `\"default\": {}`."},
      modes,
      modes == no_node ? "game_modes" : ""};
}

bool member_relations::has_shared_image(const document_place& place) {
  if (!has_shared_image_) has_shared_image_ = find(shared_runtime(place), "image_id") != no_node;
  return *has_shared_image_;
}

/// Whether the runtime is not an object, which is a violation of its own.
bool member_relations::is_not_object(std::uint32_t runtime) const noexcept {
  return runtime != no_node && document_.node(runtime).kind != json_kind::object;
}

// A game mode's runtime replaces the matchmaker's as a whole, so its image is not inherited.
std::optional<relation_violation> member_relations::check_game_mode(std::uint32_t mode,
                                                                    const document_place& place) {
  if (!rules_.complete) return std::nullopt;
  if (const auto own = find(mode, "container_runtime"); own != no_node) {
    if (is_not_object(own) || find(own, "image_id") != no_node) return std::nullopt;
    return relation_violation{{"no-build",
                               "has a `container_runtime` without `image_id`, which stands "
                               "for all of the matchmaker's but its `env`. Write the id of "
                               "an uploaded image in it, or remove it."}};
  }
  const auto shared = shared_runtime(place);
  if (shared == no_node)
    return relation_violation{{"no-runtime", "has no `container_runtime`, nor has the matchmaker. "
                                             "Write one in either."}};
  if (is_not_object(shared) || has_shared_image(place)) return std::nullopt;
  return relation_violation{{"no-build", "has the matchmaker's `container_runtime`, which has no "
                                         "`image_id`. Write the id of an uploaded image in it."}};
}

} // namespace matchcloud::model
