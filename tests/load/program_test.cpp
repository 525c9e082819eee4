#include "tests/catch.hpp"

#include "tests/fixtures/bash_completion.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/load/servers.hpp"
#include "tests/service/server.hpp"
#include "tests/service/tokens.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

namespace matchcloud::e2e {
namespace {

command_result load(const arguments& args) {
  return run(args, {}, {}, fixtures::load_program());
}

std::string url(const address& of) {
  return "http://127.0.0.1:" + std::to_string(of.port);
}

TEST_CASE("a mix of all six operations is answered as promised", "[load]") {
  const server service{{"--trusted-proxies", "127.0.0.0/8"}};
  const fixtures::temporary_directory directory;
  const auto mix = directory.file("mix.toml", R"(
    [[operation]]
    name = "regions"
    weight = 6
    [[operation]]
    name = "avatars"
    [[operation]]
    name = "groups.validate"
    expect.json_count = { "/errors" = 0 }
    [[operation]]
    name = "games.validate"
    expect.json_count = { "/errors" = 0 }
    [[operation]]
    name = "versions.validate"
    expect.json_count = { "/errors" = 0 }
    [[operation]]
    name = "export"
    variants = 3
  )");
  const auto json = directory.path("results.json");
  const auto done = load({"--rate", "300", "--duration", "1s", "--mix", mix, "--arrivals",
                          "poisson", "--connections", "32", "--json", json, "--assert",
                          "errors=0,sent>200,p50<10s", url(service.data())});
  INFO(done.out << done.errors);
  REQUIRE(done.exit_code == 0);
  CHECK(done.errors.empty());
  std::ifstream file{json};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  const auto results = parse_json(text);
  CHECK(results["errors"]["total"].GetUint64() == 0);
  CHECK(results["sent"].GetUint64() == results["by_status"]["200"].GetUint64());
  REQUIRE(results["operations"].Size() == 6);
  for (const auto& each : results["operations"].GetArray())
    CHECK(each["answered"].GetUint64() > 0);
  CHECK(results["latency_us"]["p99"].GetDouble() >= results["latency_us"]["p50"].GetDouble());
}

TEST_CASE("an assertion that does not hold is exit code 1, and says what was measured", "[load]") {
  const load::delayed_server server{load::ok_reply(load::good_listing),
                                    std::chrono::milliseconds{20}};
  const auto done =
      load({"--rate", "100", "--duration", "300ms", "--assert", "errors=0,p50<5ms", server.url()});
  CHECK(done.exit_code == 1);
  CHECK(done.errors.starts_with("matchcloud-load: assertion failed: p50<5ms: "));
  CHECK(done.out.find("regions    30        30       0") != std::string::npos);
}

TEST_CASE("a wrong reply is an error, and neither answered nor in the percentiles", "[load]") {
  load::delayed_server server{load::ok_reply(load::good_listing)};
  server.begin_with(10, load::ok_reply(R"({"regions":[]})"));
  const auto done = load({"--rate", "100", "--duration", "300ms", "--json", "-", "--assert",
                          "answered=20,errors=10,content=10,status.200=30", server.url()});
  INFO(done.errors);
  REQUIRE(done.exit_code == 0);
  CHECK(done.errors.find("regions    30        20      10") != std::string::npos);
  const auto results = parse_json(done.out);
  CHECK(results["intended"].GetUint64() == 30);
  CHECK(results["answered"].GetUint64() == 20);
  CHECK(results["errors"]["total"].GetUint64() == 10);
  CHECK(results["requests_per_second"].GetDouble() < 80);
  std::uint64_t answered = 0;
  std::uint64_t errors = 0;
  for (const auto& each : results["intervals"].GetArray()) {
    answered += each["answered"].GetUint64();
    errors += each["errors"].GetUint64();
  }
  CHECK(answered == 20);
  CHECK(errors == 10);
}

TEST_CASE("the load tool suggests flags and has a completion and a manual page", "[load]") {
  const auto wrong = load({"--closd", "http://127.0.0.1:1"});
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.errors == "matchcloud-load: `matchcloud-load` has no flag `--closd`; did you mean "
                        "`--closed`?\nTry `matchcloud-load --help`.\n");
  const auto completion = load({"--completion"});
  CHECK(completion.exit_code == 0);
  const auto offered = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "matchcloud-load");
    return fixtures::completed(completion.out, "_matchcloud_load", words);
  };
  CHECK(offered({"--arrivals", ""}) == arguments{"constant", "poisson"});
  CHECK(offered({"--operation", "reg"}) == arguments{"regions"});
  CHECK(offered({"--mix", ""}) == arguments{"<files>"});
  CHECK(offered({"--duration", ""}).empty());
  CHECK(load({"--port"})
            .errors.starts_with("matchcloud-load: `matchcloud-load` has no flag `--port`\n"));
  const auto version = load({"--version"});
  CHECK(version.exit_code == 0);
  CHECK(version.errors.empty());
  CHECK(version.out ==
        "matchcloud-load" + run({"--version"}).out.substr(std::string{"matchcloud"}.size()));
  const auto page = load({"--man"});
  CHECK(page.exit_code == 0);
  CHECK(page.out.starts_with(".TH \"MATCHCLOUD\\-LOAD\" 1 "));
}

