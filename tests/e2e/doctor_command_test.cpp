// `matchcloud doctor` and `health`: what would keep a service from starting, and whether one
// serves.
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/e2e/files/user_service.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/fixtures/loopback.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/service/diagnosis.hpp"
#include "tests/service/server.hpp"
#include "tests/service/tls_client.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace matchcloud;
using namespace matchcloud::e2e;
using matchcloud::fixtures::contains;
namespace fs = std::filesystem;

diagnosis doctor_on(const world& in, const arguments& flags = {}) {
  return doctor(in.data_dir(), kernels_ports + flags);
}

/// All files below a folder, with what a writer would change.
std::vector<std::string> listing(const std::string& folder) {
  std::vector<std::string> all;
  const auto note = [&](const fs::path& path) {
    struct stat facts {};
    REQUIRE(::lstat(path.c_str(), &facts) == 0);
    all.push_back(path.string() + " " + std::to_string(facts.st_ino) + " " +
                  std::to_string(facts.st_size) + " " + std::to_string(facts.st_mode) + " " +
                  std::to_string(facts.st_mtim.tv_sec) + "." +
                  std::to_string(facts.st_mtim.tv_nsec));
  };
  note(folder);
  for (const auto& each : fs::recursive_directory_iterator{folder})
    note(each.path());
  std::ranges::sort(all);
  return all;
}

TEST_CASE("doctor finds nothing wrong where nothing is, and changes nothing",
          "[operations][embedded]") {
  const world in;
  const auto before = listing(in.data_dir());
  const auto got = doctor_on(in, {"--geoip", in.geoip()});
  INFO(got.shown());
  CHECK(got.exit_code() == 0);
  CHECK(got.count("error") == 0);
  CHECK(got.has("store", "ok", "schema version "));
  CHECK(got.has("data-dir", "ok"));
  CHECK(got.has("threads", "ok"));
  CHECK(got.has("secrets", "ok", "signing-keys"));
  // The file of the tests is of 2023.
  CHECK(got.has("geoip", "warning", "days ago"));
  CHECK(listing(in.data_dir()) == before);
}

