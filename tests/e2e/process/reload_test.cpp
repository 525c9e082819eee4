// A running service reads its configuration again: SIGHUP and `matchcloud reload`.
#include "tests/e2e/process/wrapped_service.hpp"
#include "tests/not_tested.hpp"
#include "tests/service/latency_players.hpp"
#include "tests/service/load.hpp"

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace matchcloud;
using namespace e2e;

/// The key of that name in what `GET /v1/config` answers.
std::string key_in(const std::string& config, const std::string& name) {
  const auto at = config.find(R"({"name":")" + name + '"');
  REQUIRE(at != std::string::npos);
  return config.substr(at, config.find('}', at) - at + 1);
}

/// A file whose values are those without it.
const std::string defaults = "log-format = \"text\"\n";

TEST_CASE("keys that few change start with other values, and are shown", "[operations]") {
  const std::vector<std::pair<std::string, std::string>> given{{"learn-from-listings", "true"},
                                                               {"latency-learning", "false"},
                                                               {"latency-report-interval-s", "7"},
                                                               {"count-places", "false"},
                                                               {"busy-poll-us", "1"},
                                                               {"access-log-one-in", "7"},
                                                               {"write-least-rate", "7"},
                                                               {"cors-headers", "X-Shop"},
                                                               {"export-share-percent", "100"},
                                                               {"ingest-share-percent", "100"},
                                                               {"mailbox-ingestion", "7"}};
  std::string text;
  for (const auto& [name, value] : given)
    text.append(name).append(" = \"").append(value).append("\"\n");
  const reloaded on{text};
  for (const auto& [name, value] : given)
    CHECK(contains(key_in(on.config(), name), R"("value":")" + value + '"'));
  CHECK(report(*on.of, {}).body == R"({"taken":false,"why":"learning_off","unknown":[]})");
  CHECK(list(*on.of, {}, "?rtt=fra:9").status == 200);
  CHECK(contains(on.of->ask_ops_plane(request("GET", "/v1/places")).body, R"("enabled":false)"));
  const auto preflight = raw_connection{on.of->data()}.ask(
      request("OPTIONS", regions_target, {},
              "Origin: https://play.example\r\nAccess-Control-Request-Method: GET\r\n"));
  CHECK(preflight.header("access-control-allow-headers").ends_with(", X-Shop"));
}

TEST_CASE("an emptied file does not open the service", "[lifecycle]") {
  const reloaded on{"auth = \"required\"\nanonymous-regions = false\n"
                    "trusted-proxies = [\"127.0.0.1\"]\n"};
  const auto status = [&] {
    return raw_connection{on.of->data()}.ask(request("GET", regions_target)).status;
  };
  CHECK(status() == 401);
  on.write("");
  const auto refused = on.reload();
  CHECK(refused.exit_code == 1);
  CHECK(contains(refused.errors, "write auth = \"open\" to confirm"));
  CHECK(contains(refused.errors, "write trusted-proxies = [] to confirm"));
  CHECK(status() == 401);
  on.take_up("auth = \"open\"\nanonymous-regions = true\ntrusted-proxies = []\n");
  CHECK(status() == 200);
}

TEST_CASE("an emptied file does not open the service at its next start", "[lifecycle]") {
  const world own;
  const auto file = own.directory().path("service.toml");
  const auto write = [&](const std::string& text) { std::ofstream{file} << text; };
  const std::string protects = "auth = \"required\"\ntrusted-proxies = [\"127.0.0.1\"]\n";
  write(protects);
  // The kernel chooses its ports; the next ones have fixed ports, as services in the field have.
  const auto first = std::make_unique<server>(arguments{"--config", file}, own);
  const arguments fixed{"--config",     file,
                        "--listen",     first->data().authority(),
                        "--ops-listen", first->ops().authority()};
  const auto command = arguments{"serve", "--data-dir", own.data_dir()} + fixed;
  first->process().signal(SIGTERM);
  CHECK(first->process().exit_code() == 0);
  const auto serve = [&] {
    server of{fixed, own};
    const auto found = of.ask_ops_plane(request("GET", "/v1/attention")).body;
    const auto status = raw_connection{of.data()}.ask(request("GET", regions_target)).status;
    of.process().signal(SIGTERM);
    CHECK(of.process().exit_code() == 0);
    return std::pair{status, found};
  };
  const auto doctor = [&] {
    return run(arguments{"doctor", "--data-dir", own.data_dir()} + fixed).out;
  };
  CHECK_FALSE(contains(serve().second, "a protection is weaker"));
  for (const auto& text : {std::string{}, defaults}) {
    write(text);
    const auto refused = run(command);
    CHECK(refused.exit_code == 1);
    CHECK(contains(refused.errors, "write auth = \"open\" to confirm"));
    CHECK(contains(refused.errors, "write trusted-proxies = [] to confirm"));
    CHECK(contains(refused.errors, "The last start on this host was at 20"));
    CHECK(contains(doctor(), "write auth = \"open\" to confirm"));
  }
  write("auth = \"open\"\ntrusted-proxies = []\n");
  CHECK(contains(doctor(), "auth is open, and was required"));
  const auto [status, found] = serve();
  CHECK(status == 200);
  CHECK(contains(found, "auth is open, and was required"));
  CHECK(contains(found, "trusted-proxies is empty, and was 127.0.0.1"));
  // Written out once is enough.
  write(defaults);
  CHECK(contains(doctor(), "none is weaker than at the last start"));
  CHECK_FALSE(contains(serve().second, "a protection is weaker"));
}

TEST_CASE("a reload takes up what a file changes, also for open connections", "[lifecycle]") {
  const reloaded on{"body-limit-bytes = 4096\n"};
  raw_connection open{on.of->data()};
  const auto large =
      request("POST", groups_target, R"({"display_name":")" + std::string(2'000, 'x') + R"("})");
  CHECK(open.ask(large).status == 200);
  CHECK(on.take_up("body-limit-bytes = 1024\ncors-origins = [\"https://play.example\"]\n") ==
        "in force now: cors-origins, body-limit-bytes\n");
  CHECK(open.ask(large).status == 413);
  const auto listed = raw_connection{on.of->data()}.ask(
      request("GET", regions_target, {}, "Origin: https://play.example\r\n"));
  CHECK(listed.header("access-control-allow-origin") == "https://play.example");
  // What is no longer in the file has its default again.
  CHECK(on.take_up(defaults) == "in force now: cors-origins, body-limit-bytes\n");
  CHECK(raw_connection{on.of->data()}.ask(large).status == 200);
  CHECK(on.take_up(defaults) == "no reloadable key has changed\n");
}

TEST_CASE("rates, timeouts and shares are taken up", "[lifecycle]") {
  const reloaded on{""};
  on.take_up("rate-limit-loopback = true\nrate-limit-address-cheap = \"2/1000\"\n");
  std::vector<int> seen;
  for (int i = 0; i < 3; ++i)
    seen.push_back(raw_connection{on.of->data()}.ask(request("GET", regions_target)).status);
  CHECK(seen == std::vector{200, 200, 429});
  const std::string unlimited =
      "rate-limit-loopback = false\nrate-limit-address-cheap = \"10000/10\"\n";
  on.take_up(unlimited + "idle-timeout-ms = 50\n");
  raw_connection idle{on.of->data()};
  CHECK(idle.ask(request("GET", regions_target)).status == 200);
  CHECK(idle.closed());
  on.take_up(unlimited);
  raw_connection first{on.of->data()};
  CHECK(first.ask(request("GET", regions_target)).status == 200);
  on.take_up("max-connections-per-address = 1\nrate-limit-loopback = true\n");
  CHECK(raw_connection{on.of->data()}.ask(request("GET", regions_target)).status == 503);
}

TEST_CASE("tokens are asked for from a reload on, and trusted proxies believed", "[lifecycle]") {
  const reloaded on{"", {"--geoip", shared_world().geoip()}};
  CHECK(raw_connection{on.of->data()}.ask(request("GET", regions_target)).status == 200);
  on.take_up("auth = \"required\"\nanonymous-regions = false\n");
  CHECK(raw_connection{on.of->data()}.ask(request("GET", regions_target)).status == 401);
  const auto from_tokyo = request("GET", regions_target, {}, "X-Forwarded-For: 198.51.100.7\r\n");
  on.take_up("auth = \"open\"\nanonymous-regions = true\n");
  const auto near = raw_connection{on.of->data()}.ask(from_tokyo).body;
  on.take_up("trusted-proxies = [\"127.0.0.1\"]\n");
  CHECK(raw_connection{on.of->data()}.ask(from_tokyo).body != near);
}

TEST_CASE("reloads under load cost no request", "[lifecycle]") {
  const reloaded on{""};
  steady_load clients{on.of->data(), request("GET", regions_target), 4};
  for (int i = 0; i < 20; ++i)
    on.take_up("head-timeout-ms = " + std::to_string(5'000 + i) + "\n");
  REQUIRE(eventually([&] { return clients.turns() > 100; }));
  CHECK(clients.finish().failure == "");
  CHECK(contains(key_in(on.config(), "head-timeout-ms"), R"("value":"5019")"));
}

TEST_CASE("a wrong file is refused whole and changes nothing", "[lifecycle]") {
  const reloaded on{"body-limit-bytes = 4096\n"};
  const auto before = on.config();
  on.write("body-limit-bytes = 2048\nbdy-limit = 1\n");
  const auto refused = on.reload();
  CHECK(refused.exit_code == 1);
  CHECK(contains(refused.errors, "matchcloud reload: refused, nothing has changed: "));
  CHECK(contains(refused.errors, "unknown key \"bdy-limit\""));
  CHECK(on.of->process().says("SIGHUP: reload refused, nothing has changed: "));
  CHECK(on.config() == before);
  std::filesystem::remove(on.file);
  CHECK(on.reload().exit_code == 1);
  CHECK(on.config() == before);
}

TEST_CASE("a reload names the changed keys that need a restart", "[lifecycle]") {
  const reloaded on{"loops = 1\n"};
  CHECK(on.take_up("loops = 2\nbody-limit-bytes = 2048\n") ==
        "in force now: body-limit-bytes\n"
        "changed, but in force only after a restart: loops\n");
  const auto config = on.config();
  CHECK(key_in(config, "loops") ==
        R"({"name":"loops","value":"1","hidden":false,"default":"0","source":"file",)"
        R"("place":")" +
            on.file +
            R"(:1: loops","reloadable":false,"needs_restart":true,)"
            R"("next_value":"2"})");
  CHECK(contains(key_in(config, "body-limit-bytes"),
                 R"("value":"2048","hidden":false,"default":"1048576","source":"file")"));
  CHECK(contains(key_in(config, "data-dir"), R"("source":"flag","place":"--data-dir")"));
  CHECK(contains(key_in(config, "head-limit-bytes"), R"("source":"default","place":"")"));
}

TEST_CASE("a reload cannot open a plane to everybody that was closed", "[lifecycle]") {
  const reloaded on{"auth = \"required\"\n", {"--listen", "0.0.0.0:0"}};
  on.write("auth = \"open\"\n");
  const auto refused = on.reload();
  CHECK(refused.exit_code == 1);
  CHECK(contains(refused.errors, "reachable from outside this machine"));
  // This file is valid, although the listener that it would open is not the existing one.
  on.write("auth = \"open\"\ninsecure-open = true\n");
  CHECK(on.reload().exit_code == 0);
}

TEST_CASE("certificates at other paths are taken up, and wrong ones refused", "[lifecycle][tls]") {
  const tls_pair_files first;
  const tls_pair_files second{fixtures::make_tls_pair()};
  const auto keys = [](const tls_pair_files& of) {
    return "tls-cert = [\"" + of.certificate() + "\"]\ntls-key = [\"" + of.key() + "\"]\n";
  };
  const reloaded on{keys(first), tls_data};
  CHECK(on.take_up(keys(second)) == "in force now: tls-cert, tls-key\n");
  second.put("broken.pem", "no certificate");
  on.write("body-limit-bytes = 2048\ntls-cert = [\"" + second.directory().path("broken.pem") +
           "\"]\ntls-key = [\"" + second.key() + "\"]\n");
  const auto refused = on.reload();
  CHECK(refused.exit_code == 1);
  CHECK(contains(refused.errors, "broken.pem"));
  CHECK(contains(key_in(on.config(), "body-limit-bytes"), R"("value":"1048576")"));
}

TEST_CASE("a pipe as configuration is not read a second time", "[lifecycle]") {
  wrapped_service of{
      {"/bin/bash", "-c", "exec \"$@\" --config <(echo 'body-limit-bytes = 2048')", "-"},
      shared_world().data_dir()};
  REQUIRE(of.serves());
  of.process().signal(SIGHUP);
  CHECK(of.process().says("is not a regular file"));
}

TEST_CASE("a service that begins is reloaded once it serves", "[lifecycle]") {
  const fixtures::temporary_directory folder;
  const auto file = folder.path("service.toml");
  std::ofstream{file} << "";
  child_process begins{{"serve", "--config", file, "--data-dir", folder.path("data"), "--listen",
                        "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"}};
  const auto done = run({"reload", std::to_string(begins.pid())});
  CHECK(done.exit_code == 0);
  CHECK(done.out == "no reloadable key has changed\n");
  CHECK(begins.running());
}

TEST_CASE("no other process can answer a reload for the service", "[lifecycle]") {
  reloaded on{"body-limit-bytes = 2048\n"};
  // Another process answers every request first, and with what would control a terminal.
  const std::string forge = R"(
import collections, socket, sys
sent = collections.Counter()  # few, so that the true answer finds room
while True:
    for line in open("/proc/net/unix", errors="replace"):
        at = line.rfind("@matchcloud-reload-")
        if at >= 0 and sent[line[at:]] < 3:
            sent[line[at:]] += 1
            name = "\0" + line[at + 1:].rstrip("\n")
            to = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                to.sendto(b"+forged\x1b[2J\n", name)
                print("sent", file=sys.stderr, flush=True)
            except OSError:
                pass
)";
  child_process forger{{"-c", forge}, {}, {}, "/usr/bin/python3"};
  on.write("body-limit-bytes = 4096\n");
  // While the service cannot answer, the forger does.
  on.of->process().signal(SIGSTOP);
  std::thread later{[&] {
    forger.says("sent");
    on.of->process().signal(SIGCONT);
  }};
  const auto done = on.reload();
  later.join();
  INFO(done.errors);
  CHECK(done.exit_code == 0);
  CHECK(done.out == "in force now: body-limit-bytes\n");
}

