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

/// Which reports of latencies are taken: of each client one in an interval, and of those that
/// nobody waits for only as many as may wait. Any thread; no locks.
class report_gate {
public:
  /// Clients that are remembered. Each pushes out who shares its place.
  static constexpr std::size_t clients_remembered = 65'536;
  /// Reports that wait for the `latency_map` without anybody waiting for an answer.
  static constexpr std::int64_t waiting_limit = 4'096;

  /// `ipv6_client_prefix`: how many bits of an IPv6 address are one client.
  /// `clock` outlives this. `key`: by which clients share places.
  report_gate(std::chrono::seconds interval, std::size_t ipv6_client_prefix,
              const base::clock& clock = base::machine_clock(),
              const base::siphash_key& key = base::random_siphash_key());

  /// Whether a report of the client is taken now; that begins its interval.
  bool takes(const model::ip_address& client) noexcept;

  /// Takes a place among those that wait; false: there is none.
  bool enter() noexcept;
  void leave() noexcept { waiting_.fetch_sub(1, std::memory_order_relaxed); }
  /// Frees all places: those who had them ended with their actor.
  void free_places() noexcept { waiting_.store(0, std::memory_order_relaxed); }
  std::int64_t waiting() const noexcept { return waiting_.load(std::memory_order_relaxed); }

  /// Adds how many wait, and how many were turned away.
  void show(base::metric_set& in) const;

private:
  using table = std::array<std::atomic<std::uint64_t>, clients_remembered>;

  std::chrono::seconds interval_;
  std::size_t ipv6_client_prefix_;
  const base::clock* clock_;
  base::siphash_key key_;
  /// Each the upper half of a client's hash, and the second of its last report, counted from 1.
  std::unique_ptr<table> clients_ = std::make_unique<table>();
  /// Below 0 for a moment where places were freed while one was given back.
  std::atomic<std::int64_t> waiting_{0};
  base::counter dropped_;
};

} // namespace matchcloud::actors
