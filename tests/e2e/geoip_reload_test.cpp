// GeoIP files and the catalog change while clients send requests without pause.
#include "tests/catch.hpp"
#include "tests/fixtures/replaced_file.hpp"
#include "tests/service/load.hpp"
#include "tests/service/server.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>

namespace {

using namespace matchcloud;
using namespace matchcloud::e2e;

constexpr std::size_t clients = 4;

/// A change must be visible within a second, and is within half a second on a machine that is not
/// overloaded. Under sanitizers, next to other tests, most changes must be visible in this time.
constexpr milliseconds reload_limit{2'000};

/// A server under load whose GeoIP file or catalog a test replaces. Records the distinct bodies
/// that came into force and the delays until they did.
class changing_server {
public:
  changing_server()
      : geoip_{settled(own_.directory().file("changing.mmdb", place(0)))},
        server_{{"--geoip", geoip_}, own_},
        load_{server_.data(), request("GET", regions_target), clients} {
    note(listing());
    REQUIRE(eventually([&] { return load_.turns() > 0; }));
  }

  static std::string place(int number) { return fixtures::mmdb_of_place(-60 + number, 8); }

  const world& catalog() const { return own_; }
  const server& serving() const { return server_; }
  const std::string& geoip() const { return geoip_; }
  std::string listing() const {
    raw_connection client{server_.data()};
    return client.ask(request("GET", regions_target)).body;
  }

  /// Makes a change and waits until every loop lists the same new body.
  void change(const std::function<void()>& how) {
    how(); // not measured: busy disks can block for seconds
    const auto began = clock::now();
    std::string now;
    REQUIRE(eventually(
        [&] {
          now = listing();
          return !known(now);
        },
        deadline{}));
    const auto agreed = [&] {
      for (int i = 0; i < 20; ++i) // connections spread over the loops
        if (listing() != now) return false;
      return true;
    };
    REQUIRE(eventually(agreed, deadline{}));
    delays_.push_back(std::chrono::duration_cast<milliseconds>(clock::now() - began));
    note(now);
    ask_on();
  }
  /// Makes a change that must have no effect except a log line that says `why`.
  void change_badly(const std::string& why, const std::function<void()>& how) {
    const auto line = why + "; the previous file stays in use";
    const auto told = [&] { return occurrences(server_.process().errors(), line); };
    const auto before = told();
    const auto body = listing();
    how();
    CHECK(eventually([&] { return told() > before; }, deadline{}));
    INFO(server_.process().errors());
    CHECK(server_.process().says("geoip_invalid: " + geoip_ + ": "));
    ask_on();
    CHECK(listing() == body);
  }
  /// Checks that every answer was complete and belonged to one recorded state; prints the delays.
  void finish() {
    const auto report = load_.finish();
    CHECK(report.failure.empty());
    for (const auto& body : report.bodies)
      CHECK(known(body));
    CHECK(report.bodies.size() == bodies_.size());
    std::sort(delays_.begin(), delays_.end());
    const auto median = delays_[delays_.size() / 2];
    CHECK(median <= reload_limit);
    WARN(delays_.size() << " changes seen after " << median.count() << " ms (median), "
                        << delays_.back().count() << " ms (most), under " << report.answers
                        << " requests");
  }

private:
  static const std::string& settled(const std::string& path) {
    fixtures::wait_until_settled(path);
    return path;
  }
  static std::size_t occurrences(const std::string& text, const std::string& of) {
    std::size_t count = 0;
    for (auto at = text.find(of); at != std::string::npos; at = text.find(of, at + 1))
      ++count;
    return count;
  }
  /// Waits until every client has sent a request and got its answer after this call.
  void ask_on() {
    const auto turns = load_.turns();
    REQUIRE(eventually([&] { return load_.turns() > turns + 1; }));
  }
  bool known(const std::string& body) const { return bodies_.count(body) > 0; }
  void note(const std::string& body) { bodies_.insert(body); }

  world own_;
  std::string geoip_;
  mutable server server_;
  steady_load load_;
  std::set<std::string> bodies_;
  std::vector<milliseconds> delays_;
};

TEST_CASE("GeoIP files are replaced under load: every answer is of one of them", "[operations]") {
  changing_server of;
  const auto& path = of.geoip();
  int number = 0;
  const auto next = [&] { return changing_server::place(++number); };
  const auto reloads = [&] { return of.serving().metric("matchcloud_geoip_reloads_total"); };
  const auto at_start = reloads();
  of.change([&] { fixtures::rename_over(path, next()); });
  of.change([&] { fixtures::overwrite(path, next()); });
  of.change_badly("", [&] { fixtures::rename_over(path, std::string(5'000, 'x')); });
  of.change([&] { fixtures::overwrite(path, next()); });
  of.change_badly("", [&] {
    const auto whole = next();
    fixtures::overwrite(path, std::string_view{whole}.substr(0, whole.size() / 2));
  });
  of.change([&] { fixtures::rename_over(path, next()); });
  of.change_badly("the file is empty", [&] { fixtures::overwrite(path, ""); });
  of.change_badly("open: No such file or directory", [&] { std::filesystem::remove(path); });
  of.change([&] { fixtures::rename_over(path, next()); });
  CHECK(reloads() == at_start + 5);
  // More than 4 if a slow disk made the test's own unfinished writes visible.
  CHECK(of.serving().metric("matchcloud_geoip_refused_total") >= 4);
  CHECK(of.serving().metric("matchcloud_geoip_loaded_timestamp_seconds") > 1.7e9);
  CHECK(of.serving().metric("matchcloud_geoip_built_timestamp_seconds{file=\"" + path + "\"}") > 0);
  of.finish();
}

TEST_CASE("the catalog changes under load: every answer is of one revision", "[operations]") {
  changing_server of;
  const auto region = [](const std::string& name) {
    return R"("region_display_name":")" + name +
           R"(","provider_display_name":"P","datacenter_coord":{"latitude":1.5,"longitude":-2}})";
  };
  const auto ask_ops = [&](const std::string& method, const std::string& target,
                           const std::string& body) {
    raw_connection client{of.serving().ops()};
    return client
        .ask(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
             std::to_string(body.size()) + "\r\n\r\n" + body)
        .status;
  };
  for (int round = 0; round < 2; ++round) {
    const auto id = "new" + std::to_string(round);
    of.change([&] { CHECK(ask_ops("PUT", "/v1/regions/" + id, "{" + region("Put")) == 201); });
    CHECK(of.listing().find("\"region_id\":\"" + id + "\"") != std::string::npos);
    of.change([&] {
      of.catalog().import(R"({"regions":[{"region_id":")" + id + R"(",)" + region("Imported") +
                          "]}");
    });
    CHECK(of.listing().find("\"Imported\"") != std::string::npos);
  }
  of.finish();
}

} // namespace