TEST_CASE("the service's own access log is replayed, in either format", "[load]") {
  const std::string format = GENERATE("json", "combined");
  const fixtures::temporary_directory directory;
  const auto log = directory.path("access.log");
  {
    const server service{
        {"--access-log", "all", "--access-log-format", format, "--access-log-file", log}};
    const auto done =
        load({"--rate", "200", "--duration", "500ms", "--mix",
              directory.file("mix.toml", "[[operation]]\nname = \"regions\"\n"
                                         "[[operation]]\nname = \"avatars\"\n"
                                         "[[operation]]\nname = \"games.validate\"\n"),
              "--assert", "errors=0", url(service.data())});
    INFO(done.errors);
    REQUIRE(done.exit_code == 0);
    // Lines are written some time after their requests.
    REQUIRE(eventually([&] {
      std::ifstream file{log};
      return std::count(std::istreambuf_iterator<char>{file}, {}, '\n') == 100;
    }));
  }
  const server service;
  const auto done = load({"--replay", log, "--replay-speed", "2", "--json", "-", "--assert",
                          "errors=0", url(service.data())});
  INFO(done.errors);
  REQUIRE(done.exit_code == 0);
  const auto results = parse_json(done.out);
  CHECK(results["loop"].GetString() == std::string{"replay"});
  const std::string left_out = results["replay"]["left_out"].GetString();
  const auto posts = std::stoul(left_out);
  CHECK(left_out == std::to_string(posts) + " POST requests (logs have no bodies)");
  CHECK(results["sent"].GetUint64() + posts == 100);
  CHECK(results["seconds"].GetDouble() < 1.2);
  REQUIRE(results["operations"].Size() == 2);
  std::set<std::string> names;
  for (const auto& each : results["operations"].GetArray())
    names.insert(each["name"].GetString());
  CHECK(names == (format == "json"
                      ? std::set<std::string>{"list_regions", "list_avatars"}
                      : std::set<std::string>{"GET /matchmaker/regions", "GET /cloud/games"}));
  CHECK(done.errors.find(" of " + log + " at 2.00 times its speed for ") != std::string::npos);
}

TEST_CASE("a log that takes longer than a day is replayed for a --duration only", "[load]") {
  const load::delayed_server server{load::ok_reply("x")};
  const fixtures::temporary_directory directory;
  const auto log = directory.file(
      "log", "192.0.2.1 - - [01/Jan/1970:00:00:00 +0000] \"GET /a HTTP/1.1\" 200 5 \"-\" \"-\"\n"
             "192.0.2.1 - - [26/Nov/2026:03:20:10 +0000] \"GET /b HTTP/1.1\" 200 5 \"-\" \"-\"\n");
  const auto refused = load({"--replay", log, server.url()});
  CHECK(refused.exit_code == 2);
  CHECK(refused.errors.find("span more than a day; add --duration") != std::string::npos);
  const auto done = load({"--replay", log, "--duration", "100ms", server.url()});
  INFO(done.errors);
  CHECK(done.exit_code == 0);
  CHECK(server.requests() == 1);
}

