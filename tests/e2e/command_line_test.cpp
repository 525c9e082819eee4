// Commands, configuration and listeners.
#include "base/clock.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/page_table.hpp"
#include "tests/service/server.hpp"

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

TEST_CASE("the help of each command teaches by an example", "[operations]") {
  const auto program = run({"--help"});
  CHECK(program.exit_code == 0);
  CHECK(contains(program.out, "Exit codes"));
  for (auto command : std::vector<arguments>{{"audit"},
                                             {"catalog", "put"},
                                             {"demo"},
                                             {"explain"},
                                             {"export"},
                                             {"import", "catalog"},
                                             {"schema"},
                                             {"serve"},
                                             {"signing-key", "rotate"},
                                             {"store", "copy"},
                                             {"tls", "self-signed"},
                                             {"token", "create"},
                                             {"validate"}}) {
    command.push_back("--help");
    const auto help = run(command);
    CAPTURE(command);
    CHECK(help.exit_code == 0);
    CHECK(contains(help.out, "Example: matchcloud " + command.front()));
  }
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
  const auto all = run({"serve", "--help-all"}).out;
  for (const std::string part : {"\nLimits of validation", "--limit-max-players-highest",
                                 "Default: 8000.", "Allowed: loops or"})
    CHECK(contains(all, part));
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
       {arguments{"serve", "stray"}, arguments{"version", "--yaml"}, arguments{"import"}}) {
    const auto got = run(wrong);
    INFO(got.errors);
    CHECK(got.exit_code == 2);
    CHECK(got.out.empty());
    CHECK(contains(got.errors, "--help"));
    if (wrong.size() > 1) CHECK(contains(got.errors, wrong.back()));
  }
}

TEST_CASE("bad values exit with 2, and key, value and what is allowed are named", "[operations]") {
  const auto got = serve({"--loops=257", "--cors-origins=play.example", "--edition=free"});
  INFO(got.errors);
  CHECK(got.exit_code == 2);
  for (const std::string part : {"--loops", "257", "0 to 256", "--cors-origins", "play.example",
                                 "--edition", "open-source, enterprise or hosted"})
    CHECK(contains(got.errors, part));
}

TEST_CASE("a TOML file configures, the environment beats it, a flag beats both", "[operations]") {
  const matchcloud::fixtures::temporary_directory folder;
  const auto file = folder.file("a.toml", "base-path = \"/file\"\nloops = 1\ncomplete = true\n"
                                          "listen = [\"127.0.0.1:0\", \"127.0.0.1:0\"]\n"
                                          "cors-origins = \"https://file.example\"\n");
  const auto found_at = [](const server& of, const std::string& base) {
    raw_connection client{of.data()};
    return client.ask(request("GET", base + regions_target)).status == 200;
  };
  const arguments from_file{"--config", file};
  const server by_environment{from_file, shared_world(), {"MATCHCLOUD_BASE_PATH=/environment"}};
  CHECK(found_at(by_environment, "/environment"));
  CHECK_FALSE(found_at(by_environment, "/file"));

  const server by_flag{{"--config", file, "--base-path", "/flag", "--complete=false"},
                       shared_world(),
                       {"MATCHCLOUD_BASE_PATH=/environment"}};
  CHECK(found_at(by_flag, "/flag"));
  const auto verdict = [](const server& of, const std::string& base) {
    return findings(raw_connection{of.data()}
                        .ask(request("POST", base + versions_target,
                                     R"({"display_name":"v","config":{"engine":{}}})"))
                        .body);
  };
  CHECK(verdict(by_environment, "/environment") == arguments{"too-few config/matchmaker"});
  CHECK(verdict(by_flag, "/flag").empty());
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
  const server narrow{{"--limit-group-display-name", "5"}};
  // Large bodies have a separate validator.
  for (const std::string& further : {std::string{}, std::string(100'000, 'x')}) {
    const auto verdict = [&](const std::string& name) {
      raw_connection client{narrow.data()};
      return client
          .ask(request("POST", groups_target,
                       R"({"display_name":")" + name + R"(","further":")" + further + R"("})"))
          .body;
    };
    CHECK(findings(verdict("Teams")).empty());
    const auto refused = verdict("Raider");
    CHECK(findings(refused) == arguments{"too-long display_name"});
    CHECK(contains(refused, "5"));
    CHECK_FALSE(contains(refused, "24"));
  }
}

TEST_CASE("a listener that others can reach needs --insecure-open", "[operations]") {
  for (const std::string where : {"0.0.0.0:0", "192.0.2.1:0"}) {
    const auto got = serve({"--listen", where});
    INFO(got.errors);
    CHECK(got.exit_code == 2);
    CHECK(contains(got.errors, where));
    CHECK(contains(got.errors, "--insecure-open"));
  }
  server open{{"--listen", "0.0.0.0:0", "--insecure-open"}};
  check_serves({"127.0.0.1", open.data().port});
  CHECK(open.process().says("--public-url"));
  CHECK(open.process().says("INSECURE"));
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

TEST_CASE("a taken port exits with 1 and names it", "[operations]") {
  const server first;
  const auto second = serve({"--listen", first.data().authority(), "--ops-listen", "127.0.0.1:0"});
  INFO(second.errors);
  CHECK(second.exit_code == 1);
  CHECK(second.out.empty());
  CHECK(contains(second.errors, first.data().authority()));
  CHECK(contains(second.errors, "another process"));
  const auto ops = serve({"--listen", "127.0.0.1:0", "--ops-listen", first.ops().authority()});
  CHECK(ops.exit_code == 1);
  CHECK(contains(ops.errors, first.ops().authority()));
  check_serves(first.data());
}

TEST_CASE("several listeners are named in the order given, IPv6 ones too, and all serve",
          "[operations]") {
  const server many{{"--listen", "127.0.0.3:0,[::1]:0", "--listen", "127.0.0.1:0"}};
  REQUIRE(many.listeners().size() == 3);
  CHECK(many.listeners()[0].host == "127.0.0.3");
  CHECK(many.listeners()[1].host == "::1");
  CHECK(many.listeners()[2].host == "127.0.0.1");
  for (const auto& each : many.listeners())
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

TEST_CASE("demo data leads up to now, or to another moment, and is seeded once", "[operations]") {
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
  const auto recent = lobbies(folder.path("now"), an_hour_ago);
  CHECK(recent > 10);
  CHECK(recent < 200);

  const auto seed = [&](const std::string& until) {
    return run({"demo", "--data-dir", folder.path("then"), "--until", until});
  };
  CHECK(contains(seed("2026-02-01").out, "seeded"));
  CHECK(lobbies(folder.path("then"), "2026-01-01") == 10'000);
  // Later runs keep the dates of the first.
  CHECK(contains(seed("2d").out, "already there"));
  for (const auto& [until, why] :
       {std::pair{"soon", "--until `soon` is neither a date"}, {"1970-01-31", "is too early"}}) {
    const auto refused = seed(until);
    CHECK(refused.exit_code == 2);
    CHECK(contains(refused.errors, why));
  }
}

} // namespace
