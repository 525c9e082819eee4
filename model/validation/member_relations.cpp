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
  /// The ends of the range; empty if absent or invalid.
  std::optional<std::uint64_t> first;
  std::optional<std::uint64_t> last;
  /// Both ends, if they are in order.
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

/// The client's text as messages show it.
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
  case object_rule::matchmaker: return one(check_matchmaker(object, place));
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
  return relation_violation{
      {"min-gt-max", "is " + std::to_string(*first) + ", which is greater than `max` (" +
                         std::to_string(*last) + "). Lower `min` or raise `max`."},
      least};
}

std::string member_relations::missing_choice(const std::vector<const member_rule*>& choices) {
  std::vector<std::string> spellings;
  std::string neutral;
  for (const auto* each : choices) {
    spellings.push_back(in_backticks(spelling_of(each->symbol)));
    if (!each->alias.empty())
      neutral.append(neutral.empty() ? "" : ", ").append(in_backticks(each->name));
  }
  if (choices.size() == 1) return "must have " + spellings.front() + ", its only member. Add it.";
  std::string text = "has none of ";
  for (const auto& each : spellings)
    text.append(&each == &spellings.front() ? "" : ", ").append(each);
  if (!neutral.empty()) text += " (also written " + neutral + ")";
  return text + ". Add one of them.";
}

std::optional<relation_violation>
member_relations::check_choice(object_rule rule, const object_shape& shape, std::uint32_t object) {
  std::vector<const member_rule*> choices;
  std::size_t present = 0;
  for (const auto& member : shape.members) {
    if (member.required) continue;
    choices.push_back(&member);
    if (find(object, member.symbol) != no_node) ++present;
  }
  if (present == 0) return relation_violation{{"required", missing_choice(choices)}};
  if (rule == object_rule::at_least_one || present == 1) return std::nullopt;
  std::string names;
  for (const auto* each : choices)
    names.append(names.empty() ? "" : ", ").append(in_backticks(spelling_of(each->symbol)));
  return relation_violation{
      {"conflicting", "has more than one of " + names + ". Keep one of them."}};
}

std::string_view member_relations::spelling_of(name_symbol name) {
  const auto neutral = specified_names.at(name - 1U);
  const auto alias = alias_of(neutral);
  if (alias.empty()) return neutral;
  const auto [known, is_new] = spellings_.emplace(name, alias);
  if (!is_new) return known->second;
  for (std::uint32_t at = 1; at < document_.node_count(); ++at) {
    if (document_.node(at).symbol != name) continue;
    known->second = this->name(at);
    break;
  }
  return known->second;
}

void member_relations::begin_matchmaker() noexcept {
  shared_runtime_.reset();
  has_shared_image_.reset();
  shared_labels_ = {};
  matchmaker_env_.reset();
}

// Ports

void member_relations::begin_ports(std::uint32_t container_runtime) {
  earlier_ports_.clear();
  if (std::exchange(ports_of_, container_runtime) == container_runtime) return;
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
  facts.first = number(find(facts.range_member, "min"), range_end_rule);
  facts.last = number(find(facts.range_member, "max"), range_end_rule);
  if (facts.first && facts.last && *facts.first <= *facts.last)
    facts.range = port_numbers{*facts.first, *facts.last};
  facts.protocol = word(port, "protocol", protocol_words, default_protocol);
  facts.is_protocol_given = find(port, "protocol") != no_node;
  if (const auto proxy = word(port, "proxy", proxy_words, default_proxy))
    facts.proxied = *proxy == default_proxy;
  facts.on_host = on_host_;
  return facts;
}

std::vector<relation_violation> member_relations::check_port(std::uint32_t port) {
  const auto facts = read_port(port);
  // One of two ports with the same name must go, so the later one is not compared with others.
  const bool is_repeated = document_.node(port).repeated;
  std::vector<relation_violation> violations;
  auto first = presence_violation(facts);
  const bool is_settled = first.has_value();
  if (first) violations.push_back(*std::move(first));
  if (auto repeated = is_repeated ? std::nullopt : repeated_number(facts))
    violations.push_back(*std::move(repeated));
  if (!is_settled)
    if (auto violation = network_violation(facts)) violations.push_back(*std::move(violation));
  if (auto repeated = is_repeated ? std::nullopt : repeated_range(facts))
    violations.push_back(*std::move(repeated));

  if (facts.protocol && !is_repeated)
    earlier_ports_.push_back({facts.label, *facts.protocol, facts.port,
                              facts.is_open_on_host() ? facts.range : std::nullopt});
  return violations;
}

bool member_relations::is_outside_of_host(const port_facts& port) const noexcept {
  return (port.first && !is_host_port(*port.first)) || (port.last && !is_host_port(*port.last));
}

std::string member_relations::host_range_text() const {
  return range_text(rules_.limits.host_port_lowest, rules_.limits.host_port_highest);
}

