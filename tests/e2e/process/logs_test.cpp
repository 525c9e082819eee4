// The access log, and the format and levels of the log.
#include "tests/e2e/process/wrapped_service.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/stalled_pipe.hpp"
#include "tests/fixtures/whole_file.hpp"
#include "tests/service/tokens.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace matchcloud;
using namespace e2e;

/// A service with an access log in a file.
struct logged_service {
  fixtures::temporary_directory folder;
  std::string file = folder.path("access.log");
  server of;

  explicit logged_service(const arguments& more = {}, const world& in = shared_world())
      : of{arguments{"--access-log-file", file} + more, in} {}

  static std::vector<std::string> lines_in(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream all{text};
    for (std::string line; std::getline(all, line);)
      lines.push_back(line);
    return lines;
  }
  /// Ends the service. The lines of the data plane's requests.
  std::vector<std::string> end() {
    of.process().signal(SIGTERM);
    CHECK(of.process().exit_code() == 0);
    auto lines = lines_in(fixtures::read_whole(file));
    std::erase_if(lines, [](const auto& line) { return contains(line, R"("plane":"ops")"); });
    return lines;
  }
};

answer ask(const address& at, const std::string& target, std::string_view method = "GET",
           std::string_view body = {}, std::string_view headers = {}) {
  return raw_connection{at}.ask(request(method, target, body, headers));
}

TEST_CASE("each request has a line with what it was and what came of it", "[lifecycle]") {
  logged_service on{{"--access-log", "all", "--loops", "1", "--trusted-proxies", "127.0.0.1"}};
  const auto listed = ask(on.of.data(), regions_target, "GET", {},
                          "X-Forwarded-For: 192.0.2.9\r\nX-Request-Id: one\r\n");
  CHECK(ask(on.of.data(), "/nowhere?a=b").status == 404);
  CHECK(ask(on.of.data(), groups_target, "POST", good_group).status == 200);
  CHECK(ask(on.of.data(), regions_target, "HEAD").status == 200);
  // A request that never was whole.
  CHECK(raw_connection{on.of.data()}.ask("GET / HTTP/1.1\r\nHost: a b\r\n\r\n").status == 400);
  CHECK(on.of.metric("matchcloud_access_log_lines_dropped_total") == 0);
  const auto lines = on.end();
  REQUIRE(lines.size() == 5);
  CHECK(parse_json(lines[4])["status"].GetInt() == 400);
  INFO(lines[0]);
  const auto first = parse_json(lines[0]);
  CHECK(member_names(first) == std::vector<std::string>{"ts", "request_id", "client", "method",
                                                        "target", "status", "bytes", "duration_us",
                                                        "plane", "operation"});
  CHECK(text_at(first, "request_id") == "one");
  CHECK(text_at(first, "client") == "192.0.2.9");
  CHECK(text_at(first, "method") == "GET");
  CHECK(text_at(first, "target") == regions_target);
  CHECK(first["status"].GetInt() == 200);
  CHECK(first["bytes"].GetUint64() == listed.body.size());
  CHECK(first["duration_us"].GetInt64() >= 0);
  CHECK(text_at(first, "operation") == "list_regions");
  const auto second = parse_json(lines[1]);
  CHECK(text_at(second, "client") == "127.0.0.1");
  CHECK(text_at(second, "target") == "/nowhere");
  CHECK(text_at(second, "operation") == "unmatched");
  CHECK(second["status"].GetInt() == 404);
  CHECK(text_at(parse_json(lines[2]), "operation") == "validate_group");
  const auto head = parse_json(lines[3]);
  CHECK(text_at(head, "method") == "HEAD");
  CHECK(head["bytes"].GetUint64() == 0);
}