TEST_CASE("doctor makes nothing where a first start would", "[operations][embedded]") {
  const fixtures::temporary_directory folder;
  const auto got = doctor(folder.path("data"), kernels_ports);
  INFO(got.shown());
  CHECK(got.exit_code() == 0);
  CHECK(got.has("store", "ok", "the first start creates it"));
  CHECK(got.has("data-dir", "ok", "is missing"));
  CHECK(got.has("geoip", "warning", "pass --geoip FILE"));
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("doctor looks at a store that is served, and leaves it as it is",
          "[operations][embedded][plain]") {
  const world in;
  server service{{}, in};
  // So that there is something in the log.
  in.import(R"({"tiers":["basic-7d7"]})");
  const auto& ops = service.ops();
  const auto diagnose = [&] {
    return doctor(in.data_dir(), {"--listen", service.data().authority(), "--ops-listen",
                                  ops.authority(), "--geoip", in.geoip()});
  };
  // What the service itself writes after its start may come in between.
  CHECK(eventually([&] {
    const auto before = listing(in.data_dir());
    static_cast<void>(diagnose());
    return listing(in.data_dir()) == before;
  }));
  const auto got = diagnose();
  INFO(got.shown());
  CHECK(got.exit_code() == 0);
  const auto served = "is served by process " + std::to_string(service.process().pid());
  CHECK(got.has("ports", "ok", service.data().authority() + " " + served));
  CHECK(got.has("ports", "ok", ops.authority() + " " + served));
  CHECK(got.has("store", "ok", "schema version "));
  check_serves(service.data());
  CHECK_FALSE(service.process().says("take over", deadline{milliseconds{0}}));
  // It can be replaced as before.
  server successor{
      {"--listen", service.data().authority(), "--ops-listen", ops.authority(), "--take-over"}, in};
  CHECK(successor.took_over_from() == service.process().pid());
}

TEST_CASE("doctor leaves the log of a killed service as it is", "[operations][embedded]") {
  const world in;
  {
    server service{{}, in};
    in.import(R"({"tiers":["basic-7d7"]})");
    service.process().signal(SIGKILL);
    CHECK(service.process().exit_code() == 128 + SIGKILL);
  }
  REQUIRE(fs::exists(in.data_dir() + "/matchcloud.db-wal"));
  const auto before = listing(in.data_dir());
  const auto got = doctor_on(in);
  INFO(got.shown());
  CHECK(got.exit_code() == 0);
  CHECK(got.has("store", "ok", "schema version "));
  CHECK(listing(in.data_dir()) == before);
}

TEST_CASE("doctor finds listeners that serve would refuse", "[operations]") {
  const fixtures::temporary_directory folder;
  const arguments open{"--listen", "0.0.0.0:0", "--ops-listen", "127.0.0.1:0"};
  CHECK(doctor(folder.path("data"), open).has("exposure", "error", "--auth required"));
  CHECK(doctor(folder.path("data"), open + arguments{"--insecure-open"})
            .has("exposure", "warning", "INSECURE"));
}

TEST_CASE("doctor finds a port that another program has", "[operations]") {
  const world other;
  server service{{}, other};
  const fixtures::temporary_directory folder;
  const auto got = doctor(folder.path("data"),
                          {"--listen", service.data().authority(), "--ops-listen", "127.0.0.1:0"});
  INFO(got.shown());
  CHECK(got.exit_code() == 1);
  CHECK(got.has("ports", "error", service.data().authority()));
  CHECK(got.has("ports", "ok", "127.0.0.1:0"));
}

TEST_CASE("doctor finds files of places and of autonomous systems that cannot be used",
          "[operations]") {
  const fixtures::temporary_directory folder;
  const auto none = folder.path("none.mmdb");
  const auto csv = folder.file("asn.csv", "192.0.2.0,192.0.2.255,64496\n");
  const auto cut = folder.file("cut.csv", "192.0.2.0,192.0.2.255,644");
  const auto with = [&](const std::string& asn) {
    return doctor(folder.path("data"),
                  kernels_ports + arguments{"--geoip", none, "--geoip-asn", asn});
  };
  const auto got = with(csv);
  CHECK(got.exit_code() == 1);
  CHECK(got.has("geoip", "error", none));
  CHECK(got.has("geoip", "ok", csv + ": autonomous systems as CSV"));
  CHECK(with(cut).has("geoip", "error", cut + ": line 1: "));
}

TEST_CASE("doctor finds certificates that clients would refuse, and keys that do not fit",
          "[operations]") {
  const fixtures::temporary_directory folder;
  const auto with = [&](const tls_pair_files& files) {
    const auto got = doctor(folder.path("data"), files.flags() + tls_data + tls_ops);
    UNSCOPED_INFO(got.shown());
    return got;
  };
  const auto pair_until = [](long to_s) { return fixtures::make_tls_pair({.to_s = to_s}); };
  constexpr long hour_s = 3'600;
  constexpr long day_s = 24 * hour_s;
  {
    const tls_pair_files files{pair_until(-60)};
    CHECK(with(files).has("certificates", "error", "has expired"));
  }
  {
    const tls_pair_files files{pair_until(2 * day_s + hour_s)};
    CHECK(with(files).has("certificates", "warning", "expires in 2 days"));
  }
  const tls_pair_files files{pair_until(90 * day_s + hour_s)};
  ::chmod(files.key().c_str(), 0600);
  CHECK(with(files).has("certificates", "ok", "valid for 90 more days"));
  ::chmod(files.key().c_str(), 0644);
  CHECK(with(files).has("certificates", "warning", "chmod o-rwx"));
  files.put("key.pem", pair_until(day_s).key);
  CHECK(with(files).has("certificates", "error", files.key()));
}

TEST_CASE("doctor finds too few descriptors, and fewer than connections need", "[operations]") {
  const fixtures::temporary_directory folder;
  const auto with = [&](const std::string& limit) {
    return diagnosis{run(arguments{"--nofile=" + limit, fixtures::service_program(), "doctor",
                                   "--json", "--data-dir", folder.path("data")} +
                             kernels_ports,
                         {}, {}, "/usr/bin/prlimit")};
  };
  CHECK(with("40").has("descriptors", "error", "the system allows 40"));
  CHECK(with("4096").has("descriptors", "warning", "max-connections is 100000"));
}

TEST_CASE("doctor tells the limits of the service that runs", "[operations][embedded]") {
  const world in;
  const server service{{}, in};
  const auto pid = service.process().pid();
  cpu_set_t mine;
  REQUIRE(::sched_getaffinity(pid, sizeof mine, &mine) == 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &mine)) CPU_SET(cpu, &one);
  REQUIRE(::sched_setaffinity(pid, sizeof one, &one) == 0);
  const rlimit few{4'096, 4'096};
  REQUIRE(::prlimit(pid, RLIMIT_NOFILE, &few, nullptr) == 0);
  const auto got = doctor(in.data_dir(), {"--listen", service.data().authority(), "--ops-listen",
                                          service.ops().authority()});
  INFO(got.shown());
  const auto process = "process " + std::to_string(pid);
  CHECK(got.has("processors", "ok", "1 event loop: " + process + " may use 1 processor"));
  CHECK(got.has("descriptors", "warning", "of " + process + " is 4096"));
}