TEST_CASE("wrong command lines are exit code 2", "[load]") {
  for (const arguments& wrong :
       {arguments{},
        arguments{"http://127.0.0.1:1"},
        arguments{"--rate", "1", "--closed", "http://127.0.0.1:1"},
        arguments{"--rate", "0", "http://127.0.0.1:1"},
        arguments{"--rate", "1", "127.0.0.1:1"},
        arguments{"--rate", "1", "--ca-file", "/nowhere.pem", "https://127.0.0.1:1"},
        arguments{"--rate", "1", "--duration", "soon", "http://127.0.0.1:1"},
        arguments{"--rate", "1", "--threads", "2", "--connections", "1", "http://127.0.0.1:1"},
        arguments{"--rate", "1", "--operation", "ping", "http://127.0.0.1:1"},
        arguments{"--rate", "1", "--header", "Content-Length: 5", "http://127.0.0.1:1"},
        arguments{"--rate", "1", "--header", "HOST: x", "http://127.0.0.1:1"},
        arguments{"--rate", "1", "--header", "Content-Encoding: gzip", "http://127.0.0.1:1"},
        arguments{"--closed", "--stages", "1k:1s", "http://127.0.0.1:1"},
        arguments{"--closed", "--find", "errors=0", "http://127.0.0.1:1"},
        arguments{"--rate", "1", "--stages", "1k:1s", "http://127.0.0.1:1"},
        arguments{"--find", "errors=0", "--stages", "1k:1s", "http://127.0.0.1:1"},
        arguments{"--stages", "1k:1s", "--duration", "1s", "http://127.0.0.1:1"},
        arguments{"--stages", "1k:1s", "--ramp", "1s", "http://127.0.0.1:1"},
        arguments{"--stages", "1k", "http://127.0.0.1:1"},
        arguments{"--find", "p99<5", "http://127.0.0.1:1"},
        arguments{"--rate", "1", "--ops", "http://127.0.0.1:2", "http://127.0.0.1:1"},
        arguments{"--rate", "1", "--ops-token-file", "/dev/null", "http://127.0.0.1:1"},
        arguments{"--closed", "--json", "-", "--report", "-", "http://127.0.0.1:1"},
        arguments{"--closed", "--arrivals", "poisson", "http://127.0.0.1:1"},
        arguments{"--replay", "/dev/null", "http://127.0.0.1:1"},
        arguments{"--replay", "/nowhere", "http://127.0.0.1:1"},
        arguments{"--replay", "/dev/null", "--rate", "1", "http://127.0.0.1:1"},
        arguments{"--replay", "/dev/null", "--closed", "http://127.0.0.1:1"},
        arguments{"--rate", "1", "--replay-speed", "2", "http://127.0.0.1:1"},
        arguments{"--rate", "1", "--assert", "", "http://127.0.0.1:1"},
        arguments{"--rate", "1", "--assert", "p99<5", "http://127.0.0.1:1"}}) {
    const auto done = load(wrong);
    CAPTURE(done.errors);
    CHECK(done.exit_code == 2);
    CHECK(done.errors.starts_with("matchcloud-load: "));
    CHECK(done.out.empty());
  }
  const auto help = load({"--help"});
  CHECK(help.exit_code == 0);
  CHECK(help.out.find("[[operation]]") != std::string::npos);
}

/// Like a token of the service.
const std::string token = "mc_game_" + std::string(43, 'k') + "123456";

void check_hides_token(const command_result& done) {
  CHECK(done.out.find(token) == std::string::npos);
  CHECK(done.errors.find(token) == std::string::npos);
}

