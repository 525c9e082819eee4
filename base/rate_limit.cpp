#include "base/rate_limit.hpp"

#include "base/check.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <new>

namespace matchcloud::base {

// How threads share the words. Each word is exchanged on its own and orders nothing else, hence
// memory_order_relaxed. The TAT of a place never falls, so an outdated value errs only towards
// allowing; the exchange then fails and returns the current value. While a subject keeps its place,
// its limit is therefore exact.
//
// A debtor keeps its place, except for two races in sets that more than eight subjects share.
// Between finding an idle place and exchanging its tag, the subject of that place may send another
// request. Between the exchange of a tag and the exchange of its TAT, another subject may take the
// place, which still looks idle. The debt from these few instructions is then charged to a stranger
// that used the same set at the same time. Two threads that bring the same subject may also give it
// two places; the first one counts, and the other is idle once its one request is paid for. Each
// race misplaces only the requests under way, once, and only until they are paid for: one request,
// or as many as its subject can send while a thread is suspended there, which is at most its quota.
// No race loses debt: the debt of each allowed request is in one of the words, none of which
// exceeds a window, so the subjects of a set together get no more than without races. And no one
// can exploit this on purpose, because only the table's key tells which subjects share a set.
//
// Up to eight subjects in a set are exact from the first request on: a new tag goes only into the
// first free place, where the exchange has one winner, and no place changes hands.

/// Keeps tags apart from TATs, so that a search reads one cache line, which is rarely written to.
/// Aligned to two lines because processors fetch them in pairs.
struct alignas(128) rate_limit_table::set {
  /// The subject that holds each place; 0 before its first subject.
  std::array<std::atomic<std::uint64_t>, ways> tags;
  /// In nanoseconds since the clock's epoch.
  std::array<std::atomic<std::uint64_t>, ways> tats;
};

namespace {

using word = std::atomic<std::uint64_t>;
static_assert(word::is_always_lock_free);

/// A request, in nanoseconds like the words.
struct request {
  std::uint64_t interval_ns;
  std::uint64_t window_ns;
  std::uint64_t cost_ns;
  std::uint64_t now_ns;

  request(const rate_policy& policy, std::uint32_t cost, std::uint64_t now) noexcept
      : interval_ns{static_cast<std::uint64_t>(policy.interval().count())},
        window_ns{interval_ns * policy.quota},
        cost_ns{interval_ns * std::min(cost, policy.quota)},
        now_ns{now} {}

  /// The debt of a subject that is paid for until `tat`. At most two windows, which `charge` does
  /// not exceed; a larger debt comes from a policy with a longer window. As no window is longer
  /// than 2^32 seconds, this leaves room for a third one, and for the sum as a signed number.
  std::uint64_t debt_ns(std::uint64_t tat) const noexcept {
    return tat > now_ns ? std::min(tat - now_ns, 2 * window_ns) : 0;
  }

  bool fits(std::uint64_t debt_ns) const noexcept { return debt_ns + cost_ns <= window_ns; }

  std::uint32_t remaining(std::uint64_t debt_ns) const noexcept {
    if (debt_ns >= window_ns) return 0;
    return static_cast<std::uint32_t>((window_ns - debt_ns) / interval_ns);
  }

