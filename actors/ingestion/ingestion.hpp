#pragma once

#include "actors/ingestion/ingestion_limits.hpp"
#include "actors/ingestion/lobby_ingest.hpp"
#include "actors/ingestion/messages.hpp"
#include "actors/request/messages.hpp"
#include "actors/request/services.hpp"
#include "actors/request/supervised_actor.hpp"
#include "base/clock.hpp"
#include "base/owner.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace matchcloud::actors {

struct ingestion_settings : ingestion_limits {
  /// The credit of one ingest: the bytes of its body that may be unread here or on the way.
  std::size_t credit_bytes = 256UL * 1024;
  /// Interval at which ingests of disconnected clients are dropped, and slow ones if places are
  /// short.
  std::chrono::milliseconds tick{1'000};
  /// The limit on simultaneous ingests.
  std::size_t places = row_of(base::owner::ingestion).mailbox;
  /// The length of the IPv6 prefix that counts as one address.
  std::size_t ipv6_client_prefix = 64;
};

/// Owns the running ingests of lobbies: receives each body in parts, has the pool feed them to the
/// store one after the other, and answers once all lines are committed. An ingest without pending
/// parts uses no thread, so slow clients delay nobody. While places are short, each sender gets
/// only a share of them, and ingests of slow clients are ended.
class ingestion final : public supervised_actor {
public:
  /// Within this time the pace of an ingest does not matter.
  static constexpr std::chrono::milliseconds pace_patience{5'000};

  ingestion(caf::actor_config& cfg, const services& with, ingestion_settings settings);

  const char* name() const override { return "ingestion"; }

protected:
  caf::behavior make_behavior() override;
  void on_exit() override;

private:
  struct running_ingest {
    std::uint32_t attempt = 0;
    caf::actor front;
    ticket_ptr ticket;
    /// The token that authorized the ingest; empty: none was needed.
    std::optional<model::uuid> token_id;
    /// The sender whose share of the places it uses.
    std::string sender;
    /// Used by one task of the pool at a time, which shares it.
    std::shared_ptr<lobby_ingest> lines;
    std::deque<body_part> parts;
    /// Bytes in `parts` and before them.
    std::uint64_t received_bytes = 0;
    /// A task is working on parts taken from here.
    bool busy = false;
    base::steady_time begun;
    /// When the current task began, and how long earlier ones took: time that does not count as the
    /// client's.
    base::steady_time busy_since;
    base::steady_time::duration worked{0};
  };

  void handle(const ingest_lobbies& request);
  void on(const body_part& part);
  /// Whether the ingest is still authorized.
  bool is_allowed(const running_ingest& which) const;
  void on(const ingest_advanced& progress);
  /// Passes waiting parts to the pool, unless a task is running.
  void advance(std::uint64_t exchange, running_ingest& which);
  void end(std::uint64_t exchange);
  void fail(std::uint64_t exchange, const base::error& why);
  void drop_stalled();
  /// Whether more than half of the places are taken.
  bool is_crowded() const noexcept { return running_.size() * 2 > settings_.places; }
  std::size_t share() const noexcept;
  /// The key of a sender, by which places are shared.
  std::string sender_of(const model::audit_author& by) const;
  /// Whether the client has had enough time and has sent less than it must.
  bool is_slow(const running_ingest& which, base::steady_time now) const;
  void end_slow();
  running_ingest* find(const exchange_ref& exchange);

  const services* with_;
  ingestion_settings settings_;
  /// Null until the catalog sends them.
  model::token_snapshot tokens_;
  /// By the number of their exchange.
  std::unordered_map<std::uint64_t, running_ingest> running_;
  bool ticking_ = false;
};

} // namespace matchcloud::actors
