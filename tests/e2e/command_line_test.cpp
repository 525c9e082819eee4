// Commands, configuration and listeners.
#include "base/clock.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/page_table.hpp"
#include "tests/service/server.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace {

using namespace matchcloud::e2e;
using matchcloud::fixtures::contains;

/// Runs `serve` with flags that keep it from changing anything if it starts unexpectedly.
command_result serve(arguments flags, const environment& added = {}) {
  flags.insert(flags.begin(), "serve");
  if (std::find(flags.begin(), flags.end(), "--data-dir") == flags.end())
    flags.insert(flags.end(), {"--data-dir", shared_world().data_dir()});
  child_process child{flags, added};
  command_result result;
  while (const auto line = child.next_line()) {
    result.out += *line + "\n";
    if (line->starts_with("ops plane on")) child.signal(SIGTERM);
  }
  result.exit_code = child.exit_code().value_or(-1);
  result.errors = child.errors();
  return result;
}

bool has_ipv6() {
  matchcloud::base::file_descriptor probe{::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in6 loopback{};
  loopback.sin6_family = AF_INET6;
  loopback.sin6_addr = in6addr_loopback;
  return probe &&
         ::bind(probe.get(), reinterpret_cast<const sockaddr*>(&loopback), sizeof loopback) == 0;
}

TEST_CASE("the help of each command teaches by an example", "[operations]") {
  const auto program = run({"--help"});
  CHECK(program.exit_code == 0);
  for (const std::string command :
       {"serve", "import", "export", "catalog", "validate", "signing-key", "demo", "schema",
        "version", "explain", "tls", "store"})
    CHECK(contains(program.out, command));
  CHECK(contains(program.out, "Exit codes"));
  const std::vector<arguments> commands{{"serve"},
                                        {"import", "catalog"},
                                        {"demo"},
                                        {"catalog"},
                                        {"catalog", "list"},
                                        {"catalog", "put"},
                                        {"catalog", "remove"},
                                        {"signing-key"},
                                        {"signing-key", "rotate"},
                                        {"tls"},
                                        {"tls", "self-signed"},
                                        {"explain"},
                                        {"store"},
                                        {"store", "copy"},
                                        {"validate"}};
  for (auto command : commands) {
    command.push_back("--help");
    const auto help = run(command);
    CHECK(help.exit_code == 0);
    CHECK(contains(help.out, "Example: matchcloud " + command.front()));
  }
  CHECK(run({"import", "--help"}).exit_code == 0);
  CHECK(run({"version", "--help"}).exit_code == 0);
}

TEST_CASE("without a command the program prints its help", "[operations]") {
  const auto alone = run({});
  CHECK(alone.exit_code == 0);
  CHECK(alone.out == run({"--help"}).out);
  CHECK(alone.errors.empty());
}

TEST_CASE("the help of serve is a screen that names every key under its heading", "[operations]") {
  const auto help = run({"serve", "--help"}).out;
  CHECK(std::count(help.begin(), help.end(), '\n') <= 86);
  const auto keys = first_column("docs/configuration.md", "keys");
  REQUIRE(keys.size() > 100);
  for (const auto& key : keys) {
    CAPTURE(key);
    CHECK((key.starts_with("limit-") || contains(help, "--" + key + " ") ||
           contains(help, "--" + key + "\n")));
  }
  for (const std::string heading : {"Listening", "Data", "Timeouts", "Exports", "Fault injection"})
    CHECK(contains(help, "\n" + heading + "\n"));
}

TEST_CASE("the whole help of serve tells default and bounds of each key", "[operations]") {
  const auto help = run({"serve", "--help-all"}).out;
  for (const std::string key :
       {"--listen", "--ops-listen", "--data-dir", "--geoip", "--loops", "--transport",
        "--trusted-proxies", "--max-connections", "--drain-timeout-ms", "--config"})
    CHECK(contains(help, key));
  CHECK(contains(help, "\nLimits of validation"));
  CHECK(contains(help, "--limit-max-players-highest"));
  CHECK(contains(help, "Default: 8000."));
  CHECK(contains(help, "Allowed: loops or"));
}

TEST_CASE("version tells its own and what it is built on", "[operations]") {
  const auto plain = run({"version"});
  CHECK(plain.exit_code == 0);
  CHECK(plain.out.starts_with("matchcloud "));
  const auto json = run({"version", "--json"});
  CHECK(json.exit_code == 0);
  CHECK(member_names(parse_json(json.out)) == arguments{"matchcloud", "commit", "build_type", "caf",
                                                        "cpp_httplib", "rapidjson", "sqlite"});
  for (const auto* const flag : {"-V", "--version"}) {
    const auto short_line = run({flag});
    CHECK(short_line.exit_code == 0);
    CHECK(plain.out.starts_with(short_line.out));
    CHECK(contains(short_line.out, parse_json(json.out)["commit"].GetString()));
  }
}

TEST_CASE("a wrong command line exits with 2 and says what is wrong", "[operations]") {
  for (const arguments& wrong :
       {arguments{"no-such-command"}, arguments{"serve", "--no-such-flag"},
        arguments{"serve", "stray"}, arguments{"demo", "--no-such-flag"}, arguments{"import"},
        arguments{"import", "catalog"}, arguments{"version", "--yaml"},
        arguments{"serve", "--listen"}, arguments{"serve", "--data-dir", "var", "other"},
        arguments{"serve", "--listen", "127.0.0.1:0", "127.0.0.1:1"}}) {
    const auto got = run(wrong);
    INFO(got.errors);
    CHECK(got.exit_code == 2);
    CHECK(got.out.empty());
    CHECK(contains(got.errors, "--help"));
    if (wrong.back() != "import" && wrong.back() != "catalog")
      CHECK(contains(got.errors, wrong.back()));
  }
}

TEST_CASE("a bad value exits with 2 and names key, value and what is allowed", "[operations]") {
  struct bad_value {
    std::string key;
    std::string value;
    std::string allowed;
  };
  for (const auto& bad : {
           bad_value{"loops", "257", "0 to 256"},
           {"loops", "-1", "0 to 256"},
           {"loops", "two", "0 to 256"},
           {"loops", "1.5", "0 to 256"},
           {"transport", "asio", "loops or httplib"},
           {"transport", "Loops", "loops or httplib"},
           {"listen", "8080", "ADDRESS:PORT"},
           {"listen", "127.0.0.1:65536", "ADDRESS:PORT"},
           {"listen", "::1:80", "ADDRESS:PORT"},
           {"listen", "localhost:80", "ADDRESS:PORT"},
           {"ops-listen", "nowhere", "ADDRESS:PORT"},
           {"trusted-proxies", "10.0.0.0/33", "CIDR"},
           {"cors-origins", "play.example", "origins"},
           {"cors-origins", "*,https://a.example", "origins"},
           {"base-path", "mm", "/path"},
           {"base-path", "/mm/", "/path"},
           {"public-url", "ftp://a.example", "http://"},
           {"fallback-location", "91,0", "LATITUDE,LONGITUDE"},
           {"fallback-location", "1", "LATITUDE,LONGITUDE"},
           {"fallback-location", "nan,0", "LATITUDE,LONGITUDE"},
           {"default-namespace", "prod", "UUID"},
           {"forwarded-header", "via", "auto, x-forwarded-for or forwarded"},
           {"unknown-members", "maybe", "reject or ignore"},
           {"edition", "free", "open-source, enterprise or hosted"},
           {"alias", "docker", "NEUTRAL=ALIAS"},
           {"limit-game-modes", "-1", "0 to 10000000"},
           {"limit-max-players-lowest", "257", "max-players-highest"},
           {"head-limit-bytes", "255", "256 to 65536"},
           {"body-limit-bytes", "67108865", "1024 to 67108864"},
           {"max-connections", "0", "1 to 1000000"},
           {"idle-timeout-ms", "9", "10 to 3600000"},
           {"loops", "18446744073709551616", "0 to 256"},
       }) {
    const auto got = serve({"--" + bad.key + "=" + bad.value});
    INFO(got.errors);
    CHECK(got.exit_code == 2);
    CHECK(contains(got.errors, "--" + bad.key));
    CHECK(contains(got.errors, bad.allowed));
    CHECK(contains(got.errors, bad.value));
  }
}

TEST_CASE("every bad value is told at once", "[operations]") {
  const auto got = serve({"--loops", "300", "--transport", "asio"});
  CHECK(got.exit_code == 2);
  CHECK(contains(got.errors, "--loops"));
  CHECK(contains(got.errors, "--transport"));
}

TEST_CASE("a TOML file configures, the environment beats it, a flag beats both", "[operations]") {
  const matchcloud::fixtures::temporary_directory folder;
  const auto file = folder.file("a.toml", "base-path = \"/file\"\nloops = 1\n"
                                          "listen = [\"127.0.0.1:0\", \"127.0.0.1:0\"]\n"
                                          "cors-origins = \"https://file.example\"\n");
  const auto found_at = [](const server& of, const std::string& base) {
    raw_connection client{of.data()};
    return client.ask(request("GET", base + regions_target)).status == 200;
  };
  const arguments from_file{"--config", file};
  const server both{from_file};
  CHECK(found_at(both, "/file"));

  const server by_environment{from_file, shared_world(), {"MATCHCLOUD_BASE_PATH=/environment"}};
  CHECK(found_at(by_environment, "/environment"));
  CHECK_FALSE(found_at(by_environment, "/file"));

  const server by_flag{{"--config", file, "--base-path", "/flag"},
                       shared_world(),
                       {"MATCHCLOUD_BASE_PATH=/environment"}};
  CHECK(found_at(by_flag, "/flag"));
}

TEST_CASE("a flag that is false beats a file that says true", "[operations]") {
  const matchcloud::fixtures::temporary_directory folder;
  const auto file = folder.file("a.toml", "complete = true\n");
  const auto verdict = [](const server& of) {
    raw_connection client{of.data()};
    return findings(
        client
            .ask(request("POST", versions_target, R"({"display_name":"v","config":{"engine":{}}})"))
            .body);
  };
  CHECK(verdict(server{{"--config", file}}) == arguments{"too-few config/matchmaker"});
  CHECK(verdict(server{{"--config", file, "--complete=false"}}).empty());

  const auto maybe = serve({"--complete=maybe"});
  CHECK(maybe.exit_code == 2);
  CHECK(contains(maybe.errors, "--complete = \"maybe\" is not valid; allowed: true or false"));
}

TEST_CASE("an unknown key of a TOML file exits with 2 and names file, line and key",
          "[operations]") {
  const matchcloud::fixtures::temporary_directory folder;
  const auto file = folder.file("a.toml", "loops = 1\nlistn = \"127.0.0.1:0\"\n");
  const auto got = serve({"--config", file});
  CHECK(got.exit_code == 2);
  CHECK(contains(got.errors, file + ":2"));
  CHECK(contains(got.errors, "listn"));

  const auto broken = serve({"--config", folder.file("b.toml", "loops = = 1\n")});
  CHECK(broken.exit_code == 2);
  CHECK(contains(broken.errors, "b.toml:1"));
  const auto typed = serve({"--config", folder.file("c.toml", "loops = {a = 1}\n")});
  CHECK(typed.exit_code == 2);
  CHECK(contains(typed.errors, "loops"));
  const auto bound = serve({"--config", folder.file("d.toml", "loops = 999\n")});
  CHECK(bound.exit_code == 2);
  CHECK(contains(bound.errors, "d.toml:1"));
  CHECK(contains(bound.errors, "0 to 256"));
  for (const auto& unreadable : {folder.path() + "/missing.toml", folder.path(), std::string{}}) {
    const auto refused = serve({"--config", unreadable});
    CHECK(refused.exit_code == 2);
    CHECK(contains(refused.errors, unreadable.empty() ? "--config" : unreadable + ": cannot be "));
  }
}

TEST_CASE("the environment configures; bad values exit with 2, unknown names are told",
          "[operations]") {
  const auto bad = serve({}, {"MATCHCLOUD_LOOPS=many"});
  CHECK(bad.exit_code == 2);
  CHECK(contains(bad.errors, "MATCHCLOUD_LOOPS"));
  CHECK(contains(bad.errors, "many"));
  CHECK(contains(bad.errors, "0 to 256"));
  server lenient{{}, shared_world(), {"MATCHCLOUD_SERVICE_PORT=tcp://10.0.0.1:80"}};
  CHECK(lenient.process().says("MATCHCLOUD_SERVICE_PORT"));
  check_serves(lenient.data());
}

TEST_CASE("a changed limit of validation changes verdict and message over HTTP", "[operations]") {
  // Large bodies have a separate validator.
  const std::string further(GENERATE(as<std::size_t>{}, 0, 100'000), 'x');
  const auto verdict = [&](const server& of, const std::string& name) {
    raw_connection client{of.data()};
    return client
        .ask(request("POST", groups_target,
                     R"({"display_name":")" + name + R"(","further":")" + further + R"("})"))
        .body;
  };
  const server narrow{{"--limit-group-display-name", "5"}};
  CHECK(findings(verdict(narrow, "Teams")).empty());
  const auto refused = verdict(narrow, "Raider");
  CHECK(findings(refused) == arguments{"too-long display_name"});
  CHECK(contains(refused, "5"));
  CHECK_FALSE(contains(refused, "24"));

  const matchcloud::fixtures::temporary_directory folder;
  const auto file = folder.file("a.toml", "[limits]\ngroup-display-name = 30\n");
  const server wide{{"--config", file}};
  CHECK(findings(verdict(wide, std::string(30, 'x'))).empty());
  CHECK(findings(verdict(wide, std::string(31, 'x'))) == arguments{"too-long display_name"});
}

TEST_CASE("a listener that others can reach needs --insecure-open", "[operations]") {
  for (const std::string where : {"0.0.0.0:0", "[::]:0", "192.0.2.1:0"}) {
    const auto got = serve({"--listen", where});
    INFO(got.errors);
    CHECK(got.exit_code == 2);
    CHECK(contains(got.errors, where));
    CHECK(contains(got.errors, "--insecure-open"));
  }
  server open{{"--listen", "0.0.0.0:0", "--insecure-open"}};
  check_serves({"127.0.0.1", open.data().port});
  CHECK(open.process().says("--public-url"));
}

TEST_CASE("a data directory that everybody may write is warned of at the start",
          "[operations][embedded]") {
  const world in;
  std::filesystem::permissions(in.data_dir(), std::filesystem::perms::all);
  const server of{{}, in};
  INFO(of.process().errors());
  CHECK(of.process().says(in.data_dir() + " has mode 0777"));
  CHECK(of.process().says("chmod o-w"));
}

TEST_CASE("the secrets of a value that is refused are not repeated", "[operations]") {
  const std::string secret = "s3://AKIA:hush/hush@Bucket!";
  for (const auto& got :
       {serve({"--objects", secret}), run({"objects", "check", "--objects", secret}),
        run({"objects", "check", "--objects", "s3://bucket", "--objects-endpoint",
             "https://me:hush@host/x"})}) {
    INFO(got.errors);
    CHECK((got.exit_code == 1 || got.exit_code == 2));
    CHECK(contains(got.errors, "matchcloud"));
    CHECK(!contains(got.errors, "hush"));
  }
}

TEST_CASE("a taken port exits with 1 and names it", "[operations]") {
  const server first;
  for (const std::string other : {"loops", "httplib"}) {
    const auto second = serve({"--transport", other, "--listen", first.data().authority(),
                               "--ops-listen", "127.0.0.1:0"});
    INFO(second.errors);
    CHECK(second.exit_code == 1);
    CHECK(second.out.empty());
    CHECK(contains(second.errors, first.data().authority()));
    CHECK(contains(second.errors, "another process"));
  }
  const auto ops = serve({"--listen", "127.0.0.1:0", "--ops-listen", first.ops().authority()});
  CHECK(ops.exit_code == 1);
  CHECK(contains(ops.errors, first.ops().authority()));
  check_serves(first.data());
}

TEST_CASE("a GeoIP file or data directory that cannot be used exits with 1", "[operations]") {
  const matchcloud::fixtures::temporary_directory folder;
  const auto junk = folder.file("junk.mmdb", "junk");
  const arguments ports{"--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"};
  const auto with = [&](const arguments& more) {
    auto flags = ports;
    flags.insert(flags.end(), more.begin(), more.end());
    return serve(flags);
  };
  const auto geoip = with({"--geoip", junk});
  CHECK(geoip.exit_code == 1);
  CHECK(contains(geoip.errors, junk));
  const auto store = with({"--data-dir", junk});
  CHECK(store.exit_code == 1);
  CHECK(contains(store.errors, junk));
}

TEST_CASE("several listeners are told in the order given and all serve", "[operations]") {
  // Different addresses show the order.
  const server many{{"--listen", "127.0.0.3:0,127.0.0.1:0", "--listen", "127.0.0.2:0"}};
  REQUIRE(many.listeners().size() == 3);
  CHECK(many.listeners()[0].host == "127.0.0.3");
  CHECK(many.listeners()[1].host == "127.0.0.1");
  CHECK(many.listeners()[2].host == "127.0.0.2");
  for (const auto& each : many.listeners())
    check_serves(each);
}

TEST_CASE("an IPv6 listener serves", "[operations]") {
  if (!has_ipv6()) {
    WARN("this machine has no [::1]");
    return;
  }
  const server v6{{"--listen", "[::1]:0,127.0.0.1:0"}};
  REQUIRE(v6.listeners().size() == 2);
  CHECK(v6.listeners()[0].host == "::1");
  for (const auto& each : v6.listeners())
    check_serves(each);
}

TEST_CASE("importing tells what was done, and what is wrong with a document", "[operations]") {
  const matchcloud::fixtures::temporary_directory folder;
  const auto dir = folder.path() + "/store";
  const auto import = [&](const std::string& document) {
    return run({"import", "catalog", "--data-dir", dir, folder.file("c.json", document)});
  };
  const std::string sound = R"({"tiers": ["basic-9d9"]})";
  CHECK(contains(import(sound).out, "imported"));
  CHECK(contains(import(sound).out, "nothing new"));
  const auto wrong = import(R"({"regions": [{"region_id": "UPPER"}]})");
  CHECK(wrong.exit_code == 1);
  CHECK(contains(wrong.errors, "c.json"));
  CHECK(contains(wrong.errors, "region_id"));
  CHECK(import("{").exit_code == 1);
  const auto missing = run({"import", "catalog", "--data-dir", dir, dir + "/none.json"});
  CHECK(missing.exit_code == 1);
  CHECK(contains(missing.errors, "none.json"));
}

TEST_CASE("the signing key is rotated, with the replaced one kept or revoked", "[operations]") {
  const matchcloud::fixtures::temporary_directory folder;
  REQUIRE(run({"demo", "--data-dir", folder.path()}).exit_code == 0);
  const auto lines = [&] {
    std::ifstream in{folder.path("signing-keys")};
    std::vector<std::string> keys;
    for (std::string line; std::getline(in, line);)
      if (!line.starts_with('#')) keys.push_back(line);
    return keys;
  };
  const arguments rotate{"signing-key", "rotate", "--data-dir", folder.path()};
  const auto kept = run(rotate);
  CHECK(kept.exit_code == 0);
  CHECK(contains(kept.out, "until they expire"));
  const auto first = lines();
  REQUIRE(first.size() == 2);

  auto revoke = rotate;
  revoke.push_back("--revoke");
  const auto revoked = run(revoke);
  CHECK(revoked.exit_code == 0);
  CHECK(contains(revoked.out, "refused"));
  const auto second = lines();
  REQUIRE(second.size() == 1);
  CHECK(second.front() != first.front());
}

TEST_CASE("a signing key that cannot be rotated exits with 1 and says what to do", "[operations]") {
  const matchcloud::fixtures::temporary_directory folder;
  const auto typo = folder.path("none");
  const auto missing = run({"signing-key", "rotate", "--data-dir", typo});
  CHECK(missing.exit_code == 1);
  CHECK(contains(missing.errors, typo));
  CHECK_FALSE(std::filesystem::exists(typo));

  REQUIRE(run({"demo", "--data-dir", folder.path()}).exit_code == 0);
  const auto file = folder.file("signing-keys", "");
  std::filesystem::permissions(file, std::filesystem::perms{0644});
  const auto open_to_others = run({"signing-key", "rotate", "--data-dir", folder.path()});
  CHECK(open_to_others.exit_code == 1);
  CHECK(contains(open_to_others.errors, "chmod o-rwx " + file));
}

TEST_CASE("commands find the data directory that the environment names", "[operations]") {
  const matchcloud::fixtures::temporary_directory named;
  const environment told{"MATCHCLOUD_DATA_DIR=" + named.path("store")};
  REQUIRE(run({"demo"}, told).exit_code == 0);
  CHECK(std::filesystem::exists(named.path("store/matchcloud.db")));
  const auto listed = run({"catalog", "list", "games"}, told);
  CHECK(contains(listed.out, std::string{demo_game}));
  const auto elsewhere = run({"catalog", "list", "games", "--data-dir", named.path("none")}, told);
  CHECK(elsewhere.exit_code == 1);
}

TEST_CASE("demo data leads up to now, or to another moment", "[operations]") {
  const matchcloud::fixtures::temporary_directory folder;
  const auto lobbies = [&](const std::string& place, const std::string& start) {
    const auto done = run({"export", "--data-dir", place, "--game", "Demo Game", "--start", start,
                           "--end", "4102444800000", "-o", "-"});
    INFO(done.errors);
    REQUIRE(done.exit_code == 0);
    return std::count(done.out.begin(), done.out.end(), '\n') - 1;
  };
  const auto an_hour_ago = std::to_string(matchcloud::base::machine_clock().unix_ms() - 3'600'000);
  REQUIRE(run({"demo", "--data-dir", folder.path("now")}).exit_code == 0);
  CHECK(lobbies(folder.path("now"), "0") == 10'000);
  const auto recent = lobbies(folder.path("now"), an_hour_ago);
  CHECK(recent > 10);
  CHECK(recent < 200);

  const auto seed = [&](const std::string& until) {
    return run({"demo", "--data-dir", folder.path("then"), "--until", until});
  };
  CHECK(contains(seed("2026-02-01").out, "seeded"));
  CHECK(lobbies(folder.path("then"), "2026-01-01") == 10'000);
  // Later runs keep the dates of the first.
  CHECK(contains(seed("2026-02-02T00:00:00Z").out, "already there"));
  CHECK(contains(seed("2d").out, "already there"));
  for (const auto& [until, why] :
       {std::pair{"soon", "--until `soon` is neither a date"}, {"1970-01-31", "is too early"}}) {
    const auto refused = seed(until);
    CHECK(refused.exit_code == 2);
    CHECK(contains(refused.errors, why));
  }
}

TEST_CASE("seeding twice changes nothing", "[operations]") {
  const matchcloud::fixtures::temporary_directory folder;
  const arguments seed{"demo", "--data-dir", folder.path()};
  CHECK(contains(run(seed).out, "seeded"));
  const auto again = run(seed);
  CHECK(again.exit_code == 0);
  CHECK(contains(again.out, "already there"));
}

} // namespace