  /// The verdict if the debt stays unchanged.
  rate_verdict verdict(std::uint64_t debt_ns) const noexcept {
    rate_verdict result;
    result.is_allowed = fits(debt_ns);
    if (!result.is_allowed)
      result.retry_after = std::chrono::nanoseconds{
          static_cast<std::chrono::nanoseconds::rep>(debt_ns + cost_ns - window_ns)};
    result.remaining = remaining(debt_ns);
    return result;
  }
};

std::uint64_t nanoseconds_of(steady_time time) noexcept {
  const auto since = std::chrono::nanoseconds{time.time_since_epoch()}.count();
  return since > 0 ? static_cast<std::uint64_t>(since) : 0;
}

std::uint64_t tag_of(std::uint64_t subject) noexcept {
  return subject != 0 ? subject : 1;
}

rate_policy shared_policy(const rate_policy& policy) noexcept {
  return {std::max(policy.quota / rate_limit_table::shared_part, std::uint32_t{1}),
          policy.window_s};
}

rate_verdict take_from(word& tat, const request& asked) noexcept {
  auto seen = tat.load(std::memory_order_relaxed);
  for (;;) {
    const auto debt_ns = asked.debt_ns(seen);
    if (!asked.fits(debt_ns)) return asked.verdict(debt_ns);
    const auto raised_ns = debt_ns + asked.cost_ns;
    if (tat.compare_exchange_weak(seen, asked.now_ns + raised_ns, std::memory_order_relaxed)) {
      rate_verdict result;
      result.remaining = asked.remaining(raised_ns);
      return result;
    }
  }
}

void charge_to(word& tat, const request& asked) noexcept {
  auto seen = tat.load(std::memory_order_relaxed);
  for (;;) {
    const auto debt_ns = std::min(asked.debt_ns(seen), asked.window_ns);
    const auto raised = asked.now_ns + debt_ns + asked.cost_ns;
    if (raised <= seen) return;
    if (tat.compare_exchange_weak(seen, raised, std::memory_order_relaxed)) return;
  }
}

/// A place in a set, and the tag it had when it was read; 0 if it was free.
struct place {
  std::size_t way = rate_limit_table::ways;
  std::uint64_t tag = 0;

  bool exists() const noexcept { return way < rate_limit_table::ways; }
};

/// Of the places that belong to other subjects, the one whose debt was paid first, if any is paid.
/// Its subject is the least likely to send a request right now. (A template, as are the next two,
/// because the type of a set is private to the table.)
template <class Set>
place find_idle(const Set& in, const std::array<std::uint64_t, rate_limit_table::ways>& tags,
                std::uint64_t now_ns) noexcept {
  place found;
  auto earliest = now_ns;
  for (std::size_t way = 0; way < tags.size(); ++way) {
    const auto tat = in.tats[way].load(std::memory_order_relaxed);
    if (tat > earliest || (tat == earliest && found.exists())) continue;
    earliest = tat;
    found = {way, tags[way]};
  }
  return found;
}

/// The first place of `tag`; else the first free place, after which all are free; else an idle one;
/// else none. Reads each tag once: between two passes, another thread could give `tag` a place, and
/// it would then get a second one.
template <class Set>
place find_place(const Set& in, std::uint64_t tag, std::uint64_t now_ns) noexcept {
  std::array<std::uint64_t, rate_limit_table::ways> tags;
  for (std::size_t way = 0; way < tags.size(); ++way) {
    tags[way] = in.tags[way].load(std::memory_order_relaxed);
    if (tags[way] == tag || tags[way] == 0) return {way, tags[way]};
  }
  return find_idle(in, tags, now_ns);
}

/// The TAT of `tag`, which gets a place if it has none; null if debtors hold all places. The TAT of
/// a new subject needs no exchange: it lies in the past, which means no debt.
template <class Set>
word* claim_place(Set& in, std::uint64_t tag, std::uint64_t now_ns) noexcept {
  for (;;) {
    auto found = find_place(in, tag, now_ns);
    if (!found.exists()) return nullptr;
    // Lock-free: the exchange fails only if another thread has put a subject there.
    if (found.tag == tag ||
        in.tags[found.way].compare_exchange_strong(found.tag, tag, std::memory_order_relaxed))
      return &in.tats[found.way];
  }
}

/// The number of sets for at least this many entries, a power of two.
std::size_t sets_for(std::size_t entries) noexcept {
  check(entries <= rate_limit_table::most_entries, "a rate limit table has at most 2^26 entries");
  constexpr auto ways = rate_limit_table::ways;
  return std::bit_ceil(std::max((entries + ways - 1) / ways, std::size_t{1}));
}

} // namespace

void rate_limit_table::unmapper::operator()(set* sets) const noexcept {
  ::munmap(sets, bytes);
}

/// Fresh pages are zero, the initial value of the words. Constructing the words would turn all
/// pages into real memory.
std::unique_ptr<rate_limit_table::set, rate_limit_table::unmapper>
rate_limit_table::map_sets(std::size_t count) {
  const auto bytes = count * sizeof(set);
  void* const got = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) throw std::bad_alloc{};
  // Random look-ups then need fewer page table steps. Only a hint: all works without it.
  ::madvise(got, bytes, MADV_HUGEPAGE);
  return {static_cast<set*>(got), {bytes}};
}

