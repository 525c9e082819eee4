#pragma once

#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "base/rate_policy.hpp"
#include "base/siphash.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

namespace matchcloud::base {

/// The decision on one request.
struct rate_verdict {
  bool is_allowed = true;
  /// The time until the same request would be allowed; 0 if it is allowed.
  std::chrono::nanoseconds retry_after{0};
  /// The units left after the call; the maximum of the type if there is no limit.
  std::uint32_t remaining = std::numeric_limits<std::uint32_t>::max();
  /// Whether the shared limit decided, because the subject's set was full of debtors and it has no
  /// entry of its own.
  bool is_shared = false;
};

/// Tracks how much of its limits each of many subjects (clients by address, tokens) has used, in a
/// table of fixed size. It is lock-free, and exact even if several threads serve one subject,
/// except for races between subjects over one place, which rate_limit.cpp describes.
///
/// A subject's state is one point in time, until which its usage is paid for: the theoretical
/// arrival time (TAT) of the generic cell rate algorithm (ITU-T I.371, virtual scheduling). Its
/// debt is the time from now until then. A request adds its cost in intervals and is allowed if the
/// new debt fits the window. So in any time T a subject gets at most its quota plus T divided by
/// the interval, and its whole quota again after a window without requests.
///
/// An entry whose debt is paid means the same as no entry. So a subject without an entry replaces
/// the subject that paid longest ago, out of the eight that its hash maps to. If all eight are in
/// debt, it falls back to a limit that it shares with all others of its policy in that situation.
/// In a table with four times as many entries as there are debtors at a time, this happens to
/// about one subject in a thousand. Without the table's key, no one can choose subjects that
/// share a set.
///
/// All times must be from one clock. A time that is earlier than another thread's affects only the
/// decision on its own request. Any thread.
class rate_limit_table {
public:
  static constexpr std::size_t ways = 8;
  /// 1 GiB.
  static constexpr std::size_t most_entries = std::size_t{1} << 26;
  /// The shared limit is this part of the policy's quota, at least one unit.
  static constexpr std::uint32_t shared_part = 4;
  /// The number of shared limits. With more policies, some of them share one limit.
  static constexpr std::size_t shared_words = 64;

  /// `entries`: up to `most_entries`, rounded up to eight times a power of two. Each takes 16
  /// bytes, in pages that become real memory when first written to, in huge pages if the kernel
  /// provides them. Throws std::bad_alloc if there is no address space.
  explicit rate_limit_table(std::size_t entries, const siphash_key& key = random_siphash_key());

  /// Identifies a subject in the other calls. `subject` must contain everything that distinguishes
  /// limits: the kind of limit, the class of cost, the address or the token.
  std::uint64_t hash(std::span<const std::uint8_t> subject) const noexcept {
    return siphash(key_, subject);
  }

  /// Takes `cost` units if that many are left, otherwise nothing. A cost over the quota counts as
  /// the quota.
  rate_verdict consume(std::uint64_t subject, const rate_policy& policy, std::uint32_t cost,
                       steady_time now) noexcept;

  /// Adds `cost` units of debt as a penalty, even if no units are left. The debt is then at most
  /// `cost` intervals above the window, or unchanged. A cost over the quota counts as the quota.
  void charge(std::uint64_t subject, const rate_policy& policy, std::uint32_t cost,
              steady_time now) noexcept;

  /// The result that `consume` would return, except for `remaining`, because nothing is taken.
  rate_verdict peek(std::uint64_t subject, const rate_policy& policy, std::uint32_t cost,
                    steady_time now) const noexcept;

  /// How often `consume` and `charge` used the shared limit.
  std::uint64_t shared_count() const noexcept {
    return shared_count_.load(std::memory_order_relaxed);
  }
  /// The number of sets, spread evenly, from which `used_entries` estimates the entries in debt.
  static constexpr std::size_t counted_sets = 1'024;
  std::size_t used_entries(steady_time now) const noexcept;
  /// Adds metrics for both, and for the number of entries.
  void show(metric_set& in) const;
  std::size_t entries() const noexcept { return (set_mask_ + 1) * ways; }

private:
  struct set;
  struct unmapper {
    std::size_t bytes;
    void operator()(set* sets) const noexcept;
  };

  static std::unique_ptr<set, unmapper> map_sets(std::size_t count);
  set& set_of(std::uint64_t subject) const noexcept;
  static std::size_t shared_word_of(const rate_policy& policy) noexcept;

  siphash_key key_;
  std::size_t set_mask_;
  /// The first set. All start as zeros.
  std::unique_ptr<set, unmapper> sets_;
  /// The TATs of the shared limits, apart from the cache line that every call reads. By policy, so
  /// that the debt of a long window does not block short ones.
  alignas(64) std::array<std::atomic<std::uint64_t>, shared_words> shared_tats_{};
  std::atomic<std::uint64_t> shared_count_{0};
};

} // namespace matchcloud::base
