#pragma once

#include "actors/request/request_trace.hpp"
#include "actors/request/ticket.hpp"
#include "actors/request/trace_query.hpp"
#include "base/clock.hpp"
#include "model/text/uuid.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::actors {

/// The status of a request whose client was gone before its answer. It is never sent.
inline constexpr int client_gone_status = 499;

/// A request that has been answered, or whose client is gone.
struct answered_request {
  const ticket* of = nullptr;
  /// The number of its operation, and its name, which has static storage duration.
  std::size_t operation = 0;
  std::string_view operation_name;
  int status = 0;
  std::string_view request_id;
  /// Its header `traceparent`; empty: none.
  std::string_view trace_parent;
  base::steady_time began;
  base::steady_time ended;
};

/// Receives from the transport when the whole answer to a kept request has been sent. Any
/// thread.
using sent_mark = std::shared_ptr<std::atomic<base::steady_time>>;

/// The requests of a process that are worth examining: for each operation the slowest of the last
/// minutes and the last failed ones, and a sample of all. Any thread.
class trace_log {
public:
  static constexpr std::size_t sampled_limit = 50;
  /// For each operation.
  static constexpr std::size_t slow_limit = 8;
  static constexpr std::size_t failed_limit = 8;
  /// How long a slow request is kept.
  static constexpr std::chrono::minutes slow_kept{10};

  /// One in `one_in` requests is sampled; 0: none. `operations` is the number of operations.
  trace_log(std::uint64_t one_in, std::size_t operations,
            const base::clock& clock = base::machine_clock());

  std::uint64_t one_in() const noexcept { return one_in_; }
  /// Whether a request that took this long should be kept.
  bool wants(const ticket& of, std::size_t operation, int status,
             std::chrono::nanoseconds took) const noexcept {
    return took.count() > slow_from_ns_[operation].load(std::memory_order_relaxed) ||
           status >= client_gone_status || of.trace.is_sampled();
  }
  sent_mark keep(const answered_request& what);
  /// Drops slow requests that are too old. Call it about once a second.
  void age();
  /// The requests that match `wanted`, the newest first, as JSON.
  std::string report(const trace_query& wanted) const;

private:
  struct entry {
    std::vector<request_trace::step> steps;
    std::size_t operation = 0;
    std::string_view operation_name;
    int status = 0;
    bool is_sampled = false;
    std::string request_id;
    std::string trace_id;
    std::optional<model::uuid> game_id;
    std::int64_t began_ms = 0;
    base::steady_time began;
    base::steady_time ended;
    std::atomic<base::steady_time> sent{};

    std::int64_t took_ns() const noexcept { return (ended - began).count(); }
  };
  using entry_ptr = std::shared_ptr<const entry>;
  struct of_operation {
    /// The slowest last.
    std::vector<entry_ptr> slow;
    std::deque<entry_ptr> failed;
  };

  void keep_slow(const entry_ptr& made);
  void note_slow_from(std::size_t operation);

  std::uint64_t one_in_;
  const base::clock* clock_;
  /// A request that takes longer is among the slowest.
  std::vector<std::atomic<std::int64_t>> slow_from_ns_;
  mutable std::mutex mutex_;
  std::vector<of_operation> kept_;
  std::deque<entry_ptr> sampled_;
};

/// Chooses the sampled requests of one front: the first, then one at each interval. One thread, so
/// that loops share nothing at each request.
class trace_sampler {
public:
  /// Null: none is sampled.
  explicit trace_sampler(const std::shared_ptr<const trace_log>& log)
      : one_in_{log ? log->one_in() : 0} {}

  /// Whether the next request is sampled.
  bool next() noexcept {
    if (one_in_ == 0) return false;
    if (left_ > 0) {
      --left_;
      return false;
    }
    left_ = one_in_ - 1;
    return true;
  }

private:
  std::uint64_t one_in_;
  /// Requests until the next sampled one.
  std::uint64_t left_ = 0;
};

} // namespace matchcloud::actors