TEST_CASE("doctor finds a store that this program cannot use", "[operations][embedded]") {
  const world in;
  const auto path = in.data_dir() + "/matchcloud.db";
  const auto changed = run({path, "PRAGMA user_version = 1000; "
                                  "UPDATE schema_version SET least_program = 1000"},
                           {}, {}, "/usr/bin/sqlite3");
  REQUIRE(changed.exit_code == 0);
  CHECK(doctor_on(in).has("store", "error", "Use a newer program"));
  fs::remove(path + "-wal");
  fs::remove(path + "-shm");
  fs::resize_file(path, 0);
  in.directory().file("matchcloud.db", "This is no database, however long it is. ............");
  CHECK(doctor_on(in).has("store", "error", "not a matchcloud store"));
}

TEST_CASE("doctor finds secrets that all users may read", "[operations][embedded]") {
  const world in;
  REQUIRE(run({"signing-key", "rotate", "--data-dir", in.data_dir()}).exit_code == 0);
  CHECK(doctor_on(in).has("secrets", "ok", "signing-keys can be read"));
  ::chmod((in.data_dir() + "/signing-keys").c_str(), 0644);
  CHECK(doctor_on(in).has("secrets", "error", "chmod o-rwx"));
}

TEST_CASE("doctor finds a data directory of another user", "[operations][embedded]") {
  if (!can_be_service_user()) return;
  const users_directory on;
  REQUIRE(on.run_as_user({"demo", "--data-dir", on.data_dir()}).exit_code == 0);
  const auto words = arguments{"doctor", "--json", "--data-dir", on.data_dir()} + kernels_ports;
  const auto before = listing(on.data_dir());
  CHECK(diagnosis{run(words)}.has("data-dir", "error", "runs as root"));
  CHECK(diagnosis{on.run_as_user(words)}.has("data-dir", "ok"));
  CHECK(listing(on.data_dir()) == before);
  // What root has put there.
  REQUIRE(::chown((on.data_dir() + "/matchcloud.db").c_str(), 0, 0) == 0);
  const diagnosis got{on.run_as_user(words)};
  CHECK(got.exit_code() == 1);
  CHECK(got.has("data-dir", "error", "matchcloud.db"));
}

TEST_CASE("doctor tells the ports and limits of the service to its user and to root",
          "[operations][embedded]") {
  if (!can_be_service_user()) return;
  const users_directory on;
  const directory_service service{on};
  const auto process = "process " + std::to_string(service.process().pid());
  const auto words = arguments{"doctor",       "--json",
                               "--data-dir",   on.data_dir(),
                               "--listen",     service.data().authority(),
                               "--ops-listen", service.ops().authority()};
  const auto check = [&](const diagnosis& got) {
    INFO(got.shown());
    CHECK(got.count("error") == 0);
    CHECK(got.has("ports", "ok", service.data().authority() + " is served by " + process));
    CHECK(got.has("ports", "ok", service.ops().authority() + " is served by " + process));
    CHECK(contains(got.shown(), "RLIMIT_NOFILE of " + process + " is "));
  };
  check(diagnosis{on.run_as_user(words)});
  const diagnosis as_root{run(words)};
  check(as_root);
  CHECK(as_root.has("data-dir", "warning", "runuser -u USER"));
}

TEST_CASE("doctor's text has a line for each finding and their sums", "[operations]") {
  const fixtures::temporary_directory folder;
  const auto got = run(arguments{"doctor", "--data-dir", folder.path("data")} + kernels_ports);
  CHECK(got.exit_code == 0);
  CHECK(contains(got.out, "ok       configuration  all values are allowed\n"));
  CHECK(contains(got.out, "\nwarning  geoip          no GeoIP file"));
  CHECK(contains(got.out, "\n0 errors, "));
  CHECK(got.out.ends_with(" ok\n"));
}

// -- health -------------------------------------------------------------------

/// A socket that takes connections and answers nothing.
struct silent_listener {
  base::file_descriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::string url;

  silent_listener() {
    auto where = fixtures::loopback_address(0);
    socklen_t size = sizeof where;
    auto* const address = reinterpret_cast<sockaddr*>(&where);
    REQUIRE(::bind(socket.get(), address, size) == 0);
    REQUIRE(::listen(socket.get(), 1) == 0);
    REQUIRE(::getsockname(socket.get(), address, &size) == 0);
    url = "http://127.0.0.1:" + std::to_string(ntohs(where.sin_port));
  }
};

/// A pair of `matchcloud tls self-signed` for `host`.
struct self_signed {
  fixtures::temporary_directory directory;

