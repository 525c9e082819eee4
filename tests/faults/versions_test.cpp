// Replicas that know different schemas serve side by side on one store, while they are killed.
#include "tests/catch.hpp"
#include "tests/faults/clients.hpp"
#include "tests/faults/known_load.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>

namespace matchcloud::faults {

namespace {

using namespace e2e;
using fixtures::postgres_server;
using fixtures::postgres_session;

/// The number of kills in CI; script/soak sets a higher one.
constexpr std::uint64_t version_kills = 6;

/// The program of an earlier release, of which one replica is then; script/soak builds it.
std::optional<program_file> earlier_program() {
  const char* file = std::getenv("MATCHCLOUD_EARLIER_PROGRAM");
  if (file == nullptr) return std::nullopt;
  return program_file{file};
}

/// What a later program may do to a schema that those of before it go on to use.
void move_schema_on(const std::string& url) {
  postgres_session{url}.execute(
      "BEGIN; ALTER TABLE matchcloud.lobbies ADD COLUMN of_later integer NOT NULL DEFAULT 0; "
      "ALTER TABLE matchcloud.games ADD COLUMN of_later text; "
      "CREATE TABLE matchcloud.of_later (id integer PRIMARY KEY); "
      "UPDATE matchcloud.schema_version SET version = version + 1; COMMIT");
}

/// A replica, and clients that report the lobbies of a game to it and export them.
class replica {
public:
  replica(std::uint32_t number, chances by) : ledger_{number}, by_{std::move(by)} {}

  const lobby_ledger& ledger() const noexcept { return ledger_; }
  std::uint64_t batches() const noexcept { return batches_; }
  std::uint64_t exports() const noexcept { return exports_; }
  const server& at() const noexcept { return *server_; }

  void start(const world& in, const std::optional<program_file>& program) {
    const arguments flags{"--loops", "1"};
    server_ = program ? std::make_unique<server>(*program, flags, in)
                      : std::make_unique<server>(flags, in);
    clients_ = std::make_unique<busy_clients>();
    clients_->add([this] { write(); });
    clients_->add([this] { export_history(); });
  }

  void kill(milliseconds after) {
    REQUIRE_FALSE(server_->process().exit_code(deadline{after}));
    clients_->expect_end();
    server_->process().signal(SIGKILL);
    CHECK(server_->process().exit_code() == 128 + SIGKILL);
    CHECK(clients_->finish() == "");
  }

  void finish() { CHECK(clients_->finish() == ""); }

  /// What is wrong with the history that `from` exports.
  std::string problem_at(const address& from) const {
    const auto at_least = ledger_.acknowledged();
    const auto target = download_target(ask_export(from, ledger_.game_id()));
    return ledger_.problem_of(get(from, target).body, at_least);
  }

private:
  void write() {
    const auto batch = ledger_.next(by_, by_.one_in(4) ? 1'000 : 40);
    const auto got = ingest(server_->ops(), batch.lines);
    if (got.status != 200 || got.body.find(R"("rejected":[])") == std::string::npos)
      throw wrong_answer{"an ingest: " + got.body};
    ledger_.acknowledge(batch);
    ++batches_;
  }

  void export_history() {
    if (const auto problem = problem_at(server_->data()); !problem.empty())
      throw wrong_answer{"an export: " + problem};
    ++exports_;
  }

  lobby_ledger ledger_;
  chances by_;
  std::atomic<std::uint64_t> batches_{0};
  std::atomic<std::uint64_t> exports_{0};
  std::unique_ptr<server> server_;
  std::unique_ptr<busy_clients> clients_;
};

TEST_CASE("replicas that know different schemas serve side by side, whichever is killed",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  chances by{"replicas that know different schemas"};
  postgres_server postgres;
  const auto url = postgres.new_database();
  const world in{store_url{url}};
  std::array<replica, 2> both{replica{11, by.split()}, replica{12, by.split()}};
  for (const auto& each : both)
    in.import(each.ledger().catalog());

  const auto earlier = earlier_program();
  both[0].start(in, earlier);
  // The first one has begun to use the schema of before.
  if (!earlier) move_schema_on(url);
  both[1].start(in, std::nullopt);

  const auto rounds = setting("MATCHCLOUD_SOAK_KILLS", version_kills);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const auto was = std::array{both[0].batches(), both[1].batches()};
    REQUIRE(eventually(
        [&] { return both[0].batches() > was[0] + 1 && both[1].batches() > was[1] + 1; }));
    const auto which = by.between(0, 1);
    both[which].kill(by.up_to(milliseconds{300}));
    both[which].start(in, which == 0 ? earlier : std::nullopt);
  }
  for (auto& each : both)
    each.finish();
  for (const auto& of : both)
    for (const auto& at : both)
      CHECK(of.problem_at(at.at().data()) == "");
  for (const auto& of : both)
    CHECK(of.exports() > 0);
  std::cout << "faults: " << rounds << " kills, " << both[0].batches() << " and "
            << both[1].batches() << " batches acknowledged" << std::endl;
}

} // namespace

} // namespace matchcloud::faults
