#include "model/schema.hpp"

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

constexpr value_rule object_of(const object_shape& shape) {
  return {.type = value_type::object, .shape = &shape};
}
constexpr value_rule map_of(const value_rule& element) {
  return {.type = value_type::map, .element = &element};
}
constexpr value_rule array_of(const value_rule& element) {
  return {.type = value_type::array, .element = &element};
}
constexpr value_rule integer_in(const integer_range& range) {
  return {.type = value_type::integer, .range = &range};
}

// Values that are used in many places.
constexpr value_rule string{.type = value_type::string};
constexpr value_rule boolean{.type = value_type::boolean};
constexpr value_rule integer = integer_in(signed_64_bit);
constexpr value_rule unsigned_32 = integer_in(unsigned_32_bit);
constexpr value_rule port_integer = integer_in(port_number);
constexpr value_rule any_object{.type = value_type::object};
constexpr value_rule string_map = map_of(string);
constexpr value_rule string_array = array_of(string);
constexpr value_rule display_name{.type = value_type::string, .text = text_rule::display_name};

// config.cdn
constexpr std::array header_members{member_rule{"name", &string, required},
                                    member_rule{"value", &string, required}};
constexpr object_shape header_shape{header_members};
constexpr value_rule header = object_of(header_shape);
constexpr value_rule header_array = array_of(header);

constexpr std::array custom_headers_members{member_rule{"headers", &header_array, required}};
constexpr object_shape custom_headers_shape{custom_headers_members};
constexpr value_rule custom_headers = object_of(custom_headers_shape);

constexpr std::array middleware_kind_members{member_rule{"custom_headers", &custom_headers}};
constexpr object_shape middleware_kind_shape{middleware_kind_members};
constexpr value_rule middleware_kind = object_of(middleware_kind_shape);

constexpr std::array middleware_members{member_rule{"kind", &middleware_kind, required}};
constexpr object_shape middleware_shape{middleware_members};
constexpr value_rule middleware = object_of(middleware_shape);
constexpr value_rule middleware_array = array_of(middleware);

constexpr std::array route_members{member_rule{"glob", &string, required},
                                   member_rule{"priority", &unsigned_32, required},
                                   member_rule{"middlewares", &middleware_array, required}};
constexpr object_shape route_shape{route_members};
constexpr value_rule route = object_of(route_shape);
constexpr value_rule route_array = array_of(route);

constexpr std::array cdn_members{member_rule{"build_command", &string, optional, cli_only},
                                 member_rule{"build_env", &string_map, optional, cli_only},
                                 member_rule{"build_output", &string, optional, cli_only},
                                 member_rule{"site_id", &string},
                                 member_rule{"routes", &route_array}};
constexpr object_shape cdn_shape{cdn_members};
constexpr value_rule cdn = object_of(cdn_shape);

// config.engine
constexpr std::array engine_d_members{member_rule{"game_module", &string, required, cli_only}};
constexpr object_shape engine_d_shape{engine_d_members};
constexpr value_rule engine_d = object_of(engine_d_shape);

constexpr std::array engine_members{
    member_rule{"custom", &any_object}, member_rule{"engine_a", &any_object},
    member_rule{"engine_b", &any_object}, member_rule{"engine_c", &any_object},
    member_rule{"engine_d", &engine_d}};
constexpr object_shape engine_shape{engine_members};
constexpr value_rule engine = object_of(engine_shape);

// Shapes that the matchmaker and its game modes share.
constexpr std::array idle_lobbies_members{member_rule{"min", &integer, required},
                                          member_rule{"max", &integer, required}};
constexpr object_shape idle_lobbies_shape{idle_lobbies_members};
constexpr value_rule idle_lobbies = object_of(idle_lobbies_shape);

constexpr std::array region_members{member_rule{"idle_lobbies", &idle_lobbies},
                                    member_rule{"tier", &string}};
constexpr object_shape region_shape{region_members};
constexpr value_rule region_entry = object_of(region_shape);
constexpr value_rule region_map = map_of(region_entry);

constexpr std::array port_range_members{member_rule{"min", &unsigned_32, required},
                                        member_rule{"max", &unsigned_32, required}};
constexpr object_shape port_range_shape{port_range_members};
constexpr value_rule port_range = object_of(port_range_shape);

// `dev_port` says nothing to the server: its type alone counts, not what a port can be.
constexpr std::array port_members{member_rule{"port", &port_integer},
                                  member_rule{"port_range", &port_range},
                                  member_rule{"protocol", &string},
                                  member_rule{"proxy", &string},
                                  member_rule{"dev_port", &integer, optional, cli_only},
                                  member_rule{"dev_port_range", &port_range, optional, cli_only},
                                  member_rule{"dev_protocol", &string, optional, cli_only}};
constexpr object_shape port_shape{port_members};
constexpr value_rule port = object_of(port_shape);
constexpr value_rule port_map = map_of(port);

