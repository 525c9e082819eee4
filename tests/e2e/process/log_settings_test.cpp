// The format of the log, and the levels of its subjects, which can be changed while it is written.
#include "tests/e2e/process/reloaded_service.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/tokens.hpp"

#include <csignal>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace matchcloud;
using namespace e2e;

const std::string levels_target = "/v1/log-levels";
/// The begin of a TLS ClientHello, which a plain port answers with 400 and a warning.
const std::string client_hello{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11};
const std::string tls_line = "tls: no TLS with";

void say_hello_in_tls(const address& to) {
  raw_connection client{to};
  client.send(client_hello);
  CHECK(client.receive().status == 400);
}

/// The level of a subject that `GET /v1/log-levels` names.
std::string level_of(const server& of, const char* subject, const char* where = "in_force") {
  const auto shown = parse_json(ask_ops(of, "GET", levels_target).body);
  REQUIRE(shown.IsObject());
  return text_at(shown[where], subject);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream all{text};
  for (std::string line; std::getline(all, line);)
    lines.push_back(line);
  return lines;
}

TEST_CASE("with log-format = json each line is an object with the event's name", "[lifecycle]") {
  server of{{"--log-format", "json"}, shared_world(), {"MATCHCLOUD_ZZ_ODD=1"}};
  of.process().signal(SIGTERM);
  CHECK(of.process().exit_code() == 0);
  std::string events;
  for (const auto& line : lines_of(of.process().errors())) {
    INFO(line);
    const auto parsed = parse_json(line);
    REQUIRE(parsed.IsObject());
    CHECK(member_names(parsed) ==
          std::vector<std::string>{"ts", "level", "subject", "event", "message"});
    const auto ts = text_at(parsed, "ts");
    CHECK(ts.size() == 24);
    CHECK(ts.ends_with("Z"));
    events += text_at(parsed, "level") + " " + text_at(parsed, "event") + "\n";
    if (text_at(parsed, "event") == "config.unknown-variable")
      CHECK(text_at(parsed, "message") ==
            "MATCHCLOUD_ZZ_ODD is not a configuration key of matchcloud and has no effect");
  }
  INFO(events);
  CHECK(contains(events, "warning config.unknown-variable\n"));
  CHECK(contains(events, "info service.serves\n"));
  CHECK(contains(events, "warning geoip.missing\n"));
  CHECK(events.ends_with("info service.ended\n"));
}

TEST_CASE("the format is taken up by a reload", "[lifecycle]") {
  const reloaded on{""};
  CHECK_FALSE(contains(on.of->process().errors(), "{\""));
  CHECK(on.take_up("log-format = \"json\"\n") == "in force now: log-format\n");
  on.take_up("log-format = \"json\"\nlog-level = \"debug\"\n");
  CHECK(on.of->process().says(
      R"("event":"config.reloaded","message":"SIGHUP: in force now: log-level"})"));
}

TEST_CASE("a subject's level hides and shows its lines at once", "[lifecycle]") {
  const server of{{"--loops", "1"}};
  const auto changed = ask_ops(of, "PUT", levels_target, R"({"tls":"error","store":"debug"})");
  CHECK(changed.status == 200);
  CHECK(changed.body == ask_ops(of, "GET", levels_target).body);
  CHECK(level_of(of, "tls") == "error");
  CHECK(level_of(of, "store") == "debug");
  CHECK(level_of(of, "http") == "info");
  CHECK(level_of(of, "tls", "configured") == "info");
  CHECK(of.process().says("[info] log levels: {"));
  say_hello_in_tls(of.data());
  CHECK(ask_ops(of, "PUT", levels_target, "{}").status == 200);
  CHECK(level_of(of, "tls") == "info");
  say_hello_in_tls(of.ops());
  REQUIRE(of.process().says(tls_line));
  const auto log = of.process().errors();
  CHECK(log.find(tls_line) == log.rfind(tls_line)); // of the second one alone
}

TEST_CASE("a change of levels has an entry of the audit log, unless it changes nothing",
          "[lifecycle]") {
  const world own;
  const server of{{}, own};
  const auto entries = [&] { return ask_ops(of, "GET", "/v1/audit?action=log-levels").body; };
  ask_ops(of, "PUT", levels_target, "{}");
  CHECK_FALSE(contains(entries(), "log-levels.put"));
  ask_ops(of, "PUT", levels_target, R"({"tls":"error"})");
  const auto changed = entries();
  CHECK(contains(changed, R"("log-levels.put")"));
  CHECK(contains(changed, R"("tls":"error")"));
}

TEST_CASE("the configuration has levels of subjects, and a reload ends other changes",
          "[lifecycle]") {
  const reloaded on{"log-level = \"warning\"\nlog-levels = [\"store=debug\", \"http=error\"]\n"};
  CHECK(level_of(*on.of, "store") == "debug");
  CHECK(level_of(*on.of, "http") == "error");
  CHECK(level_of(*on.of, "tls") == "warning");
  ask_ops(*on.of, "PUT", levels_target, R"({"tls":"debug"})");
  CHECK(level_of(*on.of, "tls") == "debug");
  CHECK(level_of(*on.of, "http") == "error");
  on.take_up("log-levels = [\"geoip=error\"]\n");
  CHECK(level_of(*on.of, "tls") == "info");
  CHECK(level_of(*on.of, "store") == "info");
  CHECK(level_of(*on.of, "geoip") == "error");
}

TEST_CASE("wrong levels are refused, with what is allowed", "[lifecycle]") {
  const server of;
  const auto [body, why] =
      GENERATE(std::pair{R"({"stoer":"debug"})", "Did you mean `store`?"},
               std::pair{R"({"store":"loud"})",
                         R"(`store` must be \"debug\", \"info\", \"warning\" or \"error\".)"},
               std::pair{R"({"store":"critical"})", "`store` must be"},
               std::pair{R"({"store":1})", "`store` must be"});
  const auto refused = ask_ops(of, "PUT", levels_target, body);
  INFO(refused.body);
  CHECK(refused.status == 400);
  CHECK(refused.problem_code() == "query_invalid");
  CHECK(contains(refused.body, why));
  CHECK(level_of(of, "store") == "info");
  const auto [flag, says] = GENERATE(std::pair{"stoer=debug", "this subject does not exist"},
                                     std::pair{"store=loud", "the level must be debug, info"},
                                     std::pair{"store", "the level must be debug, info"});
  const auto failed = run({"serve", "--log-levels", flag});
  CHECK(failed.exit_code == 2);
  CHECK(contains(failed.errors, says));
}

} // namespace
