// The service under load while its PostgreSQL server goes away in every way, and comes back; and
// what the server has to do for many clients that report one lobby each.
#include "tests/catch.hpp"
#include "tests/fixtures/servers/cuttable_proxy.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/service/lobby_lines.hpp"
#include "tests/service/mixed_load.hpp"
#include "tests/service/server.hpp"
#include "tests/service/tls_client.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <functional>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace matchcloud;
using namespace e2e;

/// By when everything goes on once the server is back. On a quiet machine it takes less than 2 s.
constexpr milliseconds recovery{5'000};

/// So that the service gives up soon on a server that does not answer.
const arguments impatient{"--store-statement-timeout-ms", "1000"};

/// A service under load. `url` is how it reaches its database, `direct` how the test does.
class loaded_service {
public:
  loaded_service(const std::string& url, const std::string& direct,
                 const arguments& flags = impatient, load_rules rules = {})
      : direct_{direct}, world_{store_url{url}}, at_{started(flags)}, load_{*at_, rules} {
    REQUIRE(load_.all_done());
  }

  mixed_load& load() noexcept { return load_; }

  /// `check_end` fails if anything was refused.
  void refuses_nothing() noexcept { may_refuse_ = false; }
  /// Another process on the same store.
  std::unique_ptr<server> another() const { return std::make_unique<server>(arguments{}, world_); }

  /// Checks that all is well again soon after the call, and stays so.
  void check_recovers(milliseconds at_most = recovery) {
    back_ = clock::now();
    recovery_ = at_most;
    CHECK(load_.all_done());
    // The pauses before the next try to connect end in this time, too.
    CHECK(load_.all_done(6));
  }

  /// Ends the load, and checks what it got. `direct`: where the store is now.
  void check_end() { check_end(direct_); }
  void check_end(const std::string& direct) {
    const auto reports = load_.finish();
    const auto log = at_->process().errors();
    INFO("the end of the service's log:\n"
         << log.substr(log.size() - std::min<std::size_t>(log.size(), 6'000)));
    for (const auto& each : reports) {
      INFO(each.name << ": " << each.done << " done, " << each.refused << " refused, longest "
                     << each.longest.count() << " ms");
      for (const auto& wrong : each.wrong)
        FAIL_CHECK(wrong);
      CHECK(each.done > 0);
      CHECK((may_refuse_ || each.refused == 0));
      if (each.refused == 0) continue;
      const auto after =
          std::chrono::duration_cast<milliseconds>(each.last_refusal - back_).count();
      CHECK(after < recovery_.count());
    }
    CHECK(at_->process().running());
    CHECK(at_->metric("matchcloud_actor_restarts_total") == 0);
    check_kept(direct);
  }

private:
  std::unique_ptr<server> started(arguments flags) {
    world_.import(mixed_load::uncached_games());
    flags.insert(flags.end(), {"--avatar-cache-bytes", "32768"});
    return std::make_unique<server>(flags, world_);
  }

  /// What was acknowledged is in the store.
  void check_kept(const std::string& direct) {
    fixtures::postgres_session session{direct};
    CHECK(session.value("SELECT count(*) FROM matchcloud.lobbies WHERE " +
                        mixed_load::is_of_load()) == std::to_string(load_.lines()));
    const auto check_has = [&](const std::set<std::string>& known, const std::string& sql) {
      std::set<std::string> found;
      for (const auto& row : session.query(sql))
        found.insert(row[0]);
      for (const auto& each : known)
        if (!found.contains(each)) FAIL_CHECK(each + " is lost");
    };
    check_has(load_.tiers(), "SELECT tier FROM matchcloud.tiers");
    check_has(load_.tokens(), "SELECT token_id FROM matchcloud.tokens");
  }

  std::string direct_;
  world world_;
  std::unique_ptr<server> at_;
  mixed_load load_;
  bool may_refuse_ = true;
  clock::time_point back_ = clock::now();
  milliseconds recovery_ = recovery;
};

using fixtures::postgres_server;

/// Takes the server away by `leave` and gets it back by `come_back`.
void check_outage(const std::function<void(postgres_server&)>& leave,
                  const std::function<void(postgres_server&)>& come_back) {
  if (!fixtures::postgres_installed()) return;
  postgres_server postgres;
  const auto url = postgres.new_database();
  loaded_service of{url, url};
  leave(postgres);
  CHECK(of.load().all_refused());
  CHECK(of.load().all_refused());
  come_back(postgres);
  of.check_recovers();
  of.check_end();
}

TEST_CASE("the service goes on without a server that is killed", "[.postgres]") {
  check_outage([](auto& postgres) { postgres.kill(); }, [](auto& postgres) { postgres.start(); });
}

TEST_CASE("the service goes on without a server that is paused", "[.postgres]") {
  check_outage([](auto& postgres) { postgres.pause(); }, [](auto& postgres) { postgres.resume(); });
}

TEST_CASE("a server that answers nothing for long costs no request more than its time",
          "[.postgres][long]") {
  if (!fixtures::postgres_installed()) return;
  postgres_server postgres;
  const auto url = postgres.new_database();
  loaded_service of{url, url, {}, {.uncached_clients = 16}};
  postgres.pause();
  for (int i = 0; i < 4; ++i)
    CHECK(of.load().all_refused());
  postgres.resume();
  of.check_recovers();
  of.check_end();
}

bool answers(const std::string& url) {
  try {
    return fixtures::postgres_session{url}.value("SELECT 1") == "1";
  } catch (const fixtures::postgres_error&) {
    return false;
  }
}

TEST_CASE("a server whose disk is full refuses changes alone, until there is room", "[.postgres]") {
  if (!fixtures::postgres_installed() || !fixtures::postgres_has_disks()) return;
  postgres_server postgres{{.disk = "128m"}};
  const auto url = postgres.new_database();
  loaded_service of{url, url, impatient, {.disk_may_be_full = true}};
  postgres.disk().fill();
  CHECK(of.load().writes_refused());
  CHECK(of.load().writes_refused());
  // Without room for its log the server itself ends, or fails to come back.
  try {
    fixtures::postgres_session session{url};
    for (int i = 0; i < 1'000; ++i)
      session.execute("SELECT pg_logical_emit_message(false, 'test', repeat('x', 100000))");
    FAIL_CHECK("the server wrote more than its disk takes");
  } catch (const fixtures::postgres_error&) {
  }
  CHECK(of.load().all_refused());
  postgres.disk().make_room();
  CHECK(eventually([&] {
    if (!postgres.running()) postgres.start();
    return answers(url);
  }));
  of.check_recovers();
  of.check_end();
}

TEST_CASE("connections that are ended in mid-transaction cost what they carried, once",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  postgres_server postgres;
  const auto direct = postgres.new_database();
  fixtures::cuttable_proxy proxy{fixtures::socket_path{postgres.socket_path()}};
  loaded_service of{fixtures::through(direct, proxy.where()), direct};
  for (int i = 0; i < 10; ++i) {
    if (i % 2 == 0)
      CHECK(postgres.terminate_connections() > 0);
    else
      proxy.cut();
    CHECK(of.load().all_done(1));
  }
  proxy.stall();
  CHECK(of.load().all_refused());
  proxy.resume();
  CHECK(of.load().all_done(1));
  proxy.refuse();
  proxy.cut();
  CHECK(of.load().all_refused());
  proxy.resume();
  of.check_recovers();
  of.check_end();
}

TEST_CASE("an ingest whose commit was not confirmed is repeated, and nothing is there twice",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  postgres_server postgres;
  const auto direct = postgres.new_database();
  fixtures::cuttable_proxy proxy{fixtures::socket_path{postgres.socket_path()}};
  loaded_service of{fixtures::through(direct, proxy.where()), direct};
  const auto wait_for_standby = [&](const std::string& name) {
    postgres.execute("ALTER SYSTEM SET synchronous_standby_names = '" + name + "'");
    postgres.execute("SELECT pg_reload_conf()");
  };
  for (int i = 0; i < 3; ++i) {
    const auto before = of.load().lines_unchanged();
    // Commits are on disk, but wait for a standby that there is not before they are confirmed.
    wait_for_standby("nobody");
    CHECK(of.load().writes_refused());
    proxy.cut();
    wait_for_standby("");
    CHECK(of.load().all_done());
    CHECK(of.load().lines_unchanged() > before);
  }
  of.check_recovers();
  of.check_end();
}

TEST_CASE("the service follows to a standby that is made the primary, and nothing is lost",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  postgres_server primary;
  const auto url = primary.new_database();
  const auto name = url.substr(url.find("///") + 3, url.find('?') - url.find("///") - 3);
  const auto standby = primary.standby();
  // What is acknowledged is on both.
  primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'");
  primary.execute("SELECT pg_reload_conf()");
  const auto other = standby->connection_string(name);
  loaded_service of{fixtures::either(url, other), url};
  primary.kill();
  CHECK(of.load().all_refused());
  standby->promote();
  of.check_recovers();
  of.check_end(other);
}

TEST_CASE("programs from before an expansion of the schema keep running after it, and can start",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  postgres_server postgres;
  const auto url = postgres.new_database();
  loaded_service of{url, url};
  auto other = of.another();
  // As a later release would, which only adds; it says that programs of this one may go on.
  fixtures::postgres_session{url}.execute(
      "BEGIN; SET LOCAL search_path = matchcloud; CREATE TABLE news (id bigint PRIMARY KEY); "
      "ALTER TABLE lobbies ADD COLUMN rating smallint; "
      "ALTER TABLE avatars ADD COLUMN rating smallint NOT NULL DEFAULT 0; "
      "ALTER TABLE tokens ADD COLUMN note text; ALTER TABLE regions ADD COLUMN note text; "
      "UPDATE schema_version SET version = version + 1; COMMIT");
  CHECK(of.load().all_done());
  other.reset();
  other = of.another();
  check_serves(other->data());
  CHECK(of.load().all_done());
  of.refuses_nothing();
  of.check_end();
}

TEST_CASE("a replica ends in an orderly way while all of its threads wait for the server",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  postgres_server postgres;
  const auto direct = postgres.new_database();
  fixtures::cuttable_proxy proxy{fixtures::socket_path{postgres.socket_path()}};
  const world in{store_url{fixtures::through(direct, proxy.where())}};
  fixtures::postgres_session session{direct};
  session.execute("SET search_path = matchcloud");
  const tls_pair_files files;
  for (int i = 0; i < 3; ++i) {
    server at{tls_data + files.flags() + arguments{"--drain-timeout-ms", "300"}, in};
    // Every third time that a replica says that it serves, it also reads its own metrics.
    for (int renewals = 0; renewals < 2; ++renewals) {
      const auto lease = [&] {
        return session.value("SELECT max(serving_until_ts) FROM replicas");
      };
      const auto last = lease();
      CHECK(eventually([&] { return lease() != last; }));
    }
    proxy.stall();
    std::vector<tls_client> clients;
    for (const auto& each :
         {request("GET", "/cloud/games/" + second_game + "/avatars"),
          request("POST",
                  "/cloud/games/" + std::string{demo_game} + "/matchmaker/lobbies/export-history",
                  R"({"query_start":0,"query_end":)" + std::to_string(i + 1) + "}")})
      clients.emplace_back(at.data()).send(each);
    std::vector<raw_connection> administrators;
    for (const auto& each : {request("POST", "/v1/lobbies", "{}\n"), request("PUT", "/v1/tiers/a"),
                             request("GET", "/v1/games/" + second_game + "/lobbies?start=0&end=1")})
      administrators.emplace_back(at.ops()).send(each);
    // These five, what looks for changes of tokens and of the catalog, and the lease.
    CHECK(eventually([&] { return at.metric("matchcloud_store_sessions_used") >= 8; }));
    // Its loops have ended, and all other threads wait for tasks.
    const auto threads = [&] { return number_in_status(at.process().pid(), "Threads"); };
    const auto serving = threads();
    at.process().signal(SIGTERM);
    CHECK(eventually([&] { return threads() + 3 <= serving; }));
    proxy.resume();
    CHECK(at.process().exit_code() == 0);
  }
}

// -- many clients ------------------------------------------------------------

/// What a load of clients did, and the server for it.
struct observed {
  std::size_t acknowledged = 0;
  std::string failure;
  double per_second = 0;
  double syncs = 0;
  /// Sessions of the server that did something, seen from time to time; and those that waited for
  /// a lock then.
  double busy = 0;
  double locked = 0;
};

/// Replicas on a server whose disk counts.
class replicas {
public:
  /// Has clients, each on its own connection, report lobbies, one at a time, until `count` are
  /// acknowledged.
  observed report(std::size_t clients, std::size_t count) {
    acknowledged_ = 0;
    failure_.clear();
    observed seen;
    const auto before = syncs();
    const auto begun = clock::now();
    {
      std::vector<std::jthread> threads;
      for (std::size_t each = 0; each < clients; ++each)
        threads.emplace_back([this, each, count] { report_from(each, count); });
      look(seen, count);
    }
    const std::chrono::duration<double> lasted = clock::now() - begun;
    seen.acknowledged = acknowledged_;
    seen.failure = failure_;
    seen.per_second = static_cast<double>(seen.acknowledged) / lasted.count();
    seen.syncs = syncs() - before;
    std::fprintf(
        stderr,
        "%zu clients: %.0f reports/s, %.3f syncs per report, %.1f %% of %.0f busy sessions "
        "waited for a lock\n",
        clients, seen.per_second, seen.syncs / static_cast<double>(seen.acknowledged),
        100 * seen.locked / std::max(1.0, seen.busy), seen.busy);
    return seen;
  }

  std::string value(const std::string& sql) const {
    return fixtures::postgres_session{url_}.value(sql);
  }

private:
  /// Between two looks at the server's sessions this many reports are acknowledged.
  static constexpr std::size_t per_look = 8;

  void report_from(std::size_t client, std::size_t count) {
    raw_connection to{servers_[client % servers_.size()].ops()};
    while (acknowledged_ < count) {
      const auto line = lobby_line(next_++);
      const auto got = to.ask("POST /v1/lobbies HTTP/1.1\r\nHost: localhost\r\n"
                              "Content-Type: application/x-ndjson\r\nContent-Length: " +
                              std::to_string(line.size()) + "\r\n\r\n" + line);
      const std::lock_guard lock{mutex_};
      if (got.status != 200 || got.body.find(R"("accepted":1,)") == std::string::npos) {
        failure_ = std::to_string(got.status) + " " + got.body;
        acknowledged_ = count;
      }
      if (++acknowledged_ % per_look == 0 || acknowledged_ >= count) progress_.notify_one();
    }
  }

  void look(observed& seen, std::size_t count) {
    fixtures::postgres_session session{postgres_.administrator()};
    std::size_t looked_at = 0;
    while (looked_at < count) {
      {
        std::unique_lock lock{mutex_};
        const bool moved = progress_.wait_for(
            lock, patience, [&] { return acknowledged_ >= std::min(count, looked_at + per_look); });
        if (!moved) failure_ = "nothing is acknowledged";
        looked_at = moved ? acknowledged_.load() : count;
        if (!moved) acknowledged_ = count;
      }
      const auto row = session.query(
          "SELECT count(*), count(*) FILTER (WHERE wait_event_type = 'Lock') FROM "
          "pg_stat_activity WHERE backend_type = 'client backend' AND state <> 'idle' AND "
          "pid <> pg_backend_pid()");
      seen.busy += std::stod(row.at(0).at(0));
      seen.locked += std::stod(row.at(0).at(1));
    }
  }

  /// Sessions tell what they did when they end.
  double syncs() const {
    (void)postgres_.terminate_connections();
    return std::stod(postgres_.value("SELECT wal_sync FROM pg_stat_wal"));
  }

  postgres_server postgres_{{.fsync = true, .settings = {"synchronous_commit = on"}}};
  std::string url_ = postgres_.new_database();
  world of_{store_url{url_}};
  std::array<server, 3> servers_{server{{}, of_}, server{{}, of_}, server{{}, of_}};
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> acknowledged_{0};
  std::mutex mutex_;
  std::condition_variable progress_;
  std::string failure_;
};

TEST_CASE("clients that report one lobby each share the server's disk, and wait for no lock",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  replicas of;
  constexpr std::size_t count = 3'000;
  const auto seen = of.report(48, count);
  CHECK(seen.failure == "");
  CHECK(seen.syncs <= 0.25 * static_cast<double>(seen.acknowledged));
  CHECK(seen.busy > 100);
  CHECK(seen.locked <= 0.05 * seen.busy);
  // Each is there, and counted: by few rows, however many sessions there have been.
  CHECK(std::stoul(of.value("SELECT count(*) FROM matchcloud.lobbies WHERE start_ts = 1000")) ==
        seen.acknowledged);
  CHECK(std::stoul(of.value("SELECT count(*) FROM matchcloud.lobby_changes")) <= 3 * 16);
}

} // namespace
