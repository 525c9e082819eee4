#include "app/config/config.hpp"
#include "model/validation/rule_keys.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <unistd.h>

namespace matchcloud::app {
namespace {

base::expected<serve_config> with(std::string key, std::vector<std::string> values) {
  return make_config({{key, "--" + key, std::move(values)}});
}

std::string why_not(std::string key, std::vector<std::string> values) {
  const auto config = with(std::move(key), std::move(values));
  REQUIRE(!config.has_value());
  CHECK(config.error().code == base::errc::config_invalid);
  return config.error().detail;
}

/// A file with the given text, removed at the end of the test.
class written_file {
public:
  explicit written_file(const std::string& text) {
    const int fd = mkstemp(path_.data());
    REQUIRE(fd >= 0);
    ::close(fd);
    std::ofstream{path_} << text;
  }
  ~written_file() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

private:
  std::string path_ = "/tmp/matchcloud-config-XXXXXX";
};

TEST_CASE("every key has a name of its own, what is allowed and what it is for") {
  std::set<std::string_view> names;
  for (const auto& key : config_keys()) {
    CAPTURE(key.name);
    CHECK(names.insert(key.name).second);
    CHECK(key.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string_view::npos);
    CHECK(!key.allowed.empty());
    CHECK(key.purpose.ends_with('.'));
    CHECK(find_config_key(key.name) == &key);
    CHECK(key.name.ends_with(name_in_table(key)));
  }
  CHECK(find_config_key("no-such-key") == nullptr);
  CHECK(find_config_key("Listen") == nullptr);
}

TEST_CASE("every default is allowed") {
  for (const auto& key : config_keys()) {
    if (key.default_value.empty()) continue;
    CAPTURE(key.name);
    CHECK(with(std::string{key.name}, {std::string{key.default_value}}).has_value());
  }
}

TEST_CASE("without a word the table's defaults are those of the limits") {
  const auto config = make_config({}).value();
  const http::limits limits;
  CHECK(config.listen.size() == 1);
  CHECK(http::to_string(config.listen[0].where) == "127.0.0.1:8080");
  CHECK(http::to_string(config.ops_listen) == "127.0.0.1:8081");
  CHECK(config.transport == transport_kind::loops);
  CHECK(config.front.cors_origins == std::vector<std::string>{"*"});
  CHECK(config.front.base_path.empty());
  CHECK(!config.insecure_open);
  CHECK(!config.ranking.default_namespace);
  CHECK(!config.ranking.fallback);
  CHECK(config.limits.head_limit_bytes == limits.head_limit_bytes);
  CHECK(config.limits.target_limit_bytes == limits.target_limit_bytes);
  CHECK(config.limits.body_limit_bytes == limits.body_limit_bytes);
  CHECK(config.limits.connection_limit == limits.connection_limit);
  CHECK(config.limits.in_flight_limit == limits.in_flight_limit);
  CHECK(config.limits.byte_budget_bytes == limits.byte_budget_bytes);
  CHECK(config.limits.listen_backlog == limits.listen_backlog);
  CHECK(config.limits.head_timeout == limits.head_timeout);
  CHECK(config.limits.body_timeout == limits.body_timeout);
  CHECK(config.limits.idle_timeout == limits.idle_timeout);
  CHECK(config.limits.write_timeout == limits.write_timeout);
  CHECK(config.limits.request_timeout == limits.request_timeout);
  CHECK(config.drain_timeout == serve_config{}.drain_timeout);
  CHECK(config.ranking.cache_limit_bytes == actors::ranking_config{}.cache_limit_bytes);
}

TEST_CASE("numbers are allowed up to their bounds and not beyond") {
  struct bounds {
    std::string key;
    std::uint64_t least;
    std::uint64_t most;
  };
  for (const auto& row :
       {bounds{"loops", 0, 256}, bounds{"busy-poll-us", 0, 1'000},
        bounds{"head-limit-bytes", 256, 65'536}, bounds{"target-limit-bytes", 64, 32'768},
        bounds{"body-limit-bytes", 1'024, 67'108'864}, bounds{"max-connections", 1, 1'000'000},
        bounds{"listen-backlog", 1, 65'535}, bounds{"head-timeout-ms", 10, 3'600'000},
        bounds{"drain-timeout-ms", 0, 3'600'000}}) {
    CAPTURE(row.key);
    CHECK(with(row.key, {std::to_string(row.least)}).has_value());
    CHECK(with(row.key, {std::to_string(row.most)}).has_value());
    if (row.least > 0) CHECK(!with(row.key, {std::to_string(row.least - 1)}).has_value());
    CHECK(!with(row.key, {std::to_string(row.most + 1)}).has_value());
    for (const std::string nonsense :
         {"-1", "+1", "1.5", "1e3", "0x100", " 300", "300 ", "many", "18446744073709551616"})
      CHECK(!with(row.key, {nonsense}).has_value());
    // The bounds stated in the help text are the ones in force.
    const std::string allowed{find_config_key(row.key)->allowed};
    CHECK(allowed.find(std::to_string(row.least) + " to " + std::to_string(row.most)) == 0);
  }
}

TEST_CASE("a finding names source, value and what is allowed") {
  const auto text = why_not("head-limit-bytes", {"12"});
  CHECK(text == "--head-limit-bytes = \"12\" is not valid; allowed: 256 to 65536");
}

TEST_CASE("a finding names no password, whatever key a URL was given for") {
  for (const auto& key : config_keys()) {
    CAPTURE(key.name);
    for (const std::string value : {"s3://AKIA:hush/hush@Bucket!", "AKIA:hush@Bucket"}) {
      const auto config = with(key.name, {value});
      if (config) continue;
      CHECK(config.error().detail.find("hush") == std::string::npos);
    }
  }
  CHECK(why_not("objects", {"s3://AKIA:hush@Bucket!"}).find("s3://***@Bucket!") !=
        std::string::npos);
  const auto config =
      make_config({{"objects", "--objects", {"s3://bucket"}},
                   {"objects-endpoint", "--objects-endpoint", {"https://me:hush@host/path"}}});
  REQUIRE(!config.has_value());
  CHECK(config.error().detail.find("hush") == std::string::npos);
}

TEST_CASE("all findings come at once, a line each") {
  const auto config = make_config({{"loops", "MATCHCLOUD_LOOPS", {"x"}},
                                   {"transport", "--transport", {"smoke"}},
                                   {"head-limit-bytes", "--head-limit-bytes", {"300"}}});
  REQUIRE(!config.has_value());
  const auto& text = config.error().detail;
  CHECK(text.find("MATCHCLOUD_LOOPS = \"x\"") != std::string::npos);
  CHECK(text.find("--transport = \"smoke\"") != std::string::npos);
  CHECK(text.find("head-limit") == std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
}

TEST_CASE("a later source replaces an earlier one, lists too") {
  const auto config = make_config({{"loops", "file", {"1"}},
                                   {"listen", "file", {"127.0.0.1:1", "127.0.0.1:2"}},
                                   {"loops", "--loops", {"2"}},
                                   {"listen", "--listen", {"[::1]:3"}}});
  REQUIRE(config);
  CHECK(config->loops == 2);
  REQUIRE(config->listen.size() == 1);
  CHECK(config->listen[0].where.port == 3);
}

TEST_CASE("lists are repeatable and comma-separated") {
  const auto config = with("listen", {"127.0.0.1:1, 127.0.0.1:2", "[::1]:3"});
  REQUIRE(config);
  CHECK(config->listen.size() == 3);
  CHECK(!with("listen", {}).has_value());
  CHECK(!with("listen", {""}).has_value());
  CHECK(!with("listen", {","}).has_value());
  CHECK(why_not("listen", {"127.0.0.1:1,localhost"}).find("ADDRESS:PORT") != std::string::npos);
}

TEST_CASE("a listener may expect PROXY headers, on the loops transport alone") {
  const auto config = with("listen", {"127.0.0.1:1/proxy", "127.0.0.1:2", "[::1]:3/proxy"});
  REQUIRE(config);
  REQUIRE(config->listen.size() == 3);
  CHECK(config->listen[0].kind.proxy_header);
  CHECK(http::to_string(config->listen[0].where) == "127.0.0.1:1");
  CHECK(config->listen[1].kind == http::listener_kind{});
  CHECK(config->listen[2].kind.proxy_header);
  CHECK(http::to_string(config->listen[2].where) == "[::1]:3");
  for (const std::string bad : {"127.0.0.1:1/PROXY", "127.0.0.1:1/", "127.0.0.1:1/proxy/",
                                "127.0.0.1:1/proxy/proxy", "/proxy", "127.0.0.1/proxy",
                                "127.0.0.1:1 /proxy", "127.0.0.1:1/TLS", "127.0.0.1:1/tls/tls"})
    CHECK(why_not("listen", {bad}).find("ADDRESS:PORT, optionally") != std::string::npos);
  CHECK(!with("ops-listen", {"127.0.0.1:1/proxy"}).has_value());

  const auto both = [](const std::string& listen) {
    return make_config({{"listen", "file: listen", {listen}}, {"transport", "file", {"httplib"}}});
  };
  CHECK(both("127.0.0.1:1").has_value());
  const auto refused = both("127.0.0.1:1,127.0.0.1:2/proxy");
  REQUIRE(!refused.has_value());
  CHECK(refused.error().code == base::errc::config_invalid);
  CHECK(refused.error().detail.starts_with("file: listen = \"127.0.0.1:1,127.0.0.1:2/proxy\""));
  CHECK(refused.error().detail.find("supports neither") != std::string::npos);
  const auto exposed = both("0.0.0.0:1");
  REQUIRE(!exposed.has_value());
  CHECK(exposed.error().detail.find("listen on loopback") != std::string::npos);
}

TEST_CASE("the transport httplib cannot be taken over, and the error says why") {
  CHECK(with("take-over", {"true"})->take_over);
  CHECK_FALSE(with("take-over", {"false"})->take_over);
  const auto both = [](const std::string& take_over) {
    return make_config(
        {{"take-over", "MATCHCLOUD_TAKE_OVER", {take_over}}, {"transport", "file", {"httplib"}}});
  };
  CHECK(both("false").has_value());
  const auto refused = both("true");
  REQUIRE(!refused.has_value());
  CHECK(refused.error().code == base::errc::config_invalid);
  CHECK(refused.error().detail.starts_with("MATCHCLOUD_TAKE_OVER = \"true\""));
  CHECK(refused.error().detail.find("shutdown(2)") != std::string::npos);
}

TEST_CASE("an empty value asks for nothing where nothing is the default") {
  CHECK(with("geoip", {""})->geoip_files.empty());
  CHECK(with("base-path", {""})->front.base_path.empty());
  CHECK(!with("default-namespace", {""})->ranking.default_namespace);
  CHECK(with("trusted-proxies", {""})->front.proxies.trusted_proxies.empty());
}

TEST_CASE("texts with a form are held to it") {
  CHECK(with("base-path", {"/api/v1"})->front.base_path == "/api/v1");
  for (const std::string bad : {"api", "/api/", "/", "/a//b", "/a b", "/%61", "/a?b"})
    CHECK(!with("base-path", {bad}).has_value());

  CHECK(with("public-url", {"https://x.example/y"})->public_url == "https://x.example/y");
  for (const std::string bad :
       {"x.example", "ftp://x.example", "http://", "http:///y", "https://x/", "http://x/?y"})
    CHECK(!with("public-url", {bad}).has_value());

  for (const auto* key : {"public-url", "objects-images-url"}) {
    const auto why = why_not(key, {"https://me:secret@x.example"});
    CHECK(why.find("the user name and password before the @") != std::string::npos);
    CHECK(why.find("secret") == std::string::npos);
    CHECK(!with(key, {"https://me@x.example"}).has_value());
  }

  CHECK(with("data-hosts", {"a.example,b"})->front.access.data_hosts ==
        std::vector<std::string>{"a.example", "b"});
  CHECK(with("public-url", {"https://match.example:8443/x"})->front.access.data_hosts ==
        std::vector<std::string>{"match.example"});
  CHECK(!with("data-hosts", {"https://a.example"}).has_value());
  CHECK(!with("data-hosts", {"a.example:80"}).has_value());

  CHECK(with("cors-origins", {"https://a.example,http://b.example"})->front.cors_origins.size() ==
        2);
  for (const std::string bad : {"a.example", "https://a.example/", "*,https://a.example"})
    CHECK(!with("cors-origins", {bad}).has_value());
  CHECK(with("cors-headers", {"X-Session,x-datadog-origin"})->front.cors_headers ==
        std::vector<std::string>{"X-Session", "x-datadog-origin"});
  for (const std::string bad : {"X Session", "X-Session:", "*", "Host", "cookie", "Content-Length",
                                "Proxy-Authorization", "sec-fetch-site", "X-\xc3\xa9", "a\r\nb"})
    CHECK(!with("cors-headers", {bad}).has_value());
  CHECK(with("cors-headers", {std::string(64, 'x')}).has_value());
  CHECK(!with("cors-headers", {std::string(65, 'x')}).has_value());
  CHECK(with("cors-headers", std::vector<std::string>(32, "x")).has_value());
  CHECK(!with("cors-headers", std::vector<std::string>(33, "x")).has_value());

  CHECK(with("ops-hosts", {"My_Service,Ops.Example.,https://tls.example"})
            ->front.access.ops_hosts.size() == 3);
  for (const std::string bad : {"a..b", "-a", "a b", "a:80", ".", "http://a", "https://", "a/b"})
    CHECK(!with("ops-hosts", {bad}).has_value());

  const auto place = with("fallback-location", {"50.5,-8"})->ranking.fallback;
  REQUIRE(place);
  CHECK(place->latitude == 50.5);
  CHECK(place->longitude == -8);
  for (const std::string bad : {"50", "50,8,1", "90.1,0", "0,180.1", "nan,0", "x,y", "1e400,0"})
    CHECK(!with("fallback-location", {bad}).has_value());

  CHECK(with("trusted-proxies", {"10.0.0.0/8,::1"})->front.proxies.trusted_proxies.size() == 2);
  CHECK(!with("trusted-proxies", {"10.0.0.1/8"}).has_value());
  CHECK(with("transport", {"httplib"})->transport == transport_kind::httplib);
  CHECK(!with("transport", {"Loops"}).has_value());
  CHECK(with("unknown-members", {"ignore"})->rules.unknown_members ==
        model::unknown_members::ignore);
  CHECK(with("insecure-open", {"true"})->insecure_open);
  CHECK(!with("insecure-open", {"yes"}).has_value());
}

TEST_CASE("a TOML file gives values of every type, and says where they stood") {
  const written_file file{"loops = 3\n"
                          "listen = [\"127.0.0.1:1\", \"[::1]:2\"]\n"
                          "insecure-open = true\n"
                          "fallback-location = [50.5, 8]\n"};
  const auto given = read_config_file(file.path());
  REQUIRE(given);
  const auto config = make_config(*given);
  REQUIRE(config);
  CHECK(config->loops == 3);
  CHECK(config->listen.size() == 2);
  CHECK(config->insecure_open);
  CHECK(config->ranking.fallback == model::coordinates{50.5, 8});

  const written_file wrong{"\nloops = 300\n"};
  const auto refused = make_config(read_config_file(wrong.path()).value());
  REQUIRE(!refused.has_value());
  CHECK(refused.error().detail.find(wrong.path() + ":2: loops = \"300\"") == 0);
}

TEST_CASE("a TOML file with unknown keys, tables or bad syntax is refused, naming the line") {
  for (const std::string text : {"\n\nnot-a-key = 1\n", "\n\nlisten = {a = 1}\n",
                                 "\n\nloops = = 1\n", "\n\n[loops]\nx = 1\n"}) {
    CAPTURE(text);
    const written_file file{text};
    const auto given = read_config_file(file.path());
    REQUIRE(!given.has_value());
    CHECK(given.error().code == base::errc::config_invalid);
    CHECK(given.error().detail.find(file.path() + ":3") == 0);
  }
}

TEST_CASE("a path that cannot be read as a TOML file is refused, not taken for an empty file") {
  const auto why_not = [](const std::string& file) {
    const auto given = read_config_file(file);
    REQUIRE(!given.has_value());
    CHECK(given.error().code == base::errc::config_invalid);
    return given.error().detail;
  };
  CHECK(why_not("/nonexistent/a.toml") ==
        "/nonexistent/a.toml: cannot be opened: No such file or directory");
  CHECK(why_not("/") == "/: cannot be read: Is a directory");
  CHECK(why_not("/dev/zero") == "/dev/zero: has more than 1048576 bytes");
}

TEST_CASE("every limit of validation is a key with the table's default and bounds") {
  const auto config = make_config({}).value();
  CHECK(model::check_rules(config.rules).has_value());
  for (const auto& limit : model::validation_limit_table()) {
    CAPTURE(limit.name);
    const auto name = "limit-" + std::string{limit.name};
    const auto* key = find_config_key(name);
    REQUIRE(key != nullptr);
    CHECK(name_in_table(*key) == limit.name);
    CHECK(config.rules.limits.*limit.value == model::validation_limits{}.*limit.value);
    for (const auto bound : {limit.lowest, limit.highest}) {
      // Sets the other end of the span so that it does not interfere.
      const auto set = make_config({{"limit-max-players-lowest", "x", {"0"}},
                                    {"limit-max-players-highest", "x", {"4294967295"}},
                                    {"limit-host-port-lowest", "x", {"1"}},
                                    {"limit-host-port-highest", "x", {"65535"}},
                                    {name, name, {std::to_string(bound)}}});
      REQUIRE(set);
      CHECK(set->rules.limits.*limit.value == bound);
    }
    CHECK(why_not(name, {std::to_string(limit.highest + 1)})
              .find(std::to_string(limit.lowest) + " to " + std::to_string(limit.highest)) !=
          std::string::npos);
    if (limit.lowest > 0) CHECK(!with(name, {std::to_string(limit.lowest - 1)}).has_value());
  }
}

TEST_CASE("limits that leave no value are refused by the one that was given") {
  const auto text = why_not("limit-max-players-lowest", {"300"});
  CHECK(text.find("--limit-max-players-lowest = \"300\"") == 0);
  CHECK(text.find("max-players-highest") != std::string::npos);

  // The first culprit is named even if, without it, another setting would still leave no value.
  const auto both = make_config({{"limit-max-players-lowest", "a.toml:1: lowest", {"300"}},
                                 {"limit-host-port-lowest", "a.toml:2: port", {"40000"}}});
  REQUIRE(!both.has_value());
  CHECK(both.error().detail.find("a.toml:1: lowest = \"300\"") == 0);
}

TEST_CASE("rules are given by words") {
  CHECK(make_config({})->rules.edition == model::service_edition::open_source);
  CHECK(with("edition", {"hosted"})->rules.edition == model::service_edition::hosted);
  CHECK(!with("edition", {"Hosted"}).has_value());
  CHECK(with("complete", {"true"})->rules.complete);
  const auto aliases = with("alias", {"container_runtime=oci,gateway=shield"})->rules;
  REQUIRE(aliases.further_aliases.size() == 2);
  CHECK(aliases.further_aliases[0].neutral == "container_runtime");
  CHECK(aliases.further_aliases[0].alias == "oci");
  CHECK(aliases.further_aliases[1].alias == "shield");
  for (const std::string bad : {"container_runtime", "container_runtime=", "=oci", "nothing=oci"})
    CHECK(why_not("alias", {bad}).find("NEUTRAL=ALIAS") != std::string::npos);
}

TEST_CASE(
    "rules and limits have tables of their own in a TOML file, or their full names at the top") {
  const written_file tables{"loops = 3\n"
                            "[limits]\n"
                            "max-players-highest = 64\n"
                            "[rules]\n"
                            "complete = true\n"
                            "edition = \"hosted\"\n"
                            "unknown-members = \"ignore\"\n"
                            "alias = [\"container_runtime=oci\"]\n"};
  const written_file flat{"loops = 3\n"
                          "limit-max-players-highest = 64\n"
                          "complete = true\n"
                          "edition = \"hosted\"\n"
                          "unknown-members = \"ignore\"\n"
                          "alias = \"container_runtime=oci\"\n"};
  for (const auto* file : {&tables, &flat}) {
    const auto config = make_config(read_config_file(file->path()).value());
    REQUIRE(config);
    CHECK(config->loops == 3);
    CHECK(config->rules.limits.max_players_highest == 64);
    CHECK(config->rules.complete);
    CHECK(config->rules.edition == model::service_edition::hosted);
    CHECK(config->rules.unknown_members == model::unknown_members::ignore);
    REQUIRE(config->rules.further_aliases.size() == 1);
    CHECK(config->rules.further_aliases[0].alias == "oci");
  }
}

TEST_CASE("an error in a table of a TOML file names the line, the key and the allowed keys") {
  struct wrong_file {
    std::string text;
    std::vector<std::string> says;
  };
  for (const auto& wrong : {
           wrong_file{"\n[limits]\nmax-player-highest = 3\n",
                      {":3: ", "[limits]", "\"max-player-highest\"",
                       "did you mean \"max-players-highest\"?", "game-mode-name"}},
           {"\n[limits]\ncomplete = true\n", {":3: ", "\"complete\""}},
           {"\n[limits]\nlimit-ports = 1\n", {":3: ", "did you mean \"ports\"?"}},
           {"\n[rules]\ncompleet = true\n",
            {":3: ", "[rules]", "did you mean \"complete\"?", "edition"}},
           {"\n[rules]\nloops = 1\n", {":3: ", "\"loops\""}},
           {"\n\nlistn = \"127.0.0.1:0\"\n", {":3: ", "did you mean \"listen\"?", "--help"}},
           {"\n\n[limit]\nports = 3\n", {":3: ", "did you mean \"limits\"?"}},
           {"\n\nlimits = 3\n", {":3: ", "[limits] on a line of its own"}},
           {"limit-ports = 1\n[limits]\nports = 2\n", {"given twice", ":1: limit-ports", ":3: "}},
           {"\n[limits]\nports = [1, 2]\n", {":3: ", "one value"}},
           {"\n[rules]\nregions = [\"lon\"]\n", {":3: ", "catalog list regions"}},
           {"\n[rules]\ntiers = [\"basic-1d1\"]\n", {":3: ", "catalog list tiers"}},
       }) {
    CAPTURE(wrong.text);
    const written_file file{wrong.text};
    const auto given = read_config_file(file.path());
    REQUIRE(!given.has_value());
    CHECK(given.error().code == base::errc::config_invalid);
    for (const auto& part : wrong.says) {
      CAPTURE(part, given.error().detail);
      CHECK(given.error().detail.find(part) != std::string::npos);
    }
  }
  const written_file bound{"[limits]\nports = 99999999999\n"};
  const auto refused = make_config(read_config_file(bound.path()).value());
  REQUIRE(!refused.has_value());
  CHECK(refused.error().detail.find(bound.path() + ":2: ports = \"99999999999\"") == 0);
  CHECK(refused.error().detail.find("0 to 256") != std::string::npos);
}

TEST_CASE("the environment gives values; unknown names are reported, not refused") {
  setenv("MATCHCLOUD_HEAD_LIMIT_BYTES", "300", 1);
  setenv("MATCHCLOUD_PORT_80_TCP", "tcp://10.0.0.1", 1);
  setenv("MATCHCLOUD_LIMIT_GAME_MODES", "7", 1);
  setenv("MATCHCLOUD_TOKEN", "mc_game_abc", 1);
  std::vector<std::string> unknown;
  const auto given = read_environment(unknown);
  unsetenv("MATCHCLOUD_HEAD_LIMIT_BYTES");
  unsetenv("MATCHCLOUD_PORT_80_TCP");
  unsetenv("MATCHCLOUD_LIMIT_GAME_MODES");
  unsetenv("MATCHCLOUD_TOKEN");
  CHECK(make_config(given)->limits.head_limit_bytes == 300);
  CHECK(make_config(given)->rules.limits.game_modes == 7);
  CHECK(std::count(unknown.begin(), unknown.end(), "MATCHCLOUD_PORT_80_TCP") == 1);
  // It is for the commands that ask a service.
  CHECK(std::count(unknown.begin(), unknown.end(), "MATCHCLOUD_TOKEN") == 0);
  CHECK(std::ranges::none_of(given,
                             [](const auto& each) { return each.source == "MATCHCLOUD_TOKEN"; }));
  CHECK(std::ranges::any_of(
      given, [](const auto& each) { return each.source == "MATCHCLOUD_HEAD_LIMIT_BYTES"; }));
}

} // namespace
} // namespace matchcloud::app