constexpr std::array container_runtime_members{
    member_rule{"args", &string_array},
    member_rule{"env", &string_map},
    member_rule{"image_id", &string},
    member_rule{"image", &string, optional, cli_only},
    member_rule{"dockerfile", &string, optional, cli_only},
    member_rule{"build_args", &string_map, optional, cli_only},
    member_rule{"network_mode", &string},
    member_rule{"ports", &port_map}};
constexpr object_shape container_runtime_shape{container_runtime_members};
constexpr value_rule container_runtime = object_of(container_runtime_shape);

// config.matchmaker.captcha
constexpr std::array captcha_provider_members{member_rule{"secret_key", &string, required},
                                              member_rule{"site_key", &string, required}};
constexpr object_shape captcha_provider_shape{captcha_provider_members};
constexpr value_rule captcha_provider = object_of(captcha_provider_shape);

constexpr std::array captcha_members{member_rule{"requests_before_reverify", &integer, required},
                                     member_rule{"verification_ttl", &integer, required},
                                     member_rule{"captcha_provider_a", &captcha_provider},
                                     member_rule{"captcha_provider_b", &captcha_provider}};
constexpr object_shape captcha_shape{captcha_members};
constexpr value_rule captcha = object_of(captcha_shape);

// config.matchmaker.game_modes.<game_mode>
constexpr std::array verification_members{member_rule{"url", &string, required},
                                          member_rule{"headers", &string_map, required}};
constexpr object_shape verification_shape{verification_members};
constexpr value_rule verification = object_of(verification_shape);

constexpr std::array create_members{
    member_rule{"enabled", &boolean, required}, member_rule{"enable_private", &boolean},
    member_rule{"enable_public", &boolean}, member_rule{"verification", &verification}};
constexpr object_shape create_shape{create_members};
constexpr value_rule create_action = object_of(create_shape);

constexpr std::array join_members{member_rule{"enabled", &boolean, required},
                                  member_rule{"verification", &verification}};
constexpr object_shape join_shape{join_members};
constexpr value_rule join_action = object_of(join_shape);

constexpr std::array actions_members{member_rule{"create", &create_action},
                                     member_rule{"find", &join_action},
                                     member_rule{"join", &join_action}};
constexpr object_shape actions_shape{actions_members};
constexpr value_rule actions = object_of(actions_shape);

constexpr std::array game_mode_members{member_rule{"actions", &actions},
                                       member_rule{"allow_dynamic_max_players", &boolean},
                                       member_rule{"container_runtime", &container_runtime},
                                       member_rule{"idle_lobbies", &idle_lobbies},
                                       member_rule{"listable", &boolean},
                                       member_rule{"max_players", &integer},
                                       member_rule{"max_players_direct", &integer},
                                       member_rule{"max_players_party", &integer},
                                       member_rule{"regions", &region_map},
                                       member_rule{"taggable", &boolean},
                                       member_rule{"tier", &string}};
constexpr object_shape game_mode_shape{game_mode_members};
constexpr value_rule game_mode = object_of(game_mode_shape);
constexpr value_rule game_mode_map = map_of(game_mode);

// config.matchmaker
constexpr std::array matchmaker_members{member_rule{"dev_hostname", &string, optional, cli_only},
                                        member_rule{"tier", &string},
                                        member_rule{"max_players", &integer},
                                        member_rule{"max_players_direct", &integer},
                                        member_rule{"max_players_party", &integer},
                                        member_rule{"idle_lobbies", &idle_lobbies},
                                        member_rule{"regions", &region_map},
                                        member_rule{"captcha", &captcha},
                                        member_rule{"container_runtime", &container_runtime},
                                        member_rule{"game_modes", &game_mode_map}};
constexpr object_shape matchmaker_shape{matchmaker_members};
constexpr value_rule matchmaker = object_of(matchmaker_shape);

constexpr std::array config_members{
    member_rule{"cdn", &cdn}, member_rule{"engine", &engine}, member_rule{"kv", &any_object},
    member_rule{"matchmaker", &matchmaker}, member_rule{"scripts", &string_map}};
constexpr object_shape config_shape{config_members};
constexpr value_rule config = object_of(config_shape);

// Request bodies, SPECIFICATION.md section 4.
constexpr std::array version_members{member_rule{"config", &config, required},
                                     member_rule{"display_name", &display_name, required}};
constexpr object_shape version_shape{version_members};
constexpr value_rule version_body = object_of(version_shape);

constexpr std::array named_members{member_rule{"display_name", &display_name, required}};
constexpr object_shape named_shape{named_members, true};
constexpr value_rule named_body = object_of(named_shape);

static_assert(matchmaker_members.size() <= shape_members_limit);
static_assert(game_mode_members.size() <= shape_members_limit);

} // namespace

const value_rule& body_rule(payload_kind kind) noexcept {
  return kind == payload_kind::version ? version_body : named_body;
}

std::span<const name_alias> key_aliases() noexcept {
  return keys;
}

std::span<const name_alias> proxy_aliases() noexcept {
  return proxies;
}

std::string_view alias_of(std::string_view neutral) noexcept {
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [neutral](const auto& key) { return key.neutral == neutral; });
  return found == keys.end() ? std::string_view{} : found->alias;
}

} // namespace matchcloud::model