TEST_CASE("tokens and signatures are not in the access log, the token's id is", "[lifecycle]") {
  const world own;
  std::string text;
  made_token token;
  made_token lost;
  {
    const server open{{}, own};
    token = create_token(open, "game", ",\"game_id\":\"" + std::string{demo_game} + "\"");
    lost =
        create_token(open, "player", ",\"namespace_id\":\"" + std::string{prod_namespace} + "\"");
  }
  logged_service on{{"--access-log", "all", "--loops", "1", "--auth", "required"}, own};
  const auto with = bearer(token.text);
  CHECK(ask(on.of.data(), regions_target, "GET", {}, with).status == 200);
  CHECK(ask(on.of.data(), regions_target + "?token=" + lost.text, "GET", {}, with).status > 0);
  CHECK(ask(on.of.data(), "/x/" + lost.text + "?" + lost.text, "GET", {},
            "X-Request-Id: " + lost.text + "\r\n")
            .status == 404);
  const auto exported = ask(
      on.of.data(), "/cloud/games/" + std::string{demo_game} + "/matchmaker/lobbies/export-history",
      "POST", R"({"query_start":1767312000000,"query_end":1767398400000})", with);
  REQUIRE(exported.status == 200);
  const auto url = text_at(parse_json(exported.body), "url");
  const auto target = url.substr(url.find("/exports/"));
  const auto query = target.substr(target.find('?') + 1);
  REQUIRE(query.size() > 20);
  CHECK(ask(on.of.data(), target).status == 200);
  CHECK(ask(on.of.data(), "/typo" + target).status == 404);
  const auto lines = on.end();
  CHECK(lines.size() == 6);
  for (const auto& line : lines)
    text += line + "\n";
  INFO(text);
  CHECK(text_at(parse_json(lines.at(0)), "token_id") == token.id);
  CHECK(contains(text, R"("operation":"download_export")"));
  CHECK_FALSE(contains(text, query));
  CHECK_FALSE(contains(text, token.text.substr(token.text.size() - 20)));
  CHECK_FALSE(contains(text, lost.text.substr(lost.text.size() - 20)));
}

TEST_CASE("a file that was renamed is opened again by a reload", "[lifecycle]") {
  const fixtures::temporary_directory folder;
  const auto file = folder.path("access.log");
  const auto old = folder.path("access.log.1");
  const auto keys = "access-log = \"all\"\naccess-log-file = \"" + file + "\"\n";
  const reloaded on{keys, {"--loops", "1"}};
  const auto asked = [&](const std::string& id) {
    CHECK(ask(on.of->data(), regions_target, "GET", {}, "X-Request-Id: " + id + "\r\n").status ==
          200);
  };
  asked("before");
  REQUIRE(eventually([&] { return contains(fixtures::read_whole(file), "\"before\""); }));
  std::filesystem::rename(file, old);
  asked("between");
  CHECK(on.take_up(keys) == "no reloadable key has changed\n");
  asked("after");
  REQUIRE(eventually([&] { return contains(fixtures::read_whole(file), "\"after\""); }));
  const auto both = fixtures::read_whole(old) + fixtures::read_whole(file);
  CHECK(contains(both, "\"between\""));
  CHECK_FALSE(contains(fixtures::read_whole(old), "\"after\""));
}

TEST_CASE("a reload turns the access log on and off, and refuses a file that cannot be",
          "[lifecycle]") {
  const fixtures::temporary_directory folder;
  const auto file = folder.path("access.log");
  const auto keys = "access-log = \"all\"\naccess-log-file = \"" + file + "\"\n";
  const reloaded on{"", {"--loops", "1"}};
  CHECK(ask(on.of->data(), regions_target).status == 200);
  CHECK(on.take_up(keys) == "in force now: access-log, access-log-file\n");
  CHECK(ask(on.of->data(), regions_target).status == 200);
  REQUIRE(eventually([&] { return contains(fixtures::read_whole(file), regions_target); }));
  on.write("access-log = \"all\"\naccess-log-file = \"" + folder.path("no/such") + "\"\n");
  const auto refused = on.reload();
  CHECK(refused.exit_code == 1);
  CHECK(contains(refused.errors, "no/such cannot be opened: No such file or directory"));
  const auto holds_file = [&] {
    const auto open_files = "/proc/" + std::to_string(on.of->process().pid()) + "/fd";
    return std::ranges::any_of(std::filesystem::directory_iterator{open_files},
                               [&](const auto& each) {
                                 std::error_code ignored;
                                 return std::filesystem::read_symlink(each.path(), ignored) == file;
                               });
  };
  CHECK(holds_file());
  on.take_up("access-log = \"off\"\n");
  CHECK_FALSE(holds_file());
  const auto before = fixtures::read_whole(file);
  CHECK(ask(on.of->data(), regions_target).status == 200);
  on.take_up(keys); // hands on what there may be
  CHECK_FALSE(contains(fixtures::read_whole(file).substr(before.size()), regions_target));
}

