#include "app/doctor/health_checks.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <linux/magic.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

namespace matchcloud::app {
namespace {

base::expected<serve_config> with(std::vector<given_value> values) {
  values.push_back({"listen", "--listen", {"127.0.0.1:0"}});
  values.push_back({"ops-listen", "--ops-listen", {"127.0.0.1:0"}});
  return make_config(values);
}

TEST_CASE("each check has a name of its own, and says what it looks at") {
  std::set<std::string_view> names;
  for (const auto& each : health_checks()) {
    CHECK(names.insert(each.name).second);
    CHECK_FALSE(each.looks_at.empty());
  }
}

TEST_CASE("all errors of a refused configuration are one finding") {
  examined_service of{with({{"loops", "--loops", {"x"}}, {"auth", "--auth", {"y"}}}), {}};
  REQUIRE_FALSE(of.configuration());
  const auto found = examine(of);
  REQUIRE(found.size() == 2);
  CHECK(found[0].check == "configuration");
  CHECK(found[0].level == finding_level::error);
  CHECK(found[0].message.find("--loops") != std::string::npos);
  CHECK(found[0].message.find("--auth") != std::string::npos);
  CHECK(found[1].check == "processors");
  CHECK(found[1].level == finding_level::ok);
}

TEST_CASE("variables that are no keys are a warning") {
  const fixtures::temporary_directory folder;
  examined_service of{with({{"data-dir", "--data-dir", {folder.path()}}}), {"MATCHCLOUD_LISTNE"}};
  const auto found = check_configuration(of);
  REQUIRE(found.size() == 1);
  CHECK(found[0].level == finding_level::warning);
  CHECK(found[0].message.starts_with("MATCHCLOUD_LISTNE is not"));
}

TEST_CASE("checks make nothing, also where the data directory is missing") {
  const fixtures::temporary_directory folder;
  examined_service of{with({{"data-dir", "--data-dir", {folder.path("a/b")}}}), {}};
  const auto found = examine(of);
  CHECK(std::ranges::none_of(found, [](const health_finding& each) {
    return each.level == finding_level::error || each.check.empty() || each.message.empty();
  }));
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("more event loops than processors are a warning") {
  examined_service of{with({{"loops", "--loops", {"256"}}}), {}};
  REQUIRE(of.configuration());
  CHECK(check_processors(of).front().level == finding_level::warning);
}

constexpr std::uint64_t gib = 1ULL << 30U;

TEST_CASE("little space is a twentieth of a disk, within bounds") {
  CHECK(little_space(0) == gib);
  CHECK(little_space(20 * gib) == gib);
  CHECK(little_space(100 * gib) == 5 * gib);
  CHECK(little_space(4'000 * gib) == 10 * gib);
}

TEST_CASE("the disk of a data directory is measured, also before that is made") {
  const auto on = [](const std::string& folder) {
    examined_service of{make_config({{"listen", "--listen", {"127.0.0.1:0"}},
                                     {"ops-listen", "--ops-listen", {"127.0.0.1:0"}},
                                     {"data-dir", "--data-dir", {folder}}})};
    return check_disk(of);
  };
  const fixtures::temporary_directory folder;
  const auto found = on(folder.path("none"));
  REQUIRE_FALSE(found.empty());
  CHECK(std::ranges::none_of(found,
                             [](const auto& each) { return each.level == finding_level::error; }));
  CHECK(found[0].message.starts_with(folder.path() + " "));
  std::filesystem::create_symlink("nowhere", folder.path("link"));
  const auto dangling = on(folder.path("link"));
  REQUIRE(dangling.size() == 1);
  CHECK(dangling[0].message.find("its file system cannot be examined") != std::string::npos);
  struct statfs kind {};
  if (::statfs("/dev/shm", &kind) != 0 || kind.f_type != TMPFS_MAGIC) return;
  const auto in_memory = on("/dev/shm/none");
  CHECK(std::ranges::any_of(in_memory, [](const auto& each) {
    return each.message.starts_with("/dev/shm is in memory (tmpfs)");
  }));
}

TEST_CASE("bytes are shown with a unit") {
  CHECK(shown_bytes(0) == "0 B");
  CHECK(shown_bytes(1'023) == "1023 B");
  CHECK(shown_bytes(1'024) == "1 KiB");
  CHECK(shown_bytes(640ULL << 20U) == "640 MiB");
  CHECK(shown_bytes(5 * gib - 1) == "4 GiB");
  CHECK(shown_bytes(UINT64_MAX) == "15 EiB");
}

http::endpoint at(const std::string& text) {
  return http::parse_endpoint(text).value();
}

constexpr const char* v4_table =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode\n"
    "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
    "4711 1 0000000000000000 100 0 0 10 0\n"
    "   1: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
    "4712 1 0000000000000000 100 0 0 10 0\n"
    "   2: 0100007F:1F90 0100007F:D431 01 00000000:00000000 00:00000000 00000000     0        0 "
    "4713 1 0000000000000000 100 0 0 10 0\n"
    "   3: 00000000:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
    "4714 1 0000000000000000 100 0 0 10 0\n"
    "   4: broken\n";

std::vector<listening_socket> sockets_in(const char* table, const http::endpoint& where) {
  std::istringstream lines{table};
  return listening_sockets(lines, where);
}

TEST_CASE("the sockets that listen at an address are found in the kernel's table") {
  using sockets = std::vector<listening_socket>;
  CHECK(sockets_in(v4_table, at("127.0.0.1:8080")) == sockets{{"0", "4711"}, {"0", "4712"}});
  CHECK(sockets_in(v4_table, at("0.0.0.0:8081")) == sockets{{"0", "4714"}});
  CHECK(sockets_in(v4_table, at("127.0.0.1:8081")).empty());
  CHECK(sockets_in("", at("127.0.0.1:8080")).empty());
  const auto* v6_table =
      "   0: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A "
      "00000000:00000000 00:00000000 00000000     0        0 4720 1\n";
  CHECK(sockets_in(v6_table, at("[::1]:8080")) == sockets{{"0", "4720"}});
}

TEST_CASE("a process is known by the addresses that it listens at") {
  const auto listening = GENERATE(as<std::string>{}, "127.0.0.1:0", "[::1]:0");
  const auto bound = http::listen_on(at(listening), 1, 1);
  if (!bound && listening == "[::1]:0") return; // a machine without IPv6
  REQUIRE(bound);
  const auto user = ::geteuid();
  CHECK(process_listens_at({::getpid(), user}, bound->where));
  CHECK_FALSE(process_listens_at({::getppid(), user}, bound->where));
  CHECK_FALSE(process_listens_at({::getpid(), user}, at("127.0.0.1:1")));
  CHECK_FALSE(process_listens_at({0, user}, bound->where));
}

} // namespace
} // namespace matchcloud::app