TEST_CASE("tokens come from a file, stdin or the environment", "[load]") {
  const load::delayed_server server{load::ok_reply(load::good_listing)};
  const fixtures::temporary_directory directory;
  const auto file = directory.file("tokens", "# of the test\n" + token + "\n\n  other\t\r\n");
  const auto own = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
  std::filesystem::permissions(file, own);
  const auto json = directory.path("results.json");
  arguments args{"--rate", "50", "--duration", "200ms",    "--connections", "2",
                 "--json", json, "--assert",   "errors=0", server.url()};
  const auto sent = [&server] {
    std::set<std::string> all;
    for (const auto& values : server.authorizations())
      all.insert(values.begin(), values.end());
    return all;
  };
  const auto runs = [&](const arguments& more, const environment& added, const std::string& input) {
    auto words = args;
    words.insert(words.begin(), more.begin(), more.end());
    const auto done = run(words, added, input, fixtures::load_program());
    INFO(done.out << done.errors);
    CHECK(done.exit_code == 0);
    CHECK(done.errors.empty());
    check_hides_token(done);
    std::ifstream report{json};
    const std::string text{std::istreambuf_iterator<char>{report}, {}};
    CHECK(!text.empty());
    CHECK(text.find(token) == std::string::npos);
  };
  SECTION("a file, which the environment does not add to") {
    runs({"--token-file", file}, {"MATCHCLOUD_TOKEN=unused"}, {});
    CHECK(sent() == std::set<std::string>{"Bearer " + token, "Bearer other"});
  }
  SECTION("stdin") {
    runs({"--token-file", "-"}, {}, file);
    CHECK(sent() == std::set<std::string>{"Bearer " + token, "Bearer other"});
  }
  SECTION("the environment") {
    runs({}, {"MATCHCLOUD_TOKEN=" + token}, {});
    CHECK(sent() == std::set<std::string>{"Bearer " + token});
  }
  SECTION("nothing") {
    runs({}, {"MATCHCLOUD_TOKEN="}, {});
    CHECK(sent() == std::set<std::string>{""});
  }
}

TEST_CASE("no message holds a token", "[load]") {
  const fixtures::temporary_directory directory;
  const auto file = directory.file("tokens", token + "\n");
  const auto wrong_file = directory.file("wrong", "ok\n" + token + "!\n");
  const std::string url = "http://127.0.0.1:1";
  const environment in_environment{"MATCHCLOUD_TOKEN=" + token};
  struct wrong_line {
    arguments words;
    environment added;
    std::string says;
  };
  for (const auto& wrong : {
           wrong_line{{"--rate", "1", "--token", token, url}, {}, "--token-file FILE"},
           {{"--rate", "1", "--token=" + token, url}, {}, "MATCHCLOUD_TOKEN"},
           {{"--rate", "1", url, "--token"}, {}, "--token-file FILE"},
           {{"--rate", "1", "--token-file", token, url}, {}, "No such file"},
           {{"--rate", "1", "--token-file", wrong_file, url}, {}, "wrong:2: character 58"},
           {{"--rate", "1", "--token-file", directory.path("none"), url}, {}, "none: cannot be"},
           {{"--rate", "1", "--token-file", "", url}, {}, "name is empty"},
           {{"--rate", "1", url}, {"MATCHCLOUD_TOKEN=" + token + " x"}, "MATCHCLOUD_TOKEN: "},
           {{"--rate", "1", "--header", "Authorization Bearer " + token, url},
            {},
            "is not a header"},
           {{"--rate", "1", "--header", "Host: " + token, url}, {}, "Host is set by"},
           {{"--rate", "1", "--token-file", file, "--header", "authorization: Bearer " + token,
             url},
            {},
            "both --header and --token-file set an Authorization header"},
           {{"--rate", "1", "--header", "Authorization: x", url},
            in_environment,
            "both --header and MATCHCLOUD_TOKEN set"},
       }) {
    const auto done = run(wrong.words, wrong.added, {}, fixtures::load_program());
    INFO(done.errors);
    CHECK(done.exit_code == 2);
    CHECK(done.errors.find(wrong.says) != std::string::npos);
    check_hides_token(done);
  }
  const auto help = run({"--help"}, in_environment, {}, fixtures::load_program());
  CHECK(help.out.find("--token-file") != std::string::npos);
  CHECK(help.out.find("--token ") == std::string::npos);
  check_hides_token(help);
  const auto unreached = run({"--rate", "1", url}, in_environment, {}, fixtures::load_program());
  CHECK(unreached.exit_code == 1);
  check_hides_token(unreached);
}

TEST_CASE("a report that cannot be written is known before the load begins", "[load]") {
  const load::delayed_server server{load::ok_reply(load::good_listing)};
  const auto done =
      load({"--rate", "10", "--duration", "60s", "--json", "/nowhere/results", server.url()});
  CHECK(done.exit_code == 1);
  CHECK(done.errors.find("/nowhere/results") != std::string::npos);
  CHECK(server.requests() == 0);
}

std::string content_of(const std::string& file) {
  std::ifstream from{file};
  return {std::istreambuf_iterator<char>{from}, {}};
}