rate_limit_table::rate_limit_table(std::size_t entries, const siphash_key& key)
    : key_{key}, set_mask_{sets_for(entries) - 1}, sets_{map_sets(set_mask_ + 1)} {}

rate_limit_table::set& rate_limit_table::set_of(std::uint64_t subject) const noexcept {
  return sets_.get()[subject & set_mask_];
}

std::size_t rate_limit_table::shared_word_of(const rate_policy& policy) noexcept {
  // Fibonacci hashing: the multiplier spreads the small differences between two policies.
  const auto both = std::uint64_t{policy.window_s} << 32U | policy.quota;
  return static_cast<std::size_t>((both * 0x9E3779B97F4A7C15ULL) >> 58U);
}

rate_verdict rate_limit_table::consume(std::uint64_t subject, const rate_policy& policy,
                                       std::uint32_t cost, steady_time now) noexcept {
  if (policy.is_unlimited()) return {};
  const auto now_ns = nanoseconds_of(now);
  if (auto* own = claim_place(set_of(subject), tag_of(subject), now_ns))
    return take_from(*own, {policy, cost, now_ns});
  shared_count_.fetch_add(1, std::memory_order_relaxed);
  auto result =
      take_from(shared_tats_[shared_word_of(policy)], {shared_policy(policy), cost, now_ns});
  result.is_shared = true;
  return result;
}

void rate_limit_table::charge(std::uint64_t subject, const rate_policy& policy, std::uint32_t cost,
                              steady_time now) noexcept {
  if (policy.is_unlimited()) return;
  const auto now_ns = nanoseconds_of(now);
  if (auto* own = claim_place(set_of(subject), tag_of(subject), now_ns))
    return charge_to(*own, {policy, cost, now_ns});
  shared_count_.fetch_add(1, std::memory_order_relaxed);
  charge_to(shared_tats_[shared_word_of(policy)], {shared_policy(policy), cost, now_ns});
}

rate_verdict rate_limit_table::peek(std::uint64_t subject, const rate_policy& policy,
                                    std::uint32_t cost, steady_time now) const noexcept {
  if (policy.is_unlimited()) return {};
  const auto now_ns = nanoseconds_of(now);
  const auto& in = set_of(subject);
  // An idle place means no debt, and so does having no place.
  if (const auto found = find_place(in, tag_of(subject), now_ns); found.exists()) {
    const request asked{policy, cost, now_ns};
    return asked.verdict(asked.debt_ns(in.tats[found.way].load(std::memory_order_relaxed)));
  }
  const request shared{shared_policy(policy), cost, now_ns};
  auto result = shared.verdict(
      shared.debt_ns(shared_tats_[shared_word_of(policy)].load(std::memory_order_relaxed)));
  result.is_shared = true;
  return result;
}

void rate_limit_table::show(metric_set& in) const {
  in.add_counter(
      {"matchcloud_rate_limit_shared_total",
       "Requests decided by a shared limit, because the rate limit table had no free slot for "
       "their client or token."},
      [this] { return shared_count(); });
  in.add_gauge(
      {"matchcloud_rate_limit_entries", "Clients and tokens that fit into the rate limit table."},
      [this] { return entries(); });
  in.add_gauge({"matchcloud_rate_limit_entries_used",
                "Clients and tokens that have used part of their limit and not yet regained it, "
                "estimated."},
               [this] { return used_entries(machine_clock().now()); });
}

std::size_t rate_limit_table::used_entries(steady_time now) const noexcept {
  const auto now_ns = nanoseconds_of(now);
  const auto sets = set_mask_ + 1;
  const auto looked_at = std::min(sets, counted_sets);
  std::size_t used = 0;
  for (std::size_t i = 0; i < looked_at; ++i)
    for (const auto& tat : set_of(i * (sets / looked_at)).tats)
      if (tat.load(std::memory_order_relaxed) > now_ns) ++used;
  return used * (sets / looked_at);
}

} // namespace matchcloud::base
