#pragma once

#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "base/rate_policy.hpp"
#include "base/reserved_memory.hpp"
#include "base/siphash.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace matchcloud::base {

/// The answer to one request.
struct rate_verdict {
  bool is_allowed = true;
  /// The time until the same request would be allowed; 0 where it is.
  std::chrono::nanoseconds retry_after{0};
  /// The units that are left after the call. All that the type holds without a limit.
  std::uint32_t remaining = std::numeric_limits<std::uint32_t>::max();
  /// Whether the subject has no entry of its own, because its set was full of debtors: the shared
  /// limit decided.
  bool is_shared = false;
};

/// How much each of many subjects (clients by address, tokens) has used of its limits, in a table
/// of fixed size. It is lock-free, and exact also while several threads ask for one subject, but
/// for races of strangers about one place, which rate_limit.cpp describes.
///
/// A subject's state is one point in time, up to which what it took is paid for: the theoretical
/// arrival time (TAT) of the generic cell rate algorithm (ITU-T I.371, virtual scheduling). Its
/// debt is what of that lies ahead of now. A request raises the debt by its cost in intervals and
/// is allowed while the debt then fits the window. So in any time T a subject gets at most its
/// quota and T divided by the interval, and its whole quota again after a window without requests.
///
/// An entry whose debt is paid says the same as no entry. A subject without one therefore takes the
/// place of the subject that paid longest ago, out of the eight that its hash allows. Where all
/// eight are in debt it falls to a limit that it shares with all others of its policy to whom that
/// happens. A table with four
/// times as many entries as there are debtors at a time sees that about once in a thousand. Nobody
/// can choose subjects that meet in one set without knowing the table's key.
///
/// Times must be of one clock. A time that is earlier than another thread's changes nothing but
/// that request's own answer. Any thread.
class rate_limit_table {
public:
  static constexpr std::size_t ways = 8;
  /// 1 GiB.
  static constexpr std::size_t most_entries = std::size_t{1} << 26;
  /// The shared limit is this part of the policy's quota, at least one unit.
  static constexpr std::uint32_t shared_part = 4;
  /// Policies that are told apart where subjects share a limit; of more, some share it, too.
  static constexpr std::size_t shared_words = 64;

  /// `entries`: up to `most_entries`, rounded up to eight times a power of two. Each takes 16
  /// bytes, in pages that become real memory when they are first written to; from 2 MiB on in huge
  /// ones, which are so large. Throws std::bad_alloc without address space.
  explicit rate_limit_table(std::size_t entries, const siphash_key& key = random_siphash_key());

  /// What the other calls know a subject by. `subject` has to say all that tells limits apart: the
  /// kind of limit, the class of cost, the address or the token.
  std::uint64_t hash(std::span<const std::uint8_t> subject) const noexcept {
    return siphash(key_, subject);
  }

  /// Takes `cost` units if there are as many, otherwise nothing. A cost over the quota counts as
  /// the quota.
  rate_verdict consume(std::uint64_t subject, const rate_policy& policy, std::uint32_t cost,
                       steady_time now) noexcept;

  /// Adds `cost` units of debt, also where none are left: a penalty. The debt ends at most `cost`
  /// intervals above the window, or where it was. A cost over the quota counts as the quota.
  void charge(std::uint64_t subject, const rate_policy& policy, std::uint32_t cost,
              steady_time now) noexcept;

  /// What `consume` would answer, but for `remaining`: nothing is taken.
  rate_verdict peek(std::uint64_t subject, const rate_policy& policy, std::uint32_t cost,
                    steady_time now) const noexcept;

  /// How often `consume` and `charge` fell to the shared limit.
  std::uint64_t shared_count() const noexcept {
    return shared_count_.load(std::memory_order_relaxed);
  }
  /// About how many entries are of subjects in debt: of so many sets, spread evenly, it is counted.
  static constexpr std::size_t counted_sets = 1'024;
  std::size_t used_entries(steady_time now) const noexcept;
  /// Adds both, and how many entries there are.
  void show(metric_set& in) const;
  std::size_t entries() const noexcept { return (set_mask_ + 1) * ways; }

private:
  struct set;

  set& set_of(std::uint64_t subject) const noexcept;
  static std::size_t shared_word_of(const rate_policy& policy) noexcept;

  siphash_key key_;
  std::size_t set_mask_;
  /// The sets, as zeros make them.
  reserved_memory memory_;
  /// The shared limit's TAT, apart from the line that every call reads.
  /// By policy, so that a long window's debt does not keep out those of short ones.
  alignas(64) std::array<std::atomic<std::uint64_t>, shared_words> shared_tats_{};
  std::atomic<std::uint64_t> shared_count_{0};
};

} // namespace matchcloud::base