std::string member_relations::gateway_advice(const port_facts& port) const {
  if (port.has_port() && port.has_range()) return "remove `proxy` and `port_range`";
  if (port.has_range()) return "remove `proxy` and use a single `port` in place of `port_range`";
  return port.has_port() ? "remove `proxy`" : "remove `proxy` and add `port`";
}

/// `network` is the step that gives the port the host's network.
std::string member_relations::host_advice(const port_facts& port, std::string_view network) const {
  std::vector<std::string> steps;
  if (port.on_host == false) steps.emplace_back(network);
  if (port.protocol && *port.protocol != "tcp" && *port.protocol != "udp")
    steps.emplace_back("set `protocol` to `tcp` or `udp`");
  const bool is_outside = is_outside_of_host(port);
  const auto within = "`port_range` within " + host_range_text();
  if (port.has_port())
    steps.push_back(!port.has_range() ? "use a " + within + " in place of `port`"
                    : is_outside      ? "remove `port` and use a " + within
                                      : "remove `port`");
  else if (!port.has_range() || is_outside)
    steps.push_back((port.has_range() ? "use a " : "add a ") + within);
  std::string text;
  for (const auto& step : steps) {
    const bool is_last = &step == &steps.back();
    text += text.empty() ? "" : is_last ? " and " : ", ";
    text += step;
  }
  return text;
}

std::string member_relations::unproxied_advice(const port_facts& port,
                                               std::string_view network) const {
  const auto gateway = gateway_advice(port);
  return has_host_network() ? host_advice(port, network) + ", or " + gateway : gateway;
}

std::optional<relation_violation>
member_relations::presence_violation(const port_facts& port) const {
  if (port.has_port() != port.has_range()) return std::nullopt;
  relation_violation found = port.has_port()
                                 ? relation_violation{{"conflicting", "has both `port` and "
                                                                      "`port_range`. "}}
                                 : relation_violation{{"required", "has neither `port` nor "
                                                                   "`port_range`. "}};
  auto& text = found.what.predicate;
  if (!port.proxied)
    text += port.has_port() ? "Keep one of them." : "Add one of them.";
  else if (*port.proxied)
    text += port.has_port() ? "Remove `port_range`." : "Add `port`.";
  else
    text += capitalized(unproxied_advice(port, host_network_step)) + ".";
  return found;
}

std::optional<relation_violation>
member_relations::network_violation(const port_facts& port) const {
  if (!port.proxied) return std::nullopt;
  if (*port.proxied) {
    // A range that is not an object has its own violation.
    if (!port.has_range() || document_.node(port.range_member).kind != json_kind::object)
      return std::nullopt;
    std::string text = "cannot be proxied by the gateway. Use a single `port` in its place";
    if (has_host_network()) {
      const auto steps = host_advice(port, host_network_step);
      text += "; or set `\"proxy\": \"none\"`";
      if (!steps.empty()) text += (steps.find(" and ") == steps.npos ? " and " : ", ") + steps;
    }
    return relation_violation{{"unsupported-port-range", text + "."}, port.range_member};
  }
  if (!port.on_host) return std::nullopt;
  if (!*port.on_host)
    return relation_violation{
        {"needs-host-network",
         (has_host_network() ? std::string{"has `\"proxy\": \"none\"`, which needs "
                                           "`\"network_mode\": \"host\"`, but it is `bridge`. "}
                             : std::string{"has `\"proxy\": \"none\"`, which needs a network mode "
                                           "that the hosted edition does not have. "}) +
             capitalized(unproxied_advice(port, "set that next to `ports`")) + "."}};
  return host_violation(port);
}

std::optional<relation_violation> member_relations::host_violation(const port_facts& port) const {
  if (!port.protocol) return std::nullopt;
  if (*port.protocol != "tcp" && *port.protocol != "udp")
    return relation_violation{
        {"needs-gateway", "has `\"proxy\": \"none\"`, but " + in_backticks(*port.protocol) +
                              (port.is_protocol_given ? "" : " (the default protocol)") +
                              " works only through the gateway. " +
                              capitalized(unproxied_advice(port, host_network_step)) + "."}};
  if (port.has_port()) {
    if (!port.port) return std::nullopt;
    return relation_violation{
        {"unsupported-port",
         "cannot be chosen for a port with `\"proxy\": \"none\"`. Use a `port_range` within " +
             host_range_text() + " in its place, or remove `proxy`."},
        port.port_member};
  }
  // Ends in the wrong order have their own violation.
  const bool is_reversed = port.first && port.last && !port.range;
  if (is_reversed || !is_outside_of_host(port)) return std::nullopt;
  const auto found = port.range   ? "is " + range_text(port.range->first, port.range->last)
                     : port.first ? "has `min` " + std::to_string(*port.first)
                                  : "has `max` " + std::to_string(*port.last);
  return relation_violation{{"out-of-range", found + ", which is not within " + host_range_text() +
                                                 ". Use a range within those limits."},
                            port.range_member};
}

