// Many clients that report one lobby each, to replicas that share a store: what the server of the
// store has to do for them. Its disk is a real one here.
#include "tests/catch.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/service/lobby_lines.hpp"
#include "tests/service/server.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace matchcloud;
using namespace e2e;
using fixtures::postgres_server;

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

TEST_CASE("sixteen clients that report one lobby each are served much faster than one",
          "[.postgres][long]") {
  if (!fixtures::postgres_installed()) return;
  replicas of;
  (void)of.report(16, 500); // connects
  const auto one = of.report(1, 1'000);
  const auto sixteen = of.report(16, 5'000);
  CHECK(one.failure == "");
  CHECK(sixteen.failure == "");
  CHECK(sixteen.per_second >= 2.5 * one.per_second);
}

} // namespace
