#include "tests/model/validation/valid_version.hpp"

#include <algorithm>

namespace matchcloud::model {

namespace {

constexpr std::size_t known_regions = 70;

/// Makes a value for every member; an optional member is absent one time in three.
class writer {
public:
  explicit writer(chance& random) : random_(random) {}

  json_tree version() {
    auto body = object("version");
    add(body, "config", config());
    add(body, "display_name", string_tree("display_name", display_name()));
    return body;
  }

private:
  using tree = json_tree;

  static tree object(std::string_view role) { return {tree::shape::object, role}; }
  static tree array(std::string_view role) { return {tree::shape::array, role}; }

  static void add(tree& to, std::string_view name, tree value) {
    to.children.emplace_back(name, std::move(value));
  }

  /// Adds an optional member; `make` is called only if it is present.
  template <class Make>
  void may(tree& to, std::string_view name, Make make) {
    if (random_.one_in(3)) {
      if (random_.one_in(4)) add(to, name, scalar_tree("null", "null"));
      return;
    }
    add(to, name, make());
  }

  std::string_view either(std::string_view neutral, std::string_view alias) {
    return random_.one_in(2) ? neutral : alias;
  }

  std::string any_text() {
    return random_.one_of<std::string>(
        {"", "x", "a b", "é😀", "\n\"\\", "🙂/\u202e", "#!/bin/sh"});
  }
  std::string some_text() { return any_text() + random_.one_of<std::string>({"1", "é", "~"}); }

  std::string display_name() {
    return random_.one_of<std::string>(
        {"v", "1.2.3", "a b c", "Würz 雪", repeated("é", 128), repeated("😀", 128), "\u2764\ufe0f"});
  }

  /// An integer in one of its notations.
  tree integer(std::string_view role, std::int64_t least, std::int64_t most) {
    const auto number = random_.between(least, most);
    auto value = integer_tree(role, number);
    if (random_.one_in(8)) value.text += ".0";
    if (random_.one_in(8)) value.text += random_.one_of({"e0", "E+0", "e-0"});
    return value;
  }

  tree flag(std::string_view role) { return scalar_tree(role, random_.one_of({"true", "false"})); }

  tree strings(std::string_view role, std::string_view value_role, std::size_t most) {
    auto map = object(role);
    for (auto left = random_.below(most); left > 0; --left)
      add(map, "n" + std::to_string(left), string_tree(value_role, any_text()));
    return map;
  }

  tree anything(int levels) {
    if (levels == 0 || random_.one_in(2))
      return scalar_tree("", random_.one_of({"1", "null", "true", "\"x\"", "1.5e400"}));
    auto value = random_.one_in(2) ? object("free") : array("free array");
    for (auto left = random_.below(4); left > 0; --left)
      add(value, value.is == tree::shape::object ? "k" + std::to_string(left) : "",
          anything(levels - 1));
    return value;
  }

  tree any_object() {
    auto value = object("open object");
    for (auto left = random_.below(3); left > 0; --left)
      add(value, "k" + std::to_string(left), anything(3));
    return value;
  }

  tree config() {
    auto value = object("config");
    may(value, "cdn", [&] { return cdn(); });
    may(value, "engine", [&] { return engine(); });
    may(value, "kv", [&] { return any_object(); });
    may(value, "scripts", [&] { return strings("scripts", "script", 4); });
    may(value, "matchmaker", [&] { return matchmaker(); });
    return value;
  }

  tree cdn() {
    auto value = object("cdn");
    may(value, "build_command", [&] { return string_tree("cli text", any_text()); });
    may(value, "build_env", [&] { return strings("cli map", "cli text", 3); });
    may(value, "build_output", [&] { return string_tree("cli text", any_text()); });
    may(value, "site_id", [&] { return string_tree("not empty", some_text()); });
    may(value, "routes", [&] {
      auto routes = array("routes");
      for (std::size_t i = 0, count = random_.below(4); i < count; ++i)
        add(routes, "", route(i));
      return routes;
    });
    return value;
  }

  tree route(std::size_t index) {
    auto value = object("route");
    // The first segment makes each glob different.
    const auto first = "r" + std::to_string(index);
    add(value, "glob",
        string_tree("glob", first + random_.one_of({"", "/**", "/*.js", "/**/*", "//", "é"})));
    add(value, "priority", integer("priority", 0, 100));
    auto middlewares = array("middlewares");
    if (random_.one_in(2)) add(middlewares, "", middleware());
    add(value, "middlewares", std::move(middlewares));
    return value;
  }