TEST_CASE("a start whose access log cannot be opened fails", "[lifecycle]") {
  const fixtures::temporary_directory folder;
  const auto failed =
      run({"serve", "--data-dir", folder.path("data"), "--listen", "127.0.0.1:0", "--ops-listen",
           "127.0.0.1:0", "--access-log", "all", "--access-log-file", folder.path("no/such.log")});
  CHECK(failed.exit_code == 1);
  CHECK(contains(failed.errors, "no/such.log cannot be opened: No such file or directory"));
  const auto wrong = run({"serve", "--transport", "httplib", "--access-log", "all"});
  CHECK(wrong.exit_code == 2);
  CHECK(contains(wrong.errors, "the transport httplib has no access log"));
}

TEST_CASE("without a file the access log goes to stdout, behind what the start says",
          "[lifecycle]") {
  server of{{"--access-log", "all"}};
  CHECK(ask(of.data(), regions_target, "GET", {}, "X-Request-Id: mine\r\n").status == 200);
  while (const auto line = of.process().next_line())
    if (contains(*line, R"("request_id":"mine")")) return;
  FAIL("stdout ended");
}

TEST_CASE("an access log that nobody reads holds up neither requests nor the end", "[lifecycle]") {
  const fixtures::temporary_directory folder;
  const auto fifo = folder.path("access.log");
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  const base::file_descriptor stalled{::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  REQUIRE(stalled);
  // Nobody reads stdout either, after the lines of the start.
  const bool is_on_stdout = GENERATE(true, false);
  const auto to = is_on_stdout ? arguments{} : arguments{"--access-log-file", fifo};
  const fixtures::stalled_pipe errors{fixtures::stalled_pipe::filled::full};
  server of{arguments{"--access-log", "all", "--loops", "1"} + to,
            shared_world(),
            {},
            {.errors = errors.write_end()}};
  raw_connection client{of.data()};
  const auto lines_of_2_kb = [&] {
    for (int i = 0; i < 100; ++i)
      REQUIRE(client.ask(request("GET", "/" + std::string(2'000, 'x'))).status == 404);
  };
  REQUIRE(eventually([&] {
    lines_of_2_kb();
    return of.metric("matchcloud_access_log_lines_dropped_total") > 0;
  }));
  lines_of_2_kb();
  check_serves(of.data());
  CHECK(of.ready_status() == 200);
  of.process().signal(SIGTERM);
  // Each log is waited for at most 1 s; the rest is for a busy machine.
  CHECK(of.process().exit_code(deadline{milliseconds{10'000}}) == 0);
}

TEST_CASE("where stdout is a socket, the log says how the access log gets there", "[lifecycle]") {
  int pair[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
  const base::file_descriptor ours{pair[0]};
  const base::file_descriptor theirs{pair[1]};
  child_process of{{"serve", "--data-dir", shared_world().data_dir(), "--listen", "127.0.0.1:0",
                    "--ops-listen", "127.0.0.1:0", "--access-log", "all", "--access-log-file",
                    "/dev/stdout"},
                   {},
                   output_descriptors{theirs.get(), -1}};
  CHECK(of.exit_code() == 1);
  CHECK(contains(of.errors(), "Without access-log-file, the access log goes to stdout"));
}

// -- settings of the log -----------------------------------------------------

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
  const auto refused = ask_ops(of, "PUT", levels_target, R"({"stoer":"debug"})");
  INFO(refused.body);
  CHECK(refused.status == 400);
  CHECK(refused.problem_code() == "query_invalid");
  CHECK(contains(refused.body, "Did you mean `store`?"));
  CHECK(level_of(of, "store") == "info");
  const auto failed = run({"serve", "--log-levels", "stoer=debug"});
  CHECK(failed.exit_code == 2);
  CHECK(contains(failed.errors, "this subject does not exist"));
}

} // namespace
