#include "model/validation/schema.hpp"

#include <algorithm>
#include <array>

namespace matchcloud::model {

namespace {

constexpr bool required = true;
constexpr bool cli_only = true;
constexpr bool optional = false;

constexpr std::array<name_alias, 7> keys{{{"container_runtime", "docker"},
                                          {"captcha_provider_a", "hcaptcha"},
                                          {"captcha_provider_b", "turnstile"},
                                          {"engine_a", "unity"},
                                          {"engine_b", "godot"},
                                          {"engine_c", "html5"},
                                          {"engine_d", "unreal"}}};

constexpr std::array<name_alias, 1> proxies{{{"gateway", "game_guard"}}};

/// The built-in alias of a neutral key; empty if it has none.
constexpr std::string_view find_alias(std::string_view neutral) {
  for (const auto& key : keys)
    if (key.neutral == neutral) return key.alias;
  return {};
}

consteval member_rule row(const char* name, const value_rule& value, std::string_view about,
                          bool is_required = false, bool is_cli_only = false) {
  if (about.empty()) throw "a member without a description";
  return {name,        find_alias(name), member_name{name}.symbol, &value, about,
          is_required, is_cli_only};
}

constexpr name_table built_in_names{[] {
  std::array<symbol_of_name, specified_names.size() + keys.size()> all;
  auto next = all.begin();
  for (const auto name : specified_names)
    *next++ = {name, symbol_of_member(name)};
  for (const auto& key : keys)
    *next++ = {key.alias, symbol_of_member(key.neutral)};
  return all;
}()};

constexpr value_rule object_of(const object_shape& shape) {
  return {.type = value_type::object, .shape = &shape};
}
constexpr value_rule integer_in(const integer_range& range) {
  return {.type = value_type::integer, .range = &range};
}
constexpr value_rule integer_between(limit_pointer least, limit_pointer most) {
  return {.type = value_type::integer, .range = &signed_64_bit, .least = least, .most = most};
}
constexpr value_rule text(text_rule what, length_unit unit = length_unit::bytes,
                          limit_pointer most = nullptr) {
  return {.type = value_type::string, .text = what, .unit = unit, .most = most};
}
constexpr value_rule array_of(const value_rule& element, limit_pointer most = nullptr) {
  return {.type = value_type::array, .most = most, .element = &element};
}
constexpr value_rule map_of(const value_rule& element) {
  return {.type = value_type::map, .element = &element};
}
constexpr value_rule map_of(const value_rule& element, limit_pointer most, key_rule key,
                            limit_pointer longest_key) {
  return {.type = value_type::map,
          .key = key,
          .most = most,
          .longest_key = longest_key,
          .element = &element};
}

constexpr value_rule named(std::string_view name, value_rule rule) {
  rule.name = name;
  return rule;
}

using limits = validation_limits;

// Rules that are used in many places.
constexpr value_rule string = text(text_rule::any);
constexpr value_rule name_text = text(text_rule::not_empty);
constexpr value_rule boolean{.type = value_type::boolean};
constexpr value_rule integer = integer_in(signed_64_bit);
constexpr value_rule unsigned_32 = integer_in(unsigned_32_bit);
constexpr value_rule port_integer = integer_in(port_number);
constexpr value_rule any_object{.type = value_type::object};
constexpr value_rule string_map = map_of(string);
constexpr value_rule tier = text(text_rule::tier);
constexpr value_rule header_name =
    text(text_rule::header_name, length_unit::bytes, &limits::header_name_bytes);
constexpr value_rule header_value = named(
    "header_value", text(text_rule::header_value, length_unit::bytes, &limits::header_value_bytes));

// config.cdn
constexpr std::array header_members{
    row("name", header_name, "The name of the header.", required),
    row("value", header_value, "The value of the header.", required)};
constexpr object_shape header_shape{header_members};
constexpr value_rule header = object_of(header_shape);
constexpr value_rule header_array = array_of(header, &limits::custom_headers);

constexpr std::array custom_headers_members{
    row("headers", header_array, "The headers to add.", required)};
constexpr object_shape custom_headers_shape{custom_headers_members};
constexpr value_rule custom_headers = object_of(custom_headers_shape);

constexpr std::array middleware_kind_members{
    row("custom_headers", custom_headers, "Adds headers to the responses of the route.")};
constexpr object_shape middleware_kind_shape{middleware_kind_members, object_rule::exactly_one};
constexpr value_rule middleware_kind = object_of(middleware_kind_shape);

constexpr std::array middleware_members{
    row("kind", middleware_kind, "What the middleware does.", required)};
constexpr object_shape middleware_shape{middleware_members};
constexpr value_rule middleware = object_of(middleware_shape);
constexpr value_rule middleware_array = array_of(middleware, &limits::middlewares);

constexpr value_rule glob = text(text_rule::glob);
constexpr value_rule priority{
    .type = value_type::integer, .range = &unsigned_32_bit, .most = &limits::route_priority};

constexpr std::array route_members{
    row("glob", glob, "The paths that the route applies to.", required),
    row("priority", priority, "Orders routes that match the same path.", required),
    row("middlewares", middleware_array, "What is done to the responses for these paths.",
        required)};
constexpr object_shape route_shape{route_members};
constexpr value_rule route = object_of(route_shape);
constexpr value_rule route_array = array_of(route, &limits::routes);

constexpr std::array cdn_members{
    row("build_command", string, "The command that builds the site.", optional, cli_only),
    row("build_env", string_map, "Environment variables of that command.", optional, cli_only),
    row("build_output", string, "The folder that contains the built site.", optional, cli_only),
    row("site_id", name_text, "The uploaded site to serve."),
    row("routes", route_array, "Rules for some of the paths.")};
constexpr object_shape cdn_shape{cdn_members, object_rule::cdn};
constexpr value_rule cdn = object_of(cdn_shape);

// config.engine. `game_module` is the only CLI-only member with a rule in docs/validation.md.
constexpr std::array engine_d_members{
    row("game_module", name_text, "The name of the game's module.", required, cli_only)};
constexpr object_shape engine_d_shape{engine_d_members};
constexpr value_rule engine_d = object_of(engine_d_shape);

constexpr std::array engine_members{row("custom", any_object, "An engine that is not listed here."),
                                    row("engine_a", any_object, "The game is made with engine A."),
                                    row("engine_b", any_object, "The game is made with engine B."),
                                    row("engine_c", any_object, "The game is made with engine C."),
                                    row("engine_d", engine_d, "The game is made with engine D.")};
constexpr object_shape engine_shape{engine_members};
constexpr value_rule engine = object_of(engine_shape);

// config.scripts
constexpr value_rule scripts =
    map_of(string, &limits::scripts, key_rule::not_empty, &limits::script_name);

// Shapes that the matchmaker and its game modes share.
constexpr value_rule max_players =
    integer_between(&limits::max_players_lowest, &limits::max_players_highest);

constexpr value_rule idle_min = integer_between(nullptr, &limits::idle_lobbies_min_highest);
constexpr value_rule idle_max = integer_between(nullptr, &limits::idle_lobbies_max_highest);
constexpr std::array idle_lobbies_members{
    row("min", idle_min, "The fewest empty lobbies to keep ready.", required),
    row("max", idle_max, "The most empty lobbies to keep ready.", required)};
constexpr object_shape idle_lobbies_shape{idle_lobbies_members, object_rule::ordered_range};
constexpr value_rule idle_lobbies = object_of(idle_lobbies_shape);

constexpr std::array region_members{
    row("idle_lobbies", idle_lobbies, "Empty lobbies to keep ready in this region."),
    row("tier", tier, "The size of game servers in this region.")};
constexpr object_shape region_shape{region_members};
constexpr value_rule region_entry = object_of(region_shape);
constexpr value_rule region_map = map_of(region_entry, &limits::regions, key_rule::region, nullptr);

constexpr std::array port_range_members{row("min", unsigned_32, "The first port.", required),
                                        row("max", unsigned_32, "The last port.", required)};
constexpr object_shape port_range_shape{port_range_members, object_rule::ordered_range};
constexpr value_rule port_range = object_of(port_range_shape);
constexpr object_shape dev_port_range_shape{port_range_members};
constexpr value_rule dev_port_range = object_of(dev_port_range_shape);

constexpr value_rule protocol{
    .type = value_type::string, .text = text_rule::word, .words = protocol_words};
constexpr value_rule proxy{
    .type = value_type::string, .text = text_rule::word, .words = proxy_words};

// The server does not use `dev_port`, so only its type is checked, not the range of a port.
constexpr std::array port_members{
    row("port", port_integer, "The port that the game server listens on."),
    row("port_range", port_range, "The ports of the host that the game server listens on."),
    row("protocol", protocol, "The protocol of the port; default: `https`."),
    row("proxy", proxy, "Whether the gateway proxies connections; default: `gateway`."),
    row("dev_port", integer, "The port during development.", optional, cli_only),
    row("dev_port_range", dev_port_range, "The ports during development.", optional, cli_only),
    row("dev_protocol", string, "The protocol during development.", optional, cli_only)};
constexpr object_shape port_shape{port_members, object_rule::port};
constexpr value_rule port = object_of(port_shape);
constexpr value_rule port_map =
    map_of(port, &limits::ports, key_rule::port_label, &limits::port_label);

constexpr value_rule argument = text(text_rule::any, length_unit::bytes, &limits::arg_bytes);
constexpr value_rule arguments = array_of(argument, &limits::args);
constexpr value_rule env_value = text(text_rule::any, length_unit::bytes, &limits::env_value_bytes);
constexpr value_rule env = map_of(env_value, &limits::env, key_rule::env_name, &limits::env_name);

constexpr value_rule network_mode{
    .type = value_type::string, .text = text_rule::network_mode, .words = network_mode_words};

constexpr std::array container_runtime_members{
    row("args", arguments, "Arguments of the container's command."),
    row("env", env, "Environment variables of the container."),
    row("image_id", name_text, "The uploaded image to run."),
    row("image", string, "The image to upload.", optional, cli_only),
    row("dockerfile", string, "The file that the image is built from.", optional, cli_only),
    row("build_args", string_map, "Arguments of the build.", optional, cli_only),
    row("network_mode", network_mode,
        "Whose network the container uses; default: `bridge`, its own."),
    row("ports", port_map, "The ports of the game server, by label.")};
constexpr object_shape container_runtime_shape{container_runtime_members};
constexpr value_rule container_runtime = object_of(container_runtime_shape);

// config.matchmaker.captcha
constexpr value_rule captcha_key =
    named("captcha_key", text(text_rule::not_empty, length_unit::characters, &limits::captcha_key));
constexpr std::array captcha_provider_members{
    row("secret_key", captcha_key, "The secret key that the provider issued.", required),
    row("site_key", captcha_key, "The public key that the provider issued.", required)};
constexpr object_shape captcha_provider_shape{captcha_provider_members};
constexpr value_rule captcha_provider =
    named("captcha_provider", object_of(captcha_provider_shape));

constexpr value_rule captcha_requests = integer_between(nullptr, &limits::captcha_requests_highest);
constexpr value_rule captcha_ttl = integer_between(nullptr, &limits::captcha_ttl_highest_ms);
constexpr std::array captcha_members{
    row("requests_before_reverify", captcha_requests,
        "Requests that a connection can make before it must solve a captcha again.", required),
    row("verification_ttl", captcha_ttl,
        "Milliseconds until a connection must solve a captcha again.", required),
    row("captcha_provider_a", captcha_provider, "Keys of captcha provider A."),
    row("captcha_provider_b", captcha_provider, "Keys of captcha provider B.")};
constexpr object_shape captcha_shape{captcha_members, object_rule::at_least_one};
constexpr value_rule captcha = object_of(captcha_shape);

// config.matchmaker.game_modes.<game_mode>
constexpr value_rule verification_url =
    text(text_rule::public_url, length_unit::bytes, &limits::verification_url_bytes);
constexpr value_rule verification_headers = map_of(
    header_value, &limits::verification_headers, key_rule::header_name, &limits::header_name_bytes);
constexpr std::array verification_members{
    row("url", verification_url, "The URL that verifies requests.", required),
    row("headers", verification_headers, "Headers of the verification request, by name.",
        required)};
constexpr object_shape verification_shape{verification_members};
constexpr value_rule verification = object_of(verification_shape);

constexpr std::array create_members{
    row("enabled", boolean, "Whether players can create lobbies.", required),
    row("enable_private", boolean, "Whether created lobbies can be private; default: true."),
    row("enable_public", boolean, "Whether created lobbies can be public; default: false."),
    row("verification", verification,
        "How requests to create a lobby are verified; default: not at all.")};
constexpr object_shape create_shape{create_members};
constexpr value_rule create_action = object_of(create_shape);

constexpr std::array join_members{
    row("enabled", boolean, "Whether players can use this action.", required),
    row("verification", verification,
        "How requests of this action are verified; default: not at all.")};
constexpr object_shape join_shape{join_members};
constexpr value_rule join_action = named("join_action", object_of(join_shape));

constexpr std::array actions_members{
    row("create", create_action, "Creating lobbies; default: disabled."),
    row("find", join_action, "Finding a lobby; default: enabled."),
    row("join", join_action, "Joining a lobby; default: enabled.")};
constexpr object_shape actions_shape{actions_members};
constexpr value_rule actions = object_of(actions_shape);

constexpr std::array game_mode_members{
    row("actions", actions, "What players can do with lobbies."),
    row("allow_dynamic_max_players", boolean,
        "Whether a lobby can be created with its own `max_players`."),
    row("container_runtime", container_runtime,
        "How the mode's game server runs, in place of the matchmaker's."),
    row("idle_lobbies", idle_lobbies, "Empty lobbies to keep ready."),
    row("listable", boolean, "Whether its lobbies can be listed."),
    row("max_players", max_players, "The most players in a lobby."),
    row("max_players_direct", max_players,
        "The most players in a lobby that players join directly."),
    row("max_players_party", max_players, "The most players in a lobby that a party joins."),
    row("regions", region_map, "Regions where the mode can be played."),
    row("taggable", boolean, "Whether its lobbies can be created with tags."),
    row("tier", tier, "The size of game servers.")};
constexpr object_shape game_mode_shape{game_mode_members, object_rule::game_mode};
constexpr value_rule game_mode = object_of(game_mode_shape);
constexpr value_rule game_mode_map =
    map_of(game_mode, &limits::game_modes, key_rule::game_mode, &limits::game_mode_name);

// config.matchmaker
constexpr std::array matchmaker_members{
    row("dev_hostname", string, "The host name during development.", optional, cli_only),
    row("tier", tier, "The size of game servers; modes can override it."),
    row("max_players", max_players, "The most players in a lobby; modes can override it."),
    row("max_players_direct", max_players,
        "The most players in a lobby that players join directly; modes can override it."),
    row("max_players_party", max_players,
        "The most players in a lobby that a party joins; modes can override it."),
    row("idle_lobbies", idle_lobbies, "Empty lobbies to keep ready; modes can override them."),
    row("regions", region_map, "Regions where the game can be played; modes can override them."),
    row("captcha", captcha, "How players prove that they are human."),
    row("container_runtime", container_runtime, "How game servers run; modes can override it."),
    row("game_modes", game_mode_map, "The game modes, by name.")};
constexpr object_shape matchmaker_shape{matchmaker_members, object_rule::matchmaker};
constexpr value_rule matchmaker = object_of(matchmaker_shape);

constexpr std::array config_members{
    row("cdn", cdn, "The site that is served with the game."),
    row("engine", engine, "The engine that the game is made with."),
    row("kv", any_object, "Settings of the key-value store."),
    row("matchmaker", matchmaker, "Lobbies and the game servers that they run on."),
    row("scripts", scripts, "Commands of the command line tool, by name.")};
constexpr object_shape config_shape{config_members, object_rule::config};
constexpr value_rule config = object_of(config_shape);

// Request bodies (docs/validation.md, "Bodies").
constexpr value_rule version_name =
    text(text_rule::display_name, length_unit::characters, &limits::version_display_name);
constexpr std::array version_members{
    row("config", config, "How the version is built, served and played.", required),
    row("display_name", version_name, "The name that people see.", required)};
constexpr object_shape version_shape{version_members};
constexpr value_rule version_body = object_of(version_shape);

constexpr value_rule game_name =
    text(text_rule::display_name, length_unit::characters, &limits::game_display_name);
constexpr std::array game_members{
    row("display_name", game_name, "The name that people see.", required)};
constexpr object_shape game_shape{game_members, object_rule::none, true};
constexpr value_rule game_body = object_of(game_shape);

constexpr value_rule group_name =
    text(text_rule::display_name, length_unit::characters, &limits::group_display_name);
constexpr std::array group_members{
    row("display_name", group_name, "The name that people see.", required)};
constexpr object_shape group_shape{group_members, object_rule::none, true};
constexpr value_rule group_body = object_of(group_shape);

} // namespace

bool is_within(const exact_integer& value, const integer_range& range) noexcept {
  if (value.too_large) return false;
  if (!value.negative) {
    return value.magnitude <= range.highest &&
           (range.lowest <= 0 || value.magnitude >= static_cast<std::uint64_t>(range.lowest));
  }
  // The absolute value of the lowest, computed without overflow for the smallest integer.
  return range.lowest < 0 &&
         value.magnitude <= std::uint64_t{0} - static_cast<std::uint64_t>(range.lowest);
}

integer_bounds bounds_of(const value_rule& rule, const validation_limits& limits) noexcept {
  const auto& range = rule.range ? *rule.range : signed_64_bit;
  if (!rule.most) return {range.lowest, range.highest};
  const auto least = rule.least ? static_cast<std::int64_t>(limits.*rule.least) : 0;
  return {std::max(range.lowest, least), std::min(range.highest, limits.*rule.most)};
}

const value_rule& body_rule(payload_kind kind) noexcept {
  switch (kind) {
  case payload_kind::version: return version_body;
  case payload_kind::game: return game_body;
  case payload_kind::group: return group_body;
  }
  return version_body;
}

known_names member_names_of(const validation_rules& rules) {
  known_names names{&built_in_names, {}};
  for (const auto& each : rules.further_aliases)
    if (const auto symbol = symbol_of_member(each.neutral); symbol != no_symbol)
      names.further.push_back({each.alias, symbol});
  return names;
}

const member_rule* find_member(const object_shape& shape, std::string_view name,
                               const validation_rules& rules) {
  return find_member(shape, member_names_of(rules).symbol_of(name));
}

bool is_member_name(std::string_view name) noexcept {
  return built_in_names.find(name) != no_symbol;
}

std::span<const name_alias> key_aliases() noexcept {
  return keys;
}

std::span<const name_alias> proxy_aliases() noexcept {
  return proxies;
}

std::string_view alias_of(std::string_view neutral) noexcept {
  return find_alias(neutral);
}

std::string_view neutral_word(std::string_view word, const validation_rules& rules) noexcept {
  for (const auto& each : proxies)
    if (each.alias == word) return each.neutral;
  for (const auto& each : rules.further_aliases)
    if (each.alias == word) return each.neutral;
  return word;
}

std::optional<std::string_view> known_word(std::string_view value,
                                           std::span<const std::string_view> words,
                                           const validation_rules& rules) noexcept {
  // A member's own words take precedence over configured aliases.
  for (const auto word : {value, neutral_word(value, rules)})
    if (std::ranges::find(words, word) != words.end()) return word;
  return std::nullopt;
}

} // namespace matchcloud::model