TEST_CASE("a report has the service's own view where its ops plane is given", "[load]") {
  const server service;
  const fixtures::temporary_directory directory;
  const auto page = directory.path("report.html");
  const auto json = directory.path("results.json");
  const auto done = load({"--rate", "200", "--duration", "1s", "--report", page, "--json", json,
                          "--ops", url(service.ops()), url(service.data())});
  INFO(done.out << done.errors);
  REQUIRE(done.exit_code == 0);
  const auto written = content_of(json);
  CHECK(content_of(page).find(written) != std::string::npos);
  const auto results = parse_json(written);
  CHECK(results["began"].GetInt64() > 1'700'000'000'000);
  CHECK(results["machine"]["cores"].GetUint64() > 0);
  std::uint64_t requests = 0;
  for (const auto& point : results["service"]["history"]["points"].GetArray())
    requests += point["data_plane"]["requests"].GetUint64();
  CHECK(requests == 200);
}

TEST_CASE("an ops plane that asks for a token gets the one of its file", "[load]") {
  const world own;
  const server service{{"--ops-auth", "required"}, own};
  const fixtures::temporary_directory directory;
  const auto file = directory.path("viewer.token");
  REQUIRE(run({"token", "create", "--data-dir", own.data_dir(), "--kind", "viewer", "--name",
               "load", "-o", file})
              .exit_code == 0);
  const auto asks = [&](arguments words) {
    for (const auto& each :
         {std::string{"--rate"}, std::string{"20"}, std::string{"--duration"}, std::string{"200ms"},
          std::string{"--report"}, std::string{"/dev/null"}, std::string{"--ops"},
          url(service.ops()), url(service.data())})
      words.push_back(each);
    return load(words);
  };
  const auto without = asks({});
  CHECK(without.exit_code == 1);
  CHECK(without.errors.find("returns 401 to GET /v1/history. Use a viewer or admin token with "
                            "--ops-token-file.") != std::string::npos);
  // A server lets a new token in within a second.
  CHECK(eventually([&] { return asks({"--ops-token-file", file}).exit_code == 0; }));
}

TEST_CASE("a wrong ops plane is known before the load begins", "[load]") {
  load::delayed_server server{load::ok_reply(load::good_listing)};
  const auto why = [&](const std::string& ops) {
    const auto done = load(
        {"--rate", "10", "--duration", "60s", "--report", "/dev/null", "--ops", ops, server.url()});
    CHECK(done.exit_code != 0);
    return done.errors;
  };
  CHECK(why("http://127.0.0.1:1").find("--ops http://127.0.0.1:1 cannot be reached") !=
        std::string::npos);
  CHECK(why("127.0.0.1:1").find("--ops: 127.0.0.1:1: ") != std::string::npos);
  CHECK(why(server.url()).find("is this an ops plane of matchcloud?") != std::string::npos);
  CHECK(server.requests() == 1);
}