TEST_CASE("reload names the running services, with their users", "[lifecycle]") {
  const reloaded first{"body-limit-bytes = 2048\n"};
  const reloaded second{"body-limit-bytes = 2048\n"};
  const auto done = run({"reload"});
  CHECK(done.exit_code == 1);
  for (const auto* each : {&first, &second}) {
    CHECK(contains(done.errors, std::to_string(each->of->process().pid()) + " (user "));
    CHECK(contains(done.errors, "--config " + each->file));
  }
}

TEST_CASE("a process of another user that calls itself a service is not asked", "[lifecycle]") {
  if (::geteuid() != 0) return fixtures::not_tested("only root can become another user");
  const fixtures::temporary_directory folder;
  std::ofstream{folder.path("serve")}
      << "mkfifo pipe; trap 'echo told >&2' HUP; echo ready >&2; read forever <>pipe\n";
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  const auto command = "cd " + folder.path() + "; exec -a matchcloud /bin/bash serve";
  child_process other{
      {"--reuid=65534", "--clear-groups", "/bin/bash", "-c", command}, {}, {}, "/usr/bin/setpriv"};
  REQUIRE(other.says("ready"));
  const auto done = run({"reload", std::to_string(other.pid())});
  CHECK(done.exit_code == 1);
  CHECK(contains(done.errors, "runs no matchcloud of root's"));
  CHECK_FALSE(contains(run({"reload"}).errors, std::to_string(other.pid())));
  CHECK_FALSE(contains(other.errors(), "told"));
}

TEST_CASE("reload refuses a service that ignores SIGHUP, and what is no service", "[lifecycle]") {
  wrapped_service deaf{{"/usr/bin/nohup"}, shared_world().data_dir()};
  REQUIRE(deaf.serves());
  const auto ignored = run({"reload", std::to_string(deaf.process().pid())});
  CHECK(ignored.exit_code == 1);
  CHECK(contains(ignored.errors, "ignores SIGHUP"));
  const auto self = run({"reload", std::to_string(::getpid())});
  CHECK(self.exit_code == 1);
  CHECK(contains(self.errors, "is not a `matchcloud serve`"));
  CHECK(run({"reload", "0"}).exit_code == 2);
}

} // namespace
