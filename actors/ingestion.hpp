#pragma once

#include "actors/lobby_ingest.hpp"
#include "actors/supervised_actor.hpp"
#include "base/blocking_pool.hpp"
#include "base/clock.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>

namespace matchcloud::actors {

struct ingestion_settings {
  std::shared_ptr<ingest_store> store;
  /// Its threads parse lines and wait for the store.
  base::blocking_pool* pool = nullptr;
  ingestion_metrics* metrics = nullptr;
  /// The credit of one ingest: the bytes of its body that may be unread here or on the way.
  std::size_t credit_bytes = 256UL * 1024;
  /// Interval at which ingests whose clients left are dropped.
  std::chrono::milliseconds tick{1'000};
  /// By which tokens expire.
  const base::clock* clock = &base::machine_clock();
};

/// Owns the ingests of lobbies that run: takes each body in parts, has the pool feed them to the
/// store one after the other, and answers once all lines are committed. An ingest without parts
/// takes no thread, so slow clients hold up nobody.
class ingestion final : public supervised_actor {
public:
  ingestion(caf::actor_config& cfg, ingestion_settings settings);

  const char* name() const override { return "ingestion"; }

protected:
  caf::behavior make_behavior() override;
  void on_exit() override;

private:
  struct running_ingest {
    std::uint32_t attempt = 0;
    caf::actor front;
    ticket_ptr ticket;
    /// The token that lets the lines in; empty: none was needed.
    std::optional<model::uuid> token_id;
    /// Used by one task of the pool at a time, which shares it.
    std::shared_ptr<lobby_ingest> lines;
    std::deque<body_part> parts;
    /// Bytes in `parts` and before them.
    std::uint64_t received_bytes = 0;
    /// A task works on parts that were taken from here.
    bool busy = false;
  };

  void handle(const ingest_lobbies& request);
  void on(const body_part& part);
  /// Whether what let the ingest in is still in force.
  bool is_allowed(const running_ingest& which) const;
  void on(const ingest_advanced& progress);
  /// Hands the parts that wait to the pool, unless a task is under way.
  void advance(std::uint64_t exchange, running_ingest& which);
  void end(std::uint64_t exchange);
  void fail(std::uint64_t exchange, const base::error& why);
  void drop_left();
  running_ingest* find(const exchange_ref& exchange);

  ingestion_settings settings_;
  /// Null until the catalog tells them.
  model::token_snapshot tokens_;
  /// By the number of their exchange.
  std::unordered_map<std::uint64_t, running_ingest> running_;
  bool ticking_ = false;
};

} // namespace matchcloud::actors
