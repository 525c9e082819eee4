// The signals that a service and other commands may get besides SIGTERM and SIGINT, and empty
// variables, which count as absent.
#include "tests/e2e/process/wrapped_service.hpp"
#include "tests/service/page_table.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <csignal>
#include <cstring>
#include <filesystem>

namespace {

using namespace matchcloud;
using namespace e2e;

std::string name_of(int signal) {
  const char* const name = ::sigabbrev_np(signal);
  return name == nullptr ? "signal " + std::to_string(signal) : "SIG" + std::string{name};
}

TEST_CASE("signals without a meaning are noted and change nothing", "[lifecycle]") {
  const auto signal = GENERATE(SIGUSR1, SIGIO, SIGRTMAX);
  server of;
  of.process().signal(signal);
  CHECK(of.process().says(name_of(signal) + " is ignored"));
  check_serves(of.data());
  of.process().signal(SIGPIPE);
  check_serves(of.data());
  of.process().signal(SIGTERM);
  CHECK(of.process().exit_code() == 0);
}

TEST_CASE("a SIGHUP that is ignored stays ignored", "[lifecycle]") {
  wrapped_service of{{"/usr/bin/nohup"}, shared_world().data_dir()};
  REQUIRE(of.serves());
  of.process().signal(SIGHUP);
  // Signals that wait are taken by number, so this one would be noted later.
  of.process().signal(SIGUSR1);
  CHECK(of.process().says("SIGUSR1 is ignored"));
  CHECK_FALSE(contains(of.process().errors(), "SIGHUP"));
  of.process().signal(SIGTERM);
  CHECK(of.process().exit_code() == 0);
}

TEST_CASE("signals are noted while a service waits for its store, and SIGQUIT ends it",
          "[lifecycle]") {
  const auto end = GENERATE(SIGQUIT, SIGTERM, SIGINT);
  const fixtures::temporary_directory folder;
  child_process waits{arguments{"serve", "--data-dir", folder.path(), "--listen", "127.0.0.1:0",
                                "--ops-listen", "127.0.0.1:0"} +
                      waits_for_store};
  REQUIRE(waits.says("not ready: "));
  for (const auto signal : {SIGHUP, SIGUSR1, SIGUSR2})
    waits.signal(signal);
  CHECK(waits.says("SIGUSR2 is ignored"));
  CHECK(waits.says("SIGHUP: "));
  CHECK(waits.running());
  waits.signal(end);
  CHECK(waits.exit_code() == 0);
}

TEST_CASE("a store that says nothing keeps back neither health checks nor the end", "[lifecycle]") {
  const base::file_descriptor silent{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  REQUIRE(::listen(silent.get(), 1) == 0); // at a port that the kernel chooses
  sockaddr_in at{};
  socklen_t size = sizeof at;
  REQUIRE(::getsockname(silent.get(), reinterpret_cast<sockaddr*>(&at), &size) == 0);
  const fixtures::temporary_directory folder;
  child_process waits{{"serve", "--data-dir", folder.path(), "--listen", "127.0.0.1:0",
                       "--ops-listen", "127.0.0.1:0", "--store",
                       "postgresql://127.0.0.1:" + std::to_string(ntohs(at.sin_port)) +
                           "/none?connect_timeout=600"}};
  raw_connection health{waiting_ops_plane(waits)};
  CHECK(health.ask("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").status == 200);
  waits.signal(SIGTERM);
  CHECK(waits.exit_code() == 0);
  CHECK(waits.says("ended: interrupted while the store was out of reach"));
}

TEST_CASE("a signal that comes while the configuration is read ends a service in order",
          "[lifecycle]") {
  const auto end = GENERATE(SIGQUIT, SIGTERM, SIGINT);
  const fixtures::temporary_directory folder;
  const auto config = folder.path("config.toml");
  const auto data_dir = folder.path("data");
  REQUIRE(::mkfifo(config.c_str(), 0600) == 0);
  child_process starts{{"serve", "--config", config, "--data-dir", data_dir, "--listen",
                        "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"}};
  base::file_descriptor writer;
  // It can be opened once the service reads it.
  REQUIRE(eventually([&] {
    writer = base::file_descriptor{::open(config.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)};
    return static_cast<bool>(writer);
  }));
  starts.signal(SIGHUP);
  starts.signal(end);
  CHECK(starts.running());
  writer.reset();
  CHECK(starts.exit_code() == 0);
  CHECK(starts.says(name_of(end) + ": ended before serving"));
  CHECK_FALSE(std::filesystem::exists(data_dir));
}

TEST_CASE("signals are noted during the drain and the delay before it", "[lifecycle]") {
  const std::string delay = GENERATE("0", "600000");
  server of{{"--drain-timeout-ms", "600000", "--drain-delay-ms", delay}};
  raw_connection half{of.data()};
  half.send(std::string_view{regions_request}.substr(0, 10));
  REQUIRE(eventually([&] { return of.metric("matchcloud_received_bytes_total") == 10; }));
  of.process().signal(SIGQUIT);
  REQUIRE(eventually([&] { return of.ready_status() == 503; }));
  CHECK(of.process().says("SIGQUIT: ending"));
  for (const auto signal : {SIGHUP, SIGUSR1, SIGUSR2})
    of.process().signal(signal);
  CHECK(of.process().says("SIGUSR2 is ignored"));
  half.send(std::string_view{regions_request}.substr(10));
  CHECK(half.receive().status == 200);
  if (delay == "0") {
    CHECK(half.closed());
    half.reset();
    CHECK(of.process().exit_code() == 0);
  } else {
    of.process().signal(SIGQUIT);
    CHECK(of.process().exit_code() == 1);
  }
}

TEST_CASE("other commands ignore signals that scripts send to every process of a name",
          "[lifecycle]") {
  const world own;
  const auto pipe = own.directory().path("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  // Opened for reading and writing, so that neither this process nor the child blocks in open.
  const base::file_descriptor writer{::open(pipe.c_str(), O_RDWR | O_CLOEXEC)};
  child_process importing{{"import", "lobbies", "--data-dir", own.data_dir(), pipe}};
  REQUIRE(::write(writer.get(), "\n", 1) == 1);
  REQUIRE(eventually([&] {
    pollfd unread{writer.get(), POLLIN, 0};
    return ::poll(&unread, 1, 0) == 0;
  }));
  importing.signal(SIGUSR1);
  importing.signal(SIGUSR2);
  CHECK(importing.running());
  // The terminal was closed: it ends in order.
  importing.signal(SIGHUP);
  CHECK(importing.exit_code() == 1);
  CHECK(importing.says("interrupted; "));
}

TEST_CASE("matchcloud-load reports what it measured where its terminal closes", "[lifecycle]") {
  const server of;
  child_process loading{{"--rate", "100", "--duration", "600s", "http://" + of.data().authority()},
                        {},
                        {},
                        fixtures::load_program()};
  REQUIRE(eventually([&] {
    return of.metric("matchcloud_connections") > 0 &&
           of.metric("matchcloud_received_bytes_total") > 10'000;
  }));
  loading.signal(SIGUSR1);
  loading.signal(SIGUSR2);
  CHECK(loading.running());
  loading.signal(SIGHUP);
  CHECK(loading.exit_code() == 0);
}

// -- empty variables ---------------------------------------------------------

TEST_CASE("empty variables count as absent, those of each key", "[lifecycle]") {
  environment empty;
  for (auto name : first_column("docs/configuration.md", "keys")) {
    for (auto& c : name)
      c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    empty.push_back("MATCHCLOUD_" + name + "=");
  }
  REQUIRE(empty.size() > 100);
  empty.emplace_back("MATCHCLOUD_NO_KEY=");
  server of{{}, shared_world(), empty};
  check_serves(of.data());
  CHECK_FALSE(contains(of.process().errors(), "MATCHCLOUD_"));
  of.process().signal(SIGTERM);
  CHECK(of.process().exit_code() == 0);
}

TEST_CASE("empty variables of libraries count as absent, too", "[lifecycle]") {
  const fixtures::temporary_directory folder;
  // To libpq an empty one of these is a wrong value.
  const environment empty{
      "PGSSLMODE=", "PGCHANNELBINDING=", "PGTARGETSESSIONATTRS=", "PGGSSENCMODE="};
  const auto refused =
      run(arguments{"serve", "--data-dir", folder.path(), "--listen", "127.0.0.1:0", "--ops-listen",
                    "127.0.0.1:0", "--start-wait-ms", "0"} +
              waits_for_store,
          empty);
  CHECK(refused.exit_code == 1);
  INFO(refused.errors);
  CHECK(contains(refused.errors, "refused"));
  CHECK_FALSE(contains(refused.errors, "invalid"));
}

TEST_CASE("an empty variable of a token or of authorities is none", "[lifecycle]") {
  const environment empty{"MATCHCLOUD_TOKEN=", "MATCHCLOUD_CA_FILE=", "MATCHCLOUD_STORE=",
                          "SSL_CERT_FILE=", "SSL_CERT_DIR="};
  CHECK(run({"token", "list", "--data-dir", shared_world().data_dir()}, empty).exit_code == 0);
  const server of;
  const auto loaded =
      run({"--rate", "50", "--duration", "200ms", "http://" + of.data().authority()}, empty, {},
          fixtures::load_program());
  INFO(loaded.errors);
  CHECK(loaded.exit_code == 0);
}

} // namespace