  explicit self_signed(const std::string& host) {
    REQUIRE(
        run({"tls", "self-signed", "--out-dir", directory.path("tls"), "--host", host}).exit_code ==
        0);
  }
  std::string certificate() const { return directory.path("tls/cert.pem"); }
  arguments flags() const {
    return {"--ops-listen", "127.0.0.1:0/tls", "--tls-cert",
            certificate(),  "--tls-key",       directory.path("tls/key.pem")};
  }
};

TEST_CASE("health is ok where a service is ready", "[operations]") {
  const server service;
  const auto url = "http://" + service.ops().authority();
  for (const auto& each : {url, url + "/", url + "/readyz", url + "/healthz"}) {
    const auto got = run({"health", each});
    INFO(each << ": " << got.errors);
    CHECK(got.exit_code == 0);
    CHECK(got.out == "ok, status 200\n");
    CHECK(got.errors.empty());
  }
  const auto listens = "MATCHCLOUD_OPS_LISTEN=" + service.ops().authority();
  CHECK(run({"health"}, {listens}).exit_code == 0);
}

TEST_CASE("health shows another status than 200, and that no service listens", "[operations]") {
  const server service;
  const auto url = "http://" + service.ops().authority() + "/nothing";
  const auto got = run({"health", url});
  CHECK(got.exit_code == 1);
  CHECK(got.out.empty());
  CHECK(got.errors.starts_with("matchcloud health: " + url + ": "));
  CHECK(contains(got.errors, "(404 "));
  const auto nobody = run({"health"}, {"MATCHCLOUD_OPS_LISTEN=[::1]:1"});
  CHECK(nobody.exit_code == 1);
  CHECK(nobody.errors == "matchcloud health: http://[::1]:1/readyz: no connection; is the service "
                         "running, and is this its address?\n");
}

TEST_CASE("health shows that a service drains", "[operations]") {
  server service{{"--drain-delay-ms", "60000"}};
  const auto url = "http://" + service.ops().authority();
  service.process().signal(SIGTERM);
  REQUIRE(service.process().says("not ready any more"));
  const auto got = run({"health", url});
  CHECK(got.exit_code == 1);
  CHECK(got.errors == "matchcloud health: " + url +
                          "/readyz: it returned status 503: "
                          "{\"ready\":false,\"reason\":\"draining\"}\n");
  CHECK(run({"health", url + "/healthz"}).exit_code == 0);
}

TEST_CASE("health waits no longer than it is told", "[operations]") {
  const silent_listener listener;
  const auto begun = std::chrono::steady_clock::now();
  const auto got = run({"health", listener.url, "--timeout", "1s"});
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds{10});
  CHECK(got.exit_code == 1);
  CHECK(got.errors == "matchcloud health: " + listener.url + "/readyz: no answer within 1 s\n");
}

TEST_CASE("health checks certificates of URLs that it is given", "[operations][plain]") {
  const self_signed pair{"127.0.0.1"};
  const server service{pair.flags()};
  const auto url = "https://" + service.ops().authority();
  CHECK(run({"health", url, "--ca-file", pair.certificate()}).exit_code == 0);
  CHECK(run({"health", url}, {"MATCHCLOUD_CA_FILE=" + pair.certificate()}).exit_code == 0);
  const auto stranger = run({"health", url});
  CHECK(stranger.exit_code == 1);
  CHECK(contains(stranger.errors, "--ca-file"));
}

TEST_CASE("health of the own machine takes a certificate for another name", "[operations]") {
  const self_signed pair{"play.example"};
  const server service{pair.flags()};
  const auto listens = [&](const std::string& host) {
    return "MATCHCLOUD_OPS_LISTEN=" + host + ":" + std::to_string(service.ops().port) + "/tls";
  };
  CHECK(run({"health"}, {listens("127.0.0.1")}).exit_code == 0);
  CHECK(run({"health"}, {listens("0.0.0.0")}).exit_code == 0);
}

TEST_CASE("a wrong command line of health exits with 2 and says what is wrong", "[operations]") {
  struct wrong_line {
    arguments words;
    std::string says;
    environment added = {};
  };
  for (const auto& wrong : {
           wrong_line{{"health", "127.0.0.1:8081"}, "\"127.0.0.1:8081\""},
           {{"health", "--timeout", "100ms"}, "from 1s to 1h"},
           {{"health", "--timeout", "2h"}, "from 1s to 1h"},
           {{"health"}, "MATCHCLOUD_OPS_LISTEN", {"MATCHCLOUD_OPS_LISTEN=localhost:no"}},
       }) {
    const auto got = run(wrong.words, wrong.added);
    INFO(got.errors);
    CHECK(got.exit_code == 2);
    CHECK(got.out.empty());
    CHECK(contains(got.errors, wrong.says));
    CHECK(contains(got.errors, "--help"));
  }
}

} // namespace