TEST_CASE("the highest rate is in all reports, and none is exit code 1", "[load]") {
  load::delayed_server server{load::ok_reply(load::good_listing)};
  const fixtures::temporary_directory directory;
  const auto page = directory.path("report.html");
  auto done = load({"--find", "errors=0", "--find-limit", "1ms", "--duration", "50ms", "--json",
                    "-", "--report", page, server.url()});
  INFO(done.errors);
  CHECK(done.exit_code == 0);
  CHECK(parse_json(done.out)["find"]["rate"].GetDouble() == 1'000);
  CHECK(done.errors.find("found       1,000/s keeps errors=0\n") != std::string::npos);
  CHECK(content_of(page).find("1,000/s keeps errors=0") != std::string::npos);
  done = load({"--find", "errors=1", "--find-limit", "1ms", "--duration", "50ms", server.url()});
  CHECK(done.exit_code == 1);
  CHECK(done.errors.find("no rate was found") != std::string::npos);
}

TEST_CASE("two runs are compared, and only a slower one is exit code 1", "[load]") {
  const fixtures::temporary_directory directory;
  // Both at once: they wait for most of the six seconds that a comparison needs.
  const load::delayed_server fast_server{load::ok_reply(load::good_listing),
                                         std::chrono::milliseconds{20}};
  const load::delayed_server slow_server{load::ok_reply(load::good_listing),
                                         std::chrono::milliseconds{300}};
  const auto usual = directory.path("usual.json");
  const auto slow = directory.path("slow.json");
  const auto measured = [](const std::string& file, const load::delayed_server& at) {
    return arguments{"--closed", "--connections", "4",  "--duration",
                     "6s",       "--json",        file, at.url()};
  };
  child_process first{measured(usual, fast_server), {}, {}, fixtures::load_program()};
  child_process second{measured(slow, slow_server), {}, {}, fixtures::load_program()};
  REQUIRE(first.exit_code() == 0);
  REQUIRE(second.exit_code() == 0);
  auto done = load({"--compare", usual, slow});
  INFO(done.out << done.errors);
  CHECK(done.exit_code == 1);
  CHECK(done.out.find("slower, 0 faster, by more than 5.0 %") != std::string::npos);
  done = load({"--compare", slow, usual, "--tolerance", "2%", "--json", "-"});
  CHECK(done.exit_code == 0);
  CHECK_FALSE(parse_json(done.out)["slower"].GetBool());
  CHECK(done.errors.find(" faster, by more than 2.0 %") != std::string::npos);
  done = load({"--compare", usual, usual});
  CHECK(done.exit_code == 0);
  CHECK(done.out.find("0 slower, 0 faster") != std::string::npos);
  for (const arguments& wrong :
       {arguments{"--compare", usual}, arguments{"--compare", usual, directory.path("none")},
        arguments{"--compare", usual, directory.file("empty", "{}")},
        arguments{"--compare", usual, slow, "--tolerance", "5"},
        arguments{"--compare", usual, slow, "--json", "/nowhere/x"},
        arguments{"--tolerance", "5%", "--rate", "1", "http://127.0.0.1:1"},
        arguments{"http://127.0.0.1:1", "--compare", usual, slow}}) {
    done = load(wrong);
    CAPTURE(done.errors);
    CHECK(done.exit_code == 2);
    CHECK(done.errors.starts_with("matchcloud-load: "));
  }
}

command_result walked(const server& service, const std::string& flow, const arguments& more = {}) {
  arguments words{
      "--duration", "500ms", "--connections", "8",
      "--json",     "-",     "--mix",         fixtures::source_path("load/flows/" + flow)};
  words.insert(words.end(), more.begin(), more.end());
  words.push_back("http://127.0.0.1:" + std::to_string(service.data().port));
  return run(words, {}, {}, fixtures::load_program());
}

TEST_CASE("the shipped flows reach their end", "[load]") {
  const server service;
  for (const auto* const flow : {"export.toml", "validate.toml"}) {
    CAPTURE(flow);
    const auto done = walked(service, flow, {"--rate", "80", "--assert", "errors=0"});
    INFO(done.errors);
    REQUIRE(done.exit_code == 0);
    const auto report = parse_json(done.out);
    const auto& whole = report["flows"][0];
    CHECK(whole["sent"].GetUint64() == 40);
    CHECK(whole["answered"].GetUint64() == 40);
    REQUIRE(report["operations"].Size() == 3);
    for (const auto& step : report["operations"].GetArray())
      CHECK(step["answered"].GetUint64() == 40);
    CHECK(report["operations"][2]["latency_us"]["p50"].GetDouble() <
          whole["latency_us"]["p50"].GetDouble());
  }
}

TEST_CASE("a step of a flow that fails says which and why", "[load]") {
  const world own; // without exports of other tests
  const server service{{"--enable-fault-injection"}, own};
  REQUIRE(ask_ops(service, "PUT", "/faults/export.write", R"({"kind":"error"})").status / 100 == 2);
  const auto done = walked(service, "export.toml", {"--rate", "40"});
  CHECK(done.exit_code == 0);
  const auto report = parse_json(done.out);
  const auto& whole = report["flows"][0];
  CHECK(whole["sent"].GetUint64() == 20);
  CHECK(whole["errors"]["total"].GetUint64() == 20);
  CHECK(report["operations"][1]["sent"].GetUint64() == 0);
  INFO(done.errors);
  CHECK(done.errors.find("; the first: ask: 5") != std::string::npos);
}

} // namespace
} // namespace matchcloud::e2e
