#pragma once

#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "base/siphash.hpp"
#include "model/net/ip_address.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace matchcloud::actors {

/// Decides which reports of latencies are accepted: one per client and interval, and a bounded
/// number of those that nothing waits for. Any thread; no locks.
class report_gate {
public:
  /// How many clients are remembered. Each replaces the client that shares its place.
  static constexpr std::size_t clients_remembered = 65'536;
  /// The limit on reports that wait for the `latency_map` while nothing waits for their answer.
  static constexpr std::int64_t waiting_limit = 4'096;

  /// `ipv6_client_prefix`: how many bits of an IPv6 address identify a client. `clock` outlives
  /// this. `key`: the key of the hash by which clients share places.
  report_gate(std::chrono::seconds interval, std::size_t ipv6_client_prefix,
              const base::clock& clock = base::machine_clock(),
              const base::siphash_key& key = base::random_siphash_key());

  /// Whether a report of the client is accepted now; if so, its interval begins.
  bool takes(const model::ip_address& client) noexcept;
  /// Ends the client's interval: nothing of its report was usable.
  void forget(const model::ip_address& client) noexcept;

  /// Takes a waiting place; false if there is none.
  bool enter() noexcept;
  void leave() noexcept { waiting_.fetch_sub(1, std::memory_order_relaxed); }
  /// Frees all places, because the reports that had them were lost with their actor.
  void free_places() noexcept { waiting_.store(0, std::memory_order_relaxed); }
  std::int64_t waiting() const noexcept { return waiting_.load(std::memory_order_relaxed); }

  /// Adds how many reports wait, and how many were dropped.
  void show(base::metric_set& in) const;

private:
  std::uint64_t hash_of(const model::ip_address& client) const noexcept;

  using table = std::array<std::atomic<std::uint64_t>, clients_remembered>;

  std::chrono::seconds interval_;
  std::size_t ipv6_client_prefix_;
  const base::clock* clock_;
  base::siphash_key key_;
  /// Each element has the upper half of a client's hash, and the second of its last report, counted
  /// from 1.
  std::unique_ptr<table> clients_ = std::make_unique<table>();
  /// Briefly below 0 if a place is returned after all places were freed.
  std::atomic<std::int64_t> waiting_{0};
  base::counter dropped_;
};

} // namespace matchcloud::actors
