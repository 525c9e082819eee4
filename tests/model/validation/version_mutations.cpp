#include "tests/model/validation/version_mutations.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace matchcloud::model {

namespace {

using tree = json_tree;
using steps = std::vector<std::string>;
using outcome = std::optional<expected_finding>;

constexpr std::string_view null_role = "null";

outcome found(steps path, std::string code) {
  return expected_finding{std::move(path), std::move(code)};
}

bool is_there(const tree* value) {
  return value != nullptr && value->role != null_role;
}

/// Inserts a member or element at a random position.
void insert(tree& to, std::string name, tree value, chance& random) {
  const auto at = static_cast<std::ptrdiff_t>(random.below(to.children.size() + 1));
  to.children.emplace(to.children.begin() + at, std::move(name), std::move(value));
}

void append(tree& to, std::string name, tree value) {
  to.children.emplace_back(std::move(name), std::move(value));
}

void set(tree& to, std::string_view name, tree value, chance& random) {
  to.erase(name);
  insert(to, std::string{name}, std::move(value), random);
}

/// Sets a member, even one that another mutation removed.
void put(tree& to, std::string_view name, tree value) {
  if (auto* there = to.find(name))
    *there = std::move(value);
  else
    append(to, std::string{name}, std::move(value));
}

tree empty(tree::shape shape) {
  return {shape};
}

/// The label of a random port for which `belongs` holds; empty if there is none.
template <class Predicate>
std::string some_port(const tree& ports, chance& random, Predicate belongs) {
  steps labels;
  for (const auto& [label, port] : ports.children)
    if (belongs(port)) labels.push_back(label);
  return labels.empty() ? "" : labels[random.below(labels.size())];
}

/// Replaces the value by the scalar `text`.
outcome write(tree& value, std::string text, std::string code) {
  value = scalar_tree("", std::move(text));
  return found({}, std::move(code));
}

outcome write_text(tree& value, std::string_view text, std::string code) {
  value = string_tree("", text);
  return found({}, std::move(code));
}

/// The entry for the value's role.
template <class T, std::size_t N>
const T& of_role(const std::array<std::pair<std::string_view, T>, N>& all, const tree& value) {
  return std::ranges::find(all, value.role, [](const auto& each) { return each.first; })->second;
}

// Any value.

outcome another_type(tree& value, chance& random) {
  if (value.is == tree::shape::object)
    return write(value, random.one_of({"[]", "\"x\"", "7", "true"}), "wrong-type");
  if (value.is == tree::shape::array)
    return write(value, random.one_of({"{}", "\"x\"", "7", "false"}), "wrong-type");
  if (value.text.starts_with('"'))
    return write(value, random.one_of({"{}", "[\"x\"]", "7", "1e400", "true"}), "wrong-type");
  if (value.text == "true" || value.text == "false")
    return write(value, random.one_of({"{}", "\"true\"", "0", "[]"}), "wrong-type");
  return write(value, random.one_of({"{}", "\"7\"", "1.5", "1e-1", "true", "[7]"}), "wrong-type");
}

outcome unknown_member(tree& value, chance& random) {
  const auto name = random.one_of<std::string>({"mode", "\u202e", "", "Tier"});
  insert(value, name, scalar_tree("", random.one_of({"null", "1", "{\"a\":1}", "\"\""})), random);
  return found({name}, "unknown-member");
}

std::string other_name(const std::string& name) {
  for (const auto& each : key_aliases()) {
    if (name == each.neutral) return std::string{each.alias};
    if (name == each.alias) return std::string{each.neutral};
  }
  return name;
}

outcome repeated_member(tree& value, chance& random) {
  if (value.children.empty()) return std::nullopt;
  auto [name, again] = value.children[random.below(value.children.size())];
  const bool is_closed = value.role == "matchmaker" || value.role == "game_mode" ||
                         value.role == "captcha" || value.role == "engine";
  if (is_closed && random.one_in(2)) name = other_name(name);
  append(value, name, std::move(again));
  return found({name}, "duplicate-member");
}

outcome missing_member(tree& value, chance& random) {
  static const std::array<std::pair<std::string_view, steps>, 13> required{
      {{"version", {"config", "display_name"}},
       {"route", {"glob", "priority", "middlewares"}},
       {"middleware", {"kind"}},
       {"custom_headers", {"headers"}},
       {"header", {"name", "value"}},
       {"engine_d", {"game_module"}},
       {"idle_lobbies", {"min", "max"}},
       {"captcha", {"requests_before_reverify", "verification_ttl"}},
       {"provider", {"secret_key", "site_key"}},
       {"verification", {"url", "headers"}},
       {"action", {"enabled"}},
       {"port_range", {"min", "max"}},
       {"cli range", {"min", "max"}}}};
  const auto& names = of_role(required, value);
  const auto& name = names[random.below(names.size())];
  if (random.one_in(2))
    value.erase(name);
  else
    put(value, name, scalar_tree(null_role, "null"));
  return found({name}, "required");
}

// Texts.

outcome no_text(tree& value, chance&) {
  return write_text(value, "", "too-short");
}

outcome long_text(tree& value, chance&) {
  static const std::array<std::pair<std::string_view, std::string>, 7> texts{
      {{"display_name", repeated("é", 129)},
       {"captcha key", repeated("😀", 129)},
       {"arg", repeated("é", 257)},
       {"env value", repeated("v", 513)},
       {"header name", repeated("n", 513)},
       {"header value", repeated("é", 512) + "v"},
       {"url", "https://example.com/" + repeated("a", 2'029)}}};
  return write_text(value, of_role(texts, value), "too-long");
}

outcome bad_text(tree& value, chance& random) {
  static const std::array<std::pair<std::string_view, steps>, 5> texts{
      {{"display_name", {" a", "a ", "a  b", "a\tb", "\u00a0", "a\u202eb", "\uffff"}},
       {"header name", {" ", "é", "a:", "a\nb"}},
       {"header value", {"\n", "a\u0001", "\x7f"}},
       {"url", {"example.com", "https://", "https://a@b.example", "https://a:0", "http://a b"}},
       {"glob", {"", "***", "a**", "a/**b/c"}}}};
  const auto& all = of_role(texts, value);
  return write_text(value, all[random.below(all.size())], "invalid");
}

outcome another_scheme(tree& value, chance& random) {
  return write_text(value, random.one_of({"ftp://a.example", "file:///x"}), "invalid-scheme");
}

outcome private_url(tree& value, chance& random) {
  return write_text(value,
                    random.one_of({"http://localhost", "http://127.1/", "https://a.internal",
                                   "http://[::1]", "http://10.0.0.1:80/x"}),
                    "not-public");
}

outcome unknown_tier(tree& value, chance& random) {
  return write_text(value, random.one_of({"basic-1d3", "", "BASIC-1D1"}), "unknown-tier");
}

outcome unknown_word(tree& value, chance& random) {
  return write_text(value, random.one_of({"", "HTTPS", "None", "Host", "tls"}), "unknown-value");
}

// Numbers.

outcome too_low(tree& value, chance& random) {
  const auto number = value.role == "players" ? random.between(-9, 0) : random.between(-9, -1);
  return write(value, std::to_string(number), "too-low");
}

outcome too_high(tree& value, chance& random) {
  static const std::array<std::pair<std::string_view, std::int64_t>, 6> most{
      {{"players", 256},
       {"idle min", 16},
       {"idle max", 32},
       {"captcha requests", 600},
       {"captcha ttl", 43'200'000},
       {"priority", 100}}};
  return write(value, std::to_string(of_role(most, value) + random.between(1, 9)), "too-high");
}

outcome beyond_64_bits(tree& value, chance& random) {
  return write(value,
               random.one_of({"9223372036854775808", "-9223372036854775809", "1e400", "-1E+19"}),
               "out-of-range");
}

outcome beyond_32_bits(tree& value, chance& random) {
  return write(value, random.one_of({"-1", "4294967296", "1e99"}), "out-of-range");
}

outcome no_port(tree& value, chance& random) {
  return write(value, random.one_of({"0", "-1", "65536", "1e5"}), "out-of-range");
}

// Names.

/// A wrong name and the code of its finding.
using bad_name = std::pair<std::string, std::string>;

outcome wrong_name(tree& value, chance& random) {
  static const std::array<std::pair<std::string_view, std::vector<bad_name>>, 6> names{
      {{"game_modes",
        {{"", "invalid-name"},
         {"-a", "invalid-name"},
         {"é", "invalid-name"},
         {repeated("a", 65), "invalid-name"}}},
       {"ports",
        {{"", "invalid-name"},
         {"A", "invalid-name"},
         {"a--b", "invalid-name"},
         {repeated("a", 17), "invalid-name"}}},
       {"env",
        {{"", "too-short"},
         {"1A", "invalid"},
         {"A-B", "invalid"},
         {repeated("A", 65), "too-long"}}},
       {"scripts", {{"", "too-short"}, {repeated("é", 129), "too-long"}}},
       {"verification headers",
        {{"", "too-short"},
         {"a b", "invalid"},
         {"hOST", "reserved"},
         {"Connection", "reserved"},
         {"Content-Length", "reserved"},
         {"transfer-encoding", "reserved"},
         {repeated("n", 513), "too-long"}}},
       {"regions", {{"", "unknown-region"}, {"R7", "unknown-region"}, {"r99", "unknown-region"}}}}};
  if (value.children.empty()) return std::nullopt;
  const auto& all = of_role(names, value);
  const auto& [name, code] = all[random.below(all.size())];
  value.children[random.below(value.children.size())].first = name;
  return found({name}, code);
}

// Lists and maps.

outcome too_many(tree& value, chance& random) {
  struct filling {
    std::size_t limit;
    tree (*element)(std::size_t);
  };
  const auto nothing = [](std::size_t) { return string_tree("", ""); };
  const auto object = [](std::size_t) { return empty(tree::shape::object); };
  const auto port = [](std::size_t count) {
    return scalar_tree("", R"({"port":)" + std::to_string(100 + count) + "}");
  };
  const auto route = [](std::size_t count) {
    return scalar_tree("", R"({"glob":"x)" + std::to_string(count) +
                               R"(","priority":0,"middlewares":[]})");
  };
  const auto header = [](std::size_t) { return scalar_tree("", R"({"name":"a","value":""})"); };
  const std::array<std::pair<std::string_view, filling>, 9> fillings{
      {{"args", {64, nothing}},
       {"env", {64, nothing}},
       {"scripts", {128, nothing}},
       {"verification headers", {32, nothing}},
       {"regions", {64, object}},
       {"game_modes", {32, object}},
       {"ports", {16, port}},
       {"routes", {32, route}},
       {"custom headers", {32, header}}}};
  const auto& [limit, element] = of_role(fillings, value);
  for (std::size_t i = 0; value.children.size() <= limit; ++i) {
    auto name = "r" + std::to_string(i);
    if (value.find(name) == nullptr) insert(value, std::move(name), element(i), random);
  }
  return found({}, "too-many");
}

outcome same_glob(tree& value, chance& random) {
  if (value.children.empty()) return std::nullopt;
  append(value, "", value.children[random.below(value.children.size())].second);
  return found({std::to_string(value.children.size() - 1), "glob"}, "not-unique");
}

outcome no_kind(tree& value, chance& random) {
  if (random.one_in(2))
    value.children.clear();
  else
    put(value, "custom_headers", scalar_tree(null_role, "null"));
  return found({}, "required");
}

outcome same_kind(tree& value, chance&) {
  auto* all = value.find("middlewares");
  if (all == nullptr || all->children.empty()) return std::nullopt;
  append(*all, "", all->children.front().second);
  const auto last = std::to_string(all->children.size() - 1);
  return found({"middlewares", last, "kind", "custom_headers"}, "not-unique");
}

// Rules across members.

outcome no_provider(tree& value, chance&) {
  for (const auto name : {"captcha_provider_a", "hcaptcha", "captcha_provider_b", "turnstile"})
    value.erase(name);
  return found({}, "required");
}

outcome min_above_max(tree& value, chance& random) {
  const auto least = random.between(1, 16);
  put(value, "min", integer_tree("", least));
  put(value, "max", integer_tree("", random.between(0, least - 1)));
  return found({"min"}, "min-gt-max");
}

outcome number_and_range(tree& value, chance& random) {
  if (value.role == "open port")
    set(value, "port", integer_tree("", 60'000), random);
  else
    set(value, "port_range", scalar_tree("", R"({"min":1,"max":2})"), random);
  return found({}, "conflicting");
}

outcome neither_number_nor_range(tree& value, chance& random) {
  const auto name = value.role == "open port" ? "port_range" : "port";
  if (random.one_in(2))
    value.erase(name);
  else
    put(value, name, scalar_tree(null_role, "null"));
  return found({}, "required");
}

bool is_proxied(const tree& port) {
  return port.role == "proxied port";
}
bool is_open(const tree& port) {
  return port.role == "open port";
}

outcome same_number(tree& value, chance& random) {
  const auto label = some_port(value, random, is_proxied);
  if (label.empty()) return std::nullopt;
  append(value, "zz", *value.find(label));
  return found({"zz", "port"}, "not-unique");
}

outcome ranges_that_meet(tree& value, chance& random) {
  const auto label = some_port(value, random, is_open);
  if (label.empty()) return std::nullopt;
  append(value, "zz", *value.find(label));
  return found({"zz", "port_range"}, "ranges-overlap");
}

outcome range_of_the_gateway(tree& value, chance& random) {
  if (random.one_in(2))
    value.erase("proxy");
  else
    put(value, "proxy", string_tree("", random.one_of({"gateway", "game_guard"})));
  return found({"port_range"}, "unsupported-port-range");
}

outcome range_outside(tree& value, chance& random) {
  auto* range = value.find("port_range");
  if (range == nullptr) return std::nullopt;
  const auto first = random.one_of<std::int64_t>({0, 25'998, 31'999, 32'000});
  put(*range, "min", integer_tree("", first));
  put(*range, "max", integer_tree("", first + 1));
  return found({"port_range"}, "out-of-range");
}

/// Mutates a runtime: removes the gateway from a port.
outcome no_gateway(tree& value, chance& random) {
  auto* ports = value.find("ports");
  if (!is_there(ports)) return std::nullopt;
  const auto label = some_port(*ports, random, is_proxied);
  if (label.empty()) return std::nullopt;
  auto& port = *ports->find(label);
  set(port, "proxy", string_tree("", "none"), random);
  if (value.role == "runtime") return found({"ports", label}, "needs-host-network");
  const auto* protocol = port.find("protocol");
  const bool is_raw =
      is_there(protocol) && (protocol->text == "\"tcp\"" || protocol->text == "\"udp\"");
  if (is_raw) return found({"ports", label, "port"}, "unsupported-port");
  return found({"ports", label}, "needs-gateway");
}

outcome no_host_network(tree& value, chance& random) {
  const auto* ports = value.find("ports");
  if (!is_there(ports)) return std::nullopt;
  if (std::ranges::count_if(ports->children,
                            [](const auto& each) { return is_open(each.second); }) != 1)
    return std::nullopt;
  const auto label = some_port(*ports, random, is_open);
  if (random.one_in(2))
    value.erase("network_mode");
  else
    put(value, "network_mode", string_tree("", "bridge"));
  return found({"ports", label}, "needs-host-network");
}

outcome reserved_variable(tree& value, chance& random) {
  const auto* ports = value.find("ports");
  const auto* env = value.find("env");
  if (!is_there(ports) || ports->children.empty() || !is_there(env)) return std::nullopt;
  auto label = ports->children[random.below(ports->children.size())].first;
  std::ranges::replace(label, '-', '_');
  const auto name = random.one_of<std::string>(
      {"PORT_" + label, "PORT_RANGE_" + label + "_MIN", "PORT_RANGE_" + label + "_MAX"});
  insert(*value.find("env"), name, string_tree("", ""), random);
  return found({"env", name}, "reserved");
}

/// Adds the reserved variable in a mode that inherits the matchmaker's ports.
outcome variable_of_shared_port(tree& value, chance& random) {
  const auto runtime_of = [](tree& object) {
    auto* runtime = object.find("docker");
    return runtime != nullptr ? runtime : object.find("container_runtime");
  };
  auto* shared = runtime_of(value);
  auto* modes = value.find("game_modes");
  if (!is_there(shared) || !is_there(modes) || modes->children.empty()) return std::nullopt;
  auto* ports = shared->find("ports");
  if (!is_there(ports) || ports->children.empty()) return std::nullopt;
  auto& [name, mode] = modes->children[random.below(modes->children.size())];
  mode.erase("docker");
  mode.erase("container_runtime");
  auto label = ports->children.front().first;
  std::ranges::replace(label, '-', '_');
  append(mode, "docker", scalar_tree("", R"({"env":{"PORT_)" + label + R"(":""}})"));
  return found({"game_modes", name, "docker", "env", "PORT_" + label}, "reserved");
}

} // namespace

std::span<const version_mutation> version_mutations() {
  static const std::vector<std::string_view> closed{
      "version",    "config",         "cdn",          "route",     "middleware",
      "kind",       "custom_headers", "header",       "engine",    "engine_d",
      "matchmaker", "region",         "idle_lobbies", "captcha",   "provider",
      "runtime",    "host runtime",   "proxied port", "open port", "port_range",
      "cli range",  "game_mode",      "actions",      "action",    "verification"};
  static const std::vector<std::string_view> lists{
      "args",       "env",   "scripts", "verification headers", "regions",
      "game_modes", "ports", "routes",  "custom headers"};
  static const auto with = [](std::vector<std::string_view> all,
                              const std::vector<std::string_view>& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  static const auto maps = with(closed, {"env", "scripts", "verification headers", "regions",
                                         "game_modes", "ports", "cli map", "open object", "free"});
  static const std::vector<std::string_view> bounded{"players", "idle min", "idle max",
                                                     "captcha requests", "captcha ttl"};
  static const auto typed = [] {
    auto all = with(with(maps, bounded),
                    {"args",        "routes",    "custom headers", "display_name", "cli text",
                     "script",      "not empty", "glob",           "header name",  "header value",
                     "captcha key", "arg",       "env value",      "network_mode", "protocol",
                     "proxy",       "url",       "tier",           "flag",         "priority",
                     "port number", "range end", "cli integer"});
    // The body itself must be an object, and values that are not inspected may be anything.
    std::erase_if(all, [](auto role) { return role == "version" || role == "free"; });
    return all;
  }();
  static const std::vector<version_mutation> all{
      {"another type", typed, another_type},
      {"unknown member", closed, unknown_member},
      {"repeated member", maps, repeated_member},
      {"missing member",
       {"version", "route", "middleware", "custom_headers", "header", "engine_d", "idle_lobbies",
        "captcha", "provider", "verification", "action", "port_range", "cli range"},
       missing_member},
      {"no text", {"not empty", "captcha key", "display_name", "header name", "url"}, no_text},
      {"long text",
       {"display_name", "captcha key", "arg", "env value", "header name", "header value", "url"},
       long_text},
      {"bad text", {"display_name", "header name", "header value", "url", "glob"}, bad_text},
      {"another scheme", {"url"}, another_scheme},
      {"private url", {"url"}, private_url},
      {"unknown tier", {"tier"}, unknown_tier},
      {"unknown word", {"protocol", "proxy", "network_mode"}, unknown_word},
      {"too low", bounded, too_low},
      {"too high", with(bounded, {"priority"}), too_high},
      {"beyond 64 bits", with(bounded, {"cli integer"}), beyond_64_bits},
      {"beyond 32 bits", {"priority", "range end"}, beyond_32_bits},
      {"no port", {"port number"}, no_port},
      {"wrong name",
       {"game_modes", "ports", "env", "scripts", "verification headers", "regions"},
       wrong_name},
      {"too many", lists, too_many},
      {"same glob", {"routes"}, same_glob},
      {"no kind", {"kind"}, no_kind},
      {"same kind", {"route"}, same_kind},
      {"no provider", {"captcha"}, no_provider},
      {"min above max", {"idle_lobbies", "port_range"}, min_above_max},
      {"number and range", {"proxied port", "open port"}, number_and_range},
      {"neither number nor range", {"proxied port", "open port"}, neither_number_nor_range},
      {"same number", {"ports"}, same_number},
      {"ranges that meet", {"ports"}, ranges_that_meet},
      {"range of the gateway", {"open port"}, range_of_the_gateway},
      {"range outside", {"open port"}, range_outside},
      {"no gateway", {"runtime", "host runtime"}, no_gateway},
      {"no host network", {"host runtime"}, no_host_network},
      {"reserved variable", {"runtime", "host runtime"}, reserved_variable},
      {"variable of a shared port", {"matchmaker"}, variable_of_shared_port}};
  return all;
}

namespace {

struct site {
  json_tree* value;
  steps path;
};

void collect(json_tree& value, const std::vector<std::string_view>& roles, steps& path,
             std::vector<site>& sites) {
  if (std::ranges::find(roles, value.role) != roles.end()) sites.push_back({&value, path});
  for (std::size_t i = 0; i < value.children.size(); ++i) {
    auto& [name, child] = value.children[i];
    path.push_back(value.is == json_tree::shape::array ? std::to_string(i) : name);
    collect(child, roles, path, sites);
    path.pop_back();
  }
}

} // namespace

std::optional<expected_finding> spoil(json_tree& body, const version_mutation& how,
                                      chance& random) {
  std::vector<site> sites;
  steps path;
  collect(body, how.roles, path, sites);
  random.shuffle(sites);
  for (auto& [value, place] : sites) {
    auto expected = how.spoil(*value, random);
    if (!expected) continue;
    expected->path.insert(expected->path.begin(), place.begin(), place.end());
    return expected;
  }
  return std::nullopt;
}

} // namespace matchcloud::model