std::optional<relation_violation> member_relations::repeated_number(const port_facts& port) const {
  if (!port.port || !port.protocol) return std::nullopt;
  const auto earlier = std::ranges::find_if(earlier_ports_, [&](const earlier_port& each) {
    return each.number == port.port && each.protocol == *port.protocol;
  });
  if (earlier == earlier_ports_.end()) return std::nullopt;
  return relation_violation{{"not-unique", "is " + std::to_string(*port.port) + " for " +
                                               in_backticks(*port.protocol) +
                                               ", as in the earlier port " +
                                               excerpt(earlier->label) + ". Use another number."},
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
      {"ranges-overlap",
       "is " + range_text(port.range->first, port.range->last) + ", which overlaps " +
           range_text(earlier->host_range->first, earlier->host_range->last) +
           " of the earlier port " + excerpt(earlier->label) + " (both " +
           (transport == "udp" ? "UDP" : "TCP") + "). Use ranges that do not overlap."},
      port.range_member};
}

// Routes

std::optional<violation> member_relations::check_glob_is_new(std::string_view glob,
                                                             std::size_t route,
                                                             std::uint32_t routes) {
  if (globs_of_ != routes) globs_.clear();
  globs_of_ = routes;
  const auto [earlier, is_new] = globs_.emplace(folded_glob(glob), route);
  if (is_new) return std::nullopt;
  return violation{"not-unique", "matches the same paths as route " +
                                     std::to_string(earlier->second) +
                                     ". Merge the two routes, or use another pattern."};
}

std::optional<violation> member_relations::check_kind_is_new(std::uint64_t kind,
                                                             std::uint32_t middlewares) {
  if (kinds_of_ != middlewares) kinds_ = 0;
  kinds_of_ = middlewares;
  const bool is_new = (kinds_ & kind) == 0;
  kinds_ |= kind;
  if (is_new) return std::nullopt;
  return violation{"not-unique",
                   "appears more than once in this route's middlewares. Merge them into one."};
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
    return violation{"reserved", "is one that the service sets itself for a port of that name. Use "
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

std::string member_relations::runtime_with_image() {
  return "a " + in_backticks(spelling_of("container_runtime")) +
         " that has the `image_id` of an uploaded image.";
}

std::optional<relation_violation> member_relations::check_config(std::uint32_t config) {
  if (!rules_.complete || find(config, "matchmaker") != no_node) return std::nullopt;
  return relation_violation{
      {"too-few",
       "is absent, so there is no game mode. Add it, with a game mode and " + runtime_with_image()},
      no_node,
      "matchmaker"};
}

std::optional<relation_violation> member_relations::check_cdn(std::uint32_t cdn) const {
  if (!rules_.complete || find(cdn, "site_id") != no_node) return std::nullopt;
  return relation_violation{
      {"required", "is required to serve a site. Add the id of an uploaded one."},
      no_node,
      "site_id"};
}

std::optional<relation_violation> member_relations::check_matchmaker(std::uint32_t matchmaker,
                                                                     const document_place& place) {
  if (!rules_.complete) return std::nullopt;
  const auto modes = find(matchmaker, "game_modes");
  // A value that is not a map has its own violation.
  if (modes != no_node &&
      (document_.node(modes).kind != json_kind::object || document_.node(modes).count > 0))
    return std::nullopt;
  const auto shared = shared_runtime(place);
  const bool is_runnable = is_not_object(shared) || has_shared_image(place);
  const auto text =
      "has no game mode. Add one" + (is_runnable ? "." : ", with " + runtime_with_image());
  return relation_violation{{"too-few", text}, modes, modes == no_node ? "game_modes" : ""};
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
    const auto runtime = in_backticks(name(own));
    auto text = "has its own " + runtime +
                ", which replaces the matchmaker's (except `env`), but it has no `image_id`. Add "
                "the id of an uploaded image";
    // Without its own runtime, the mode uses the matchmaker's, if that has an image.
    if (has_shared_image(place)) text += ", or remove " + runtime + " from the mode";
    return relation_violation{{"no-build", text + "."}};
  }
  const auto shared = shared_runtime(place);
  if (shared == no_node)
    return relation_violation{{"no-runtime", "has no " +
                                                 in_backticks(spelling_of("container_runtime")) +
                                                 ", and neither has the matchmaker. Add one to "
                                                 "either, with the `image_id` of an uploaded "
                                                 "image."}};
  if (is_not_object(shared) || has_shared_image(place)) return std::nullopt;
  return relation_violation{{"no-build", "has the matchmaker's " + in_backticks(name(shared)) +
                                             ", which has no `image_id`. Add the id of an uploaded "
                                             "image to it."}};
}

} // namespace matchcloud::model
