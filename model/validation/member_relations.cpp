#include "model/validation/member_relations.hpp"

#include "model/validation/text_checks.hpp"
#include "model/validation/validation_messages.hpp"
#include "model/validation/value_checks.hpp"

#include <algorithm>

namespace matchcloud::model {

namespace {

constexpr std::string_view port_variable = "PORT_";
constexpr std::string_view range_variable = "PORT_RANGE_";
constexpr std::string_view least_variable = "_MIN";
constexpr std::string_view most_variable = "_MAX";

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
  case object_rule::port: return ports_.check(object);
  case object_rule::config: return one(check_config(object));
  case object_rule::cdn: return one(check_cdn(object));
  case object_rule::matchmaker: return one(check_matchmaker(object, place));
  case object_rule::game_mode: return one(check_game_mode(object, place));
  }
  return {};
}

std::optional<relation_violation> member_relations::check_order(const object_shape& shape,
                                                                std::uint32_t range) const {
  const auto least = in_.find(range, "min");
  const auto first = in_.number(least, *shape.members[0].value);
  const auto last = in_.number(in_.find(range, "max"), *shape.members[1].value);
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
    if (in_.find(object, member.symbol) != no_node) ++present;
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
  for (std::uint32_t at = 1; at < in_.document.node_count(); ++at) {
    if (in_.node(at).symbol != name) continue;
    known->second = in_.name(at);
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
  if (!shared_runtime_) shared_runtime_ = in_.find(place.matchmaker, "container_runtime");
  return *shared_runtime_;
}

void member_relations::read_labels(reserved_labels& into, std::uint32_t runtime) const {
  if (into.runtime == runtime) return;
  into.runtime = runtime;
  into.labels.clear();
  const auto ports = in_.find(runtime, "ports");
  if (ports == no_node || in_.node(ports).kind != json_kind::object) return;
  in_.document.for_each_in(ports, [&](const json_node& port) {
    const auto name = in_.document.name(port);
    // An invalid label is ignored, because it must be changed anyway.
    if (!is_port_label(name, in_.rules.limits.port_label)) return;
    std::ranges::replace(into.labels.emplace_back(name), '-', '_');
  });
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
    const auto shared = in_.find(shared_runtime(place), "env");
    if (shared != no_node && in_.node(shared).kind == json_kind::object)
      in_.document.for_each_in(shared, [&](const json_node& each) {
        if (!each.repeated) matchmaker_env_->push_back(in_.document.name(each));
      });
    std::ranges::sort(*matchmaker_env_);
  }
  if (matchmaker_env_->size() > in_.rules.limits.env) return 0;
  auto size = matchmaker_env_->size();
  in_.document.for_each_in(env, [&](const json_node& each) {
    if (!each.repeated && !std::ranges::binary_search(*matchmaker_env_, in_.document.name(each)))
      ++size;
  });
  return size;
}

// Completeness

std::string member_relations::runtime_with_image() {
  return "a " + in_backticks(spelling_of("container_runtime")) +
         " that has the `image_id` of an uploaded image.";
}

std::optional<relation_violation> member_relations::check_config(std::uint32_t config) {
  if (!in_.rules.complete || in_.find(config, "matchmaker") != no_node) return std::nullopt;
  return relation_violation{
      {"too-few",
       "is absent, so there is no game mode. Add it, with a game mode and " + runtime_with_image()},
      no_node,
      "matchmaker"};
}

std::optional<relation_violation> member_relations::check_cdn(std::uint32_t cdn) const {
  if (!in_.rules.complete || in_.find(cdn, "site_id") != no_node) return std::nullopt;
  return relation_violation{
      {"required", "is required to serve a site. Add the id of an uploaded one."},
      no_node,
      "site_id"};
}

std::optional<relation_violation> member_relations::check_matchmaker(std::uint32_t matchmaker,
                                                                     const document_place& place) {
  if (!in_.rules.complete) return std::nullopt;
  const auto modes = in_.find(matchmaker, "game_modes");
  // A value that is not a map has its own violation.
  if (modes != no_node && (in_.node(modes).kind != json_kind::object || in_.node(modes).count > 0))
    return std::nullopt;
  const auto shared = shared_runtime(place);
  const bool is_runnable = is_not_object(shared) || has_shared_image(place);
  const auto text =
      "has no game mode. Add one" + (is_runnable ? "." : ", with " + runtime_with_image());
  return relation_violation{{"too-few", text}, modes, modes == no_node ? "game_modes" : ""};
}

bool member_relations::has_shared_image(const document_place& place) {
  if (!has_shared_image_)
    has_shared_image_ = in_.find(shared_runtime(place), "image_id") != no_node;
  return *has_shared_image_;
}

/// Whether the runtime is not an object, which is a violation of its own.
bool member_relations::is_not_object(std::uint32_t runtime) const noexcept {
  return runtime != no_node && in_.node(runtime).kind != json_kind::object;
}

// A game mode's runtime replaces the matchmaker's as a whole, so its image is not inherited.
std::optional<relation_violation> member_relations::check_game_mode(std::uint32_t mode,
                                                                    const document_place& place) {
  if (!in_.rules.complete) return std::nullopt;
  if (const auto own = in_.find(mode, "container_runtime"); own != no_node) {
    if (is_not_object(own) || in_.find(own, "image_id") != no_node) return std::nullopt;
    const auto runtime = in_backticks(in_.name(own));
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
  return relation_violation{{"no-build", "has the matchmaker's " + in_backticks(in_.name(shared)) +
                                             ", which has no `image_id`. Add the id of an uploaded "
                                             "image to it."}};
}

} // namespace matchcloud::model