  tree middleware() {
    auto headers = array("custom headers");
    for (auto left = random_.below(3); left > 0; --left) {
      auto header = object("header");
      add(header, "name",
          string_tree("header name",
                      random_.one_of<std::string>(
                          {"a", "X-A", "Host", "!#$%&'*+-.^_`|~", repeated("n", 512)})));
      add(header, "value", string_tree("header value", header_value()));
      add(headers, "", std::move(header));
    }
    auto custom_headers = object("custom_headers");
    add(custom_headers, "headers", std::move(headers));
    auto kind = object("kind");
    add(kind, "custom_headers", std::move(custom_headers));
    auto value = object("middleware");
    add(value, "kind", std::move(kind));
    return value;
  }

  std::string header_value() {
    return random_.one_of<std::string>(
        {"", " a\tb~", "é", repeated("v", 1'024), repeated("é", 512)});
  }

  tree engine() {
    auto value = object("engine");
    may(value, "custom", [&] { return any_object(); });
    may(value, either("engine_a", "unity"), [&] { return any_object(); });
    may(value, either("engine_b", "godot"), [&] { return any_object(); });
    may(value, either("engine_c", "html5"), [&] { return any_object(); });
    may(value, either("engine_d", "unreal"), [&] {
      auto engine_d = object("engine_d");
      add(engine_d, "game_module", string_tree("not empty", some_text()));
      return engine_d;
    });
    return value;
  }

  tree matchmaker() {
    auto value = object("matchmaker");
    may(value, "dev_hostname", [&] { return string_tree("cli text", any_text()); });
    add_shared(value);
    may(value, "captcha", [&] { return captcha(); });
    may(value, "game_modes", [&] {
      auto modes = object("game_modes");
      for (auto name : {"ranked", "2v2", "_a-b_", "A"})
        if (random_.one_in(2)) add(modes, name, game_mode());
      return modes;
    });
    return value;
  }

  /// Adds the members that the matchmaker and its modes share.
  void add_shared(tree& to) {
    may(to, "tier", [&] { return tier(); });
    for (auto name : {"max_players", "max_players_direct", "max_players_party"})
      may(to, name, [&] { return integer("players", 1, 256); });
    may(to, "idle_lobbies", [&] { return idle_lobbies(); });
    may(to, "regions", [&] { return regions(); });
    may(to, either("container_runtime", "docker"), [&] { return runtime(); });
  }

  tree tier() {
    return string_tree("tier", random_.one_of({"basic-4d1", "basic-2d1", "basic-1d1", "basic-1d2",
                                               "basic-1d4", "basic-1d8", "basic-1d16"}));
  }

  tree idle_lobbies() {
    auto value = object("idle_lobbies");
    const auto least = random_.between(0, 16);
    add(value, "min", integer("idle min", least, least));
    add(value, "max", integer("idle max", least, 32));
    return value;
  }

  tree regions() {
    auto value = object("regions");
    for (auto left = random_.below(4); left > 0; --left) {
      auto region = object("region");
      may(region, "tier", [&] { return tier(); });
      may(region, "idle_lobbies", [&] { return idle_lobbies(); });
      add(value, "r" + std::to_string(left * 7), std::move(region));
    }
    return value;
  }

  tree captcha() {
    auto value = object("captcha");
    add(value, "requests_before_reverify", integer("captcha requests", 0, 600));
    add(value, "verification_ttl", integer("captcha ttl", 0, 43'200'000));
    const auto both = random_.below(3);
    if (both != 0) add(value, either("captcha_provider_a", "hcaptcha"), provider());
    if (both != 1) add(value, either("captcha_provider_b", "turnstile"), provider());
    return value;
  }

  tree provider() {
    const auto key = [&] {
      return string_tree("captcha key",
                         random_.one_of<std::string>({"k", " ", repeated("é", 128)}));
    };
    auto value = object("provider");
    add(value, "secret_key", key());
    add(value, "site_key", key());
    return value;
  }

  tree runtime() {
    const bool is_on_host = random_.one_in(2);
    auto value = object(is_on_host ? "host runtime" : "runtime");
    may(value, "args", [&] {
      auto args = array("args");
      for (auto left = random_.below(4); left > 0; --left)
        add(args, "", string_tree("arg", argument()));
      return args;
    });
    may(value, "env", [&] {
      auto env = object("env");
      for (auto name : {"A", "_", "PORT_x", "a_1", "PORT"})
        if (random_.one_in(2)) add(env, name, string_tree("env value", argument()));
      return env;
    });
    may(value, "image_id", [&] { return string_tree("not empty", some_text()); });
    may(value, "image", [&] { return string_tree("cli text", any_text()); });
    may(value, "dockerfile", [&] { return string_tree("cli text", any_text()); });
    may(value, "build_args", [&] { return strings("cli map", "cli text", 3); });
    if (is_on_host)
      add(value, "network_mode", string_tree("network_mode", "host"));
    else
      may(value, "network_mode", [&] { return string_tree("network_mode", "bridge"); });
    may(value, "ports", [&] { return ports(is_on_host); });
    return value;
  }

  std::string argument() {
    return random_.one_of<std::string>(
        {"", "--flag", std::string{"\0", 1}, repeated("a", 512), repeated("é", 256)});
  }

  tree ports(bool is_on_host) {
    auto value = object("ports");
    std::int64_t number = 8'000;
    std::int64_t range = 26'000;
    for (auto label : {"game", "a-b-c", "0", "azaz09azaz09azaz"}) {
      if (random_.one_in(2)) continue;
      add(value, label,
          is_on_host && random_.one_in(2) ? open_port(range) : proxied_port(++number));
      range += 100;
    }
    return value;
  }

  void add_dev_members(tree& port) {
    may(port, "dev_port", [&] { return integer("cli integer", -9, 99'999); });
    may(port, "dev_protocol", [&] { return string_tree("cli text", any_text()); });
    may(port, "dev_port_range", [&] {
      auto range = object("cli range");
      add(range, "min", integer("range end", 0, 4'294'967'295));
      add(range, "max", integer("range end", 0, 4'294'967'295));
      return range;
    });
  }

  tree proxied_port(std::int64_t number) {
    auto value = object("proxied port");
    add(value, "port", integer("port number", number, number));
    may(value, "protocol", [&] {
      return string_tree("protocol", random_.one_of({"http", "https", "tcp", "tcp_tls", "udp"}));
    });
    may(value, "proxy", [&] {
      return string_tree("proxy", random_.one_of({"gateway", "game_guard"}));
    });
    add_dev_members(value);
    return value;
  }

  tree open_port(std::int64_t first) {
    auto value = object("open port");
    auto range = object("port_range");
    add(range, "min", integer("range end", first, first + 9));
    add(range, "max", integer("range end", first + 9, first + 99));
    add(value, "port_range", std::move(range));
    add(value, "protocol", string_tree("protocol", random_.one_of({"tcp", "udp"})));
    add(value, "proxy", string_tree("proxy", "none"));
    add_dev_members(value);
    return value;
  }

  tree game_mode() {
    auto value = object("game_mode");
    may(value, "actions", [&] { return actions(); });
    for (auto name : {"allow_dynamic_max_players", "listable", "taggable"})
      may(value, name, [&] { return flag("flag"); });
    add_shared(value);
    return value;
  }

  tree actions() {
    auto value = object("actions");
    may(value, "create", [&] {
      auto create = action();
      may(create, "enable_private", [&] { return flag("flag"); });
      may(create, "enable_public", [&] { return flag("flag"); });
      return create;
    });
    may(value, "find", [&] { return action(); });
    may(value, "join", [&] { return action(); });
    return value;
  }

  tree action() {
    auto value = object("action");
    add(value, "enabled", flag("flag"));
    may(value, "verification", [&] {
      auto verification = object("verification");
      add(verification, "url",
          string_tree("url",
                      random_.one_of<std::string>(
                          {"https://example.com", "http://9.9.9.9:1/x?y#z", "HTTPS://[2620:fe::9]",
                           "https://example.com/" + repeated("a", 2'028)})));
      auto headers = object("verification headers");
      for (auto name : {"Authorization", "x-a", "X-A", "!"})
        if (random_.one_in(2)) add(headers, name, string_tree("header value", header_value()));
      add(verification, "headers", std::move(headers));
      return verification;
    });
    return value;
  }

  chance& random_;
};

} // namespace

reference_names names_of_valid_versions() {
  auto names = default_reference_names();
  names.regions.emplace();
  for (std::size_t i = 0; i < known_regions; ++i)
    names.regions->push_back("r" + std::to_string(i));
  std::ranges::sort(*names.regions);
  return names;
}

json_tree valid_version(chance& random) {
  auto body = writer{random}.version();
  shuffle_members(body, random);
  return body;
}

} // namespace matchcloud::model
