#include "base/rate_limit.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

namespace matchcloud::base {
namespace {

using std::chrono::nanoseconds;
using namespace std::chrono_literals;

constexpr siphash_key fixed_key{1, 2};
constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();

steady_time at(nanoseconds since_epoch) {
  return steady_time{since_epoch};
}
/// A day after the machine's start.
const steady_time start = at(24h);

nanoseconds window_of(const rate_policy& policy) {
  return policy.interval() * std::int64_t{policy.quota};
}

/// So many subjects, counted up. In a table of eight entries all meet in one set.
std::vector<std::uint64_t> subjects(std::uint64_t count, std::uint64_t first = 1) {
  std::vector<std::uint64_t> result(count);
  std::iota(result.begin(), result.end(), first);
  return result;
}

/// Takes single units until one is refused, and returns their number.
std::uint32_t drain(rate_limit_table& table, std::uint64_t subject, const rate_policy& policy,
                    steady_time now) {
  std::uint32_t taken = 0;
  while (table.consume(subject, policy, 1, now).is_allowed)
    ++taken;
  return taken;
}

TEST_CASE("about as many entries are used as there are subjects in debt") {
  const auto entries = GENERATE(std::size_t{8}, std::size_t{4'096}, std::size_t{65'536});
  rate_limit_table table{entries, fixed_key};
  CHECK(table.used_entries(start) == 0);
  const rate_policy policy{10, 60};
  const auto count = entries / 4;
  for (const auto subject : subjects(count))
    table.consume(
        table.hash(std::span{reinterpret_cast<const std::uint8_t*>(&subject), sizeof subject}),
        policy, 1, start);
  const auto used = static_cast<double>(table.used_entries(start));
  CHECK(std::abs(used - static_cast<double>(count)) <= 0.1 * static_cast<double>(count));
  CHECK(table.used_entries(start + 61s) == 0);
}

// ---- policies ----

TEST_CASE("an interval is the window divided by the quota, rounded up") {
  CHECK(rate_policy{1, 1}.interval() == 1s);
  CHECK(rate_policy{100, 1}.interval() == 10ms);
  CHECK(rate_policy{1000, 86'400}.interval() == 86'400ms);
  CHECK(rate_policy{3, 1}.interval() == nanoseconds{333'333'334});
  CHECK(rate_policy{most, 1}.interval() == 1ns);
  CHECK(rate_policy{1, most}.interval() == std::chrono::seconds{most});
  CHECK(rate_policy{0, 5}.interval() == 0ns);
  CHECK(rate_policy{0, 5}.is_unlimited());
}

// ---- one subject ----

struct step {
  nanoseconds pause;
  std::uint32_t cost;
};

rc::Gen<rate_policy> any_policy() {
  return rc::gen::apply(
      [](std::uint32_t quota, std::uint32_t window_s) {
        return rate_policy{quota, window_s};
      },
      rc::gen::inRange(1U, 20U), rc::gen::inRange(1U, 100U));
}

/// Requests with pauses from none to two windows, often of whole intervals.
std::vector<step> any_steps(const rate_policy& policy) {
  const auto interval = policy.interval().count();
  const auto pause =
      rc::gen::oneOf(rc::gen::just(std::int64_t{0}),
                     rc::gen::map(rc::gen::inRange(std::int64_t{0}, 2 * std::int64_t{policy.quota}),
                                  [interval](std::int64_t count) { return count * interval; }),
                     rc::gen::inRange(std::int64_t{0}, 3 * interval));
  return *rc::gen::container<std::vector<step>>(rc::gen::apply(
      [](std::int64_t ns, std::uint32_t cost) {
        return step{nanoseconds{ns}, cost};
      },
      pause, rc::gen::inRange(0U, policy.quota + 3)));
}

TEST_CASE("a subject has its quota at once and not one unit more") {
  rate_limit_table table{8, fixed_key};
  const rate_policy policy{10, 1};
  for (std::uint32_t i = 0; i < 10; ++i) {
    const auto taken = table.consume(7, policy, 1, start);
    CHECK(taken.is_allowed);
    CHECK(taken.remaining == 9 - i);
    CHECK(taken.retry_after == 0ns);
    CHECK(!taken.is_shared);
  }
  const auto refused = table.consume(7, policy, 1, start);
  CHECK(!refused.is_allowed);
  CHECK(refused.remaining == 0);
  CHECK(refused.retry_after == 100ms);
  CHECK(table.consume(8, policy, 1, start).is_allowed);
}

TEST_CASE("in any time a subject gets at most its quota and what that time pays for") {
  REQUIRE(rc::check([] {
    const auto policy = *any_policy();
    rate_limit_table table{8, fixed_key};
    struct taking {
      steady_time when;
      std::uint32_t units;
    };
    std::vector<taking> allowed;
    auto now = start;
    for (const auto& [pause, cost] : any_steps(policy)) {
      now += pause;
      const auto units = std::min(cost, policy.quota);
      if (table.consume(1, policy, cost, now).is_allowed) allowed.push_back({now, units});
    }
    for (std::size_t first = 0; first < allowed.size(); ++first) {
      std::int64_t units = 0;
      for (std::size_t last = first; last < allowed.size(); ++last) {
        units += allowed[last].units;
        const auto time = allowed[last].when - allowed[first].when;
        RC_ASSERT(units <= policy.quota + time / policy.interval());
        if (time < window_of(policy)) RC_ASSERT(units <= 2 * std::int64_t{policy.quota});
      }
    }
  }));
}

TEST_CASE("a subject that paused for a window has its whole quota again") {
  REQUIRE(rc::check([] {
    const auto policy = *any_policy();
    rate_limit_table table{8, fixed_key};
    auto now = start;
    for (const auto& [pause, cost] : any_steps(policy))
      table.consume(1, policy, cost, now += pause);
    now += window_of(policy);
    RC_ASSERT(table.peek(1, policy, 1, now).remaining == policy.quota);
    RC_ASSERT(table.consume(1, policy, policy.quota, now).is_allowed);
    RC_ASSERT(!table.consume(1, policy, 1, now).is_allowed);
  }));
}

TEST_CASE("a subject that asks as often as its policy allows is never refused") {
  REQUIRE(rc::check([] {
    const auto policy = *any_policy();
    rate_limit_table table{8, fixed_key};
    auto now = start;
    for (const auto& [pause, cost] : any_steps(policy)) {
      RC_ASSERT(table.consume(1, policy, cost, now).is_allowed);
      now += std::min(cost, policy.quota) * policy.interval() + pause;
    }
  }));
}

TEST_CASE("a look and a refused request cost nothing, and what remains can be taken, no more") {
  REQUIRE(rc::check([] {
    const auto policy = *any_policy();
    rate_limit_table asked_once{8, fixed_key};
    rate_limit_table asked_again{8, fixed_key};
    auto now = start;
    for (const auto& [pause, cost] : any_steps(policy)) {
      now += pause;
      const auto once = asked_once.consume(1, policy, cost, now);
      const auto looked = asked_again.peek(1, policy, cost, now);
      const auto again = asked_again.consume(1, policy, cost, now);
      RC_ASSERT(looked.is_allowed == again.is_allowed);
      RC_ASSERT(looked.retry_after == again.retry_after);
      RC_ASSERT(once.is_allowed == again.is_allowed);
      RC_ASSERT(once.remaining == again.remaining);
      RC_ASSERT(once.retry_after == again.retry_after);
      RC_ASSERT(again.remaining <= policy.quota);
      RC_ASSERT(asked_again.peek(1, policy, 1, now).remaining == again.remaining);
      RC_ASSERT(asked_again.peek(1, policy, again.remaining, now).is_allowed);
      // All that would be refused now is asked for, by the one only.
      for (auto units = again.remaining + 1; units <= policy.quota; ++units) {
        RC_ASSERT(!asked_again.peek(1, policy, units, now).is_allowed);
        RC_ASSERT(!asked_again.consume(1, policy, units, now).is_allowed);
      }
    }
  }));
}

TEST_CASE("a refused request is allowed after retry_after and not a nanosecond earlier") {
  REQUIRE(rc::check([] {
    const auto policy = *any_policy();
    rate_limit_table table{8, fixed_key};
    auto now = start;
    for (const auto& [pause, cost] : any_steps(policy)) {
      now += pause;
      if (*rc::gen::weightedElement<bool>({{1, true}, {4, false}}))
        table.charge(1, policy, cost, now);
      const auto refused = table.consume(1, policy, cost, now);
      if (refused.is_allowed) continue;
      RC_ASSERT(refused.retry_after > 0ns);
      RC_ASSERT(!table.peek(1, policy, cost, now + refused.retry_after - 1ns).is_allowed);
      RC_ASSERT(table.peek(1, policy, cost, now + refused.retry_after).is_allowed);
      RC_ASSERT(!table.consume(1, policy, cost, now + refused.retry_after - 1ns).is_allowed);
      if (*rc::gen::arbitrary<bool>())
        RC_ASSERT(table.consume(1, policy, cost, now += refused.retry_after).is_allowed);
    }
  }));
}

TEST_CASE("a cost over the quota counts as the quota") {
  rate_limit_table table{8, fixed_key};
  const rate_policy policy{10, 1};
  CHECK(table.consume(1, policy, 11, start).remaining == 0);
  const auto refused = table.consume(1, policy, most, start);
  CHECK(!refused.is_allowed);
  CHECK(refused.retry_after == 1s);
  CHECK(table.consume(1, policy, most, start + 1s).is_allowed);
}

TEST_CASE("without a limit everything is allowed and nothing is touched") {
  rate_limit_table table{8, fixed_key};
  const rate_policy limited{10, 1};
  const rate_policy unlimited{};
  table.consume(1, limited, 4, start);
  for (const auto subject : subjects(20)) {
    CHECK(table.consume(subject, unlimited, most, start).is_allowed);
    table.charge(subject, unlimited, most, start);
    CHECK(table.peek(subject, unlimited, most, start).is_allowed);
  }
  CHECK(table.peek(1, limited, 1, start).remaining == 6);
  // The other seven places are as free as they were.
  for (const auto subject : subjects(7, 2))
    CHECK(!table.consume(subject, limited, 1, start).is_shared);
  const auto beside_debtors = table.consume(20, unlimited, 1, start);
  CHECK(beside_debtors.is_allowed);
  CHECK(!beside_debtors.is_shared);
  CHECK(table.shared_count() == 0);
}

// ---- penalties ----

TEST_CASE("a penalty is owed also where nothing is left") {
  rate_limit_table table{8, fixed_key};
  const rate_policy policy{10, 1};
  table.charge(1, policy, 4, start);
  CHECK(table.peek(1, policy, 1, start).remaining == 6);
  CHECK(drain(table, 1, policy, start) == 6);
  table.charge(1, policy, 3, start);
  CHECK(table.peek(1, policy, 1, start).retry_after == 400ms);
  // Not even what costs nothing passes before the penalty is paid.
  CHECK(table.peek(1, policy, 0, start).retry_after == 300ms);
}

TEST_CASE("penalties end at the window and what the last one costs, and never lower a debt") {
  REQUIRE(rc::check([] {
    const auto policy = *any_policy();
    rate_limit_table table{8, fixed_key};
    auto now = start;
    for (const auto& [pause, cost] : any_steps(policy)) {
      now += pause;
      const auto units = std::min(cost, policy.quota);
      const auto before = table.peek(1, policy, policy.quota, now).retry_after;
      table.charge(1, policy, cost, now);
      const auto after = table.peek(1, policy, policy.quota, now).retry_after;
      // Of a whole quota, the time until it would be allowed is the debt.
      const auto bound = window_of(policy) + units * policy.interval();
      RC_ASSERT(after == std::max(before, std::min(before + units * policy.interval(), bound)));
    }
    for (int i = 0; i < 100; ++i)
      table.charge(1, policy, most, now);
    RC_ASSERT(table.peek(1, policy, policy.quota, now).retry_after == 2 * window_of(policy));
  }));
}

TEST_CASE("a debt of a policy with a longer window counts as two windows") {
  rate_limit_table table{8, fixed_key};
  table.consume(1, {1, 86'400}, 1, start);
  CHECK(table.peek(1, {10, 1}, 10, start).retry_after == 2s);
  table.charge(1, {10, 1}, 10, start);
  CHECK(table.peek(1, {1, 86'400}, 1, start).retry_after == 24h);
}

// ---- the ends of the ranges ----

TEST_CASE("the largest quotas, windows, costs and times do not overflow") {
  for (const auto now : {at(0ns), start, at(nanoseconds::max())})
    for (const auto quota : {1U, 2U, 999'999'999U, 1'000'000'001U, most})
      for (const auto window_s : {1U, most}) {
        CAPTURE(quota, window_s, now.time_since_epoch().count());
        rate_limit_table table{8, fixed_key};
        const rate_policy policy{quota, window_s};
        CHECK(table.peek(1, policy, most, now).remaining == quota);
        CHECK(table.consume(1, policy, most, now).remaining == 0);
        CHECK(table.consume(1, policy, most, now).retry_after == window_of(policy));
        CHECK(table.consume(1, policy, 1, now).retry_after == policy.interval());
        table.charge(1, policy, most, now);
        table.charge(1, policy, most, now);
        CHECK(table.consume(1, policy, most, now).retry_after == 2 * window_of(policy));
        CHECK(!table.peek(1, policy, 0, at(0ns)).is_allowed);
        CHECK(table.peek(1, policy, most, at(0ns)).retry_after <= 2 * window_of(policy));
      }
}

TEST_CASE("a time before the clock's epoch is the epoch") {
  rate_limit_table table{8, fixed_key};
  const rate_policy policy{1, 1};
  CHECK(table.consume(1, policy, 1, at(-1h)).is_allowed);
  CHECK(table.consume(1, policy, 1, at(-2h)).retry_after == 1s);
  CHECK(table.consume(1, policy, 1, at(1s)).is_allowed);
}

TEST_CASE("times in the wrong order give no more than their range pays for") {
  REQUIRE(rc::check([] {
    const auto policy = *any_policy();
    const auto reach = 2 * window_of(policy).count();
    const auto times = *rc::gen::container<std::vector<std::int64_t>>(
        rc::gen::inRange(std::int64_t{0}, reach + 1));
    RC_PRE(!times.empty());
    rate_limit_table table{8, fixed_key};
    std::int64_t allowed = 0;
    for (const auto time : times)
      allowed += table.consume(1, policy, 1, start + nanoseconds{time}).is_allowed ? 1 : 0;
    const auto [first, last] = std::minmax_element(times.begin(), times.end());
    RC_ASSERT(allowed <= policy.quota + (*last - *first) / policy.interval().count());
  }));
}

// ---- many subjects ----

TEST_CASE("a subject's hash is that of its bytes under the table's key") {
  const std::array<std::uint8_t, 5> subject{1, 10, 0, 0, 7};
  const rate_limit_table table{8, fixed_key};
  CHECK(table.hash(subject) == siphash(fixed_key, subject));
  CHECK(rate_limit_table{8}.hash(subject) != rate_limit_table{8}.hash(subject));
}

TEST_CASE("a table has at least as many entries as asked for, in sets of eight") {
  CHECK(rate_limit_table{0}.entries() == 8);
  CHECK(rate_limit_table{1}.entries() == 8);
  CHECK(rate_limit_table{8}.entries() == 8);
  CHECK(rate_limit_table{9}.entries() == 16);
  CHECK(rate_limit_table{100}.entries() == 128);
  CHECK(rate_limit_table{262'144}.entries() == 262'144);
  CHECK(rate_limit_table{rate_limit_table::most_entries}.entries() ==
        rate_limit_table::most_entries);
}

TEST_CASE("the subject whose hash is zero has a limit as well") {
  rate_limit_table table{8, fixed_key};
  const rate_policy policy{5, 1};
  CHECK(drain(table, 0, policy, start) == 5);
  CHECK(drain(table, 8, policy, start) == 5);
  CHECK(!table.consume(0, policy, 1, start).is_allowed);
}

TEST_CASE("a subject that finds all places taken by debtors shares a quarter of the quota") {
  rate_limit_table table{8, fixed_key};
  const rate_policy policy{20, 1};
  for (const auto subject : subjects(8))
    CHECK(!table.consume(subject, policy, 1, start).is_shared);

  const auto looked = table.peek(9, policy, 1, start);
  CHECK(looked.is_shared);
  CHECK(looked.is_allowed);
  CHECK(looked.remaining == 5);
  CHECK(table.shared_count() == 0);

  for (std::uint32_t i = 0; i < 5; ++i) {
    const auto shared = table.consume(9 + i, policy, 1, start);
    CHECK(shared.is_shared);
    CHECK(shared.is_allowed);
    CHECK(shared.remaining == 4 - i);
  }
  const auto refused = table.consume(14, policy, 1, start);
  CHECK(refused.is_shared);
  CHECK(!refused.is_allowed);
  CHECK(refused.retry_after == 200ms);
  CHECK(table.shared_count() == 6);
  table.charge(15, policy, 1, start);
  CHECK(table.shared_count() == 7);
  CHECK(table.peek(16, policy, 1, start).retry_after == 400ms);

  // The debtors keep what they have.
  for (const auto subject : subjects(8))
    CHECK(table.peek(subject, policy, 1, start).remaining == 19);
  // When they have paid, the next has a place of its own.
  CHECK(!table.consume(9, policy, 1, start + 50ms).is_shared);
  // Of a small quota it is one unit.
  rate_limit_table small{8, fixed_key};
  const rate_policy three{3, 1};
  for (const auto subject : subjects(8))
    small.consume(subject, three, 1, start);
  CHECK(small.consume(9, three, 3, start).is_allowed);
  CHECK(small.consume(9, three, 1, start).retry_after == 1s);
}

TEST_CASE("the place of the subject that paid longest ago is given away first") {
  const rate_policy policy{20, 1};
  for (std::uint64_t first_paid = 1; first_paid <= 8; ++first_paid) {
    CAPTURE(first_paid);
    rate_limit_table table{8, fixed_key};
    for (const auto subject : subjects(8))
      table.consume(subject, policy, subject == first_paid ? 2 : 3, start);
    CHECK(table.consume(9, policy, 1, start + 99ms).is_shared);
    CHECK(!table.consume(9, policy, 1, start + 1s).is_shared);
    // Seen from an earlier time, all but that one's are still there, in debt.
    for (const auto subject : subjects(8)) {
      const auto seen = table.peek(subject, policy, 1, start);
      CHECK(seen.is_shared == (subject == first_paid));
    }
  }
}

TEST_CASE("a debtor keeps its entry while thousands pass") {
  rate_limit_table table{8, fixed_key};
  const rate_policy slow{10, 100};
  const rate_policy fast{1'000, 1};
  REQUIRE(drain(table, 1, slow, start) == 10);
  auto now = start;
  for (const auto subject : subjects(5'000, 2)) {
    now += 1ms;
    REQUIRE(!table.consume(subject, fast, 1, now).is_shared);
    REQUIRE(!table.consume(1, slow, 1, now).is_allowed);
  }
  CHECK(table.consume(1, slow, 1, start + 10s).is_allowed);
}

// ---- threads ----

/// Runs `work(thread)` in eight threads that begin together.
template <class Work>
void in_threads(Work work) {
  std::atomic<int> waiting{8};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      --waiting;
      while (waiting > 0)
        std::this_thread::yield();
      work(i);
    });
  for (auto& thread : threads)
    thread.join();
}

TEST_CASE("eight threads get exactly the quota of each of many subjects that fit") {
  for (int round = 0; round < 200; ++round) {
    rate_limit_table table{8, fixed_key};
    const rate_policy policy{50, 60};
    std::array<std::atomic<int>, 8> units{};
    // All of them are new at first: the threads also compete for the places.
    in_threads([&](std::size_t thread) {
      for (std::size_t i = 0; i < 200; ++i) {
        const auto subject = (i * (thread + 1) + i / 8) % 8;
        if (table.consume(subject + 100, policy, 1, start).is_allowed) ++units[subject];
      }
      while (table.consume(thread + 100, policy, 1, start).is_allowed)
        ++units[thread];
    });
    for (const auto& one : units)
      REQUIRE(one == 50);
    REQUIRE(table.shared_count() == 0);
  }
}

TEST_CASE("penalties of eight threads add up") {
  rate_limit_table table{8, fixed_key};
  const rate_policy policy{10'000, 60};
  in_threads([&](std::size_t) {
    for (int i = 0; i < 1'000; ++i)
      table.charge(1, policy, 1, start);
  });
  CHECK(table.peek(1, policy, 1, start).remaining == 2'000);
}

TEST_CASE("eight threads that evict each other's subjects get no more than one thread would") {
  for (int round = 0; round < 20; ++round) {
    rate_limit_table table{8, fixed_key};
    const rate_policy policy{20, 1};
    // Places that were used and paid: the threads compete in evicting.
    for (const auto subject : subjects(8, 10'000))
      table.consume(subject, policy, 20, start - 1h);
    std::atomic<int> allowed{0};
    in_threads([&](std::size_t thread) {
      for (std::uint64_t i = 0; i < 2'000; ++i)
        if (table.consume((i * (thread + 1)) % 64, policy, 1, start).is_allowed) ++allowed;
    });
    REQUIRE(allowed <= 8 * 20 + 5);
    REQUIRE(allowed >= 5);
  }
}

TEST_CASE("strangers of one policy do not pay for those of another with a long window") {
  rate_limit_table table{8, siphash_key{1, 2}};
  const steady_time now{std::chrono::hours{1}};
  const rate_policy slow{1, 86'400};
  const rate_policy fast{4, 3};
  for (std::uint64_t subject = 1; subject <= 8; ++subject)
    table.charge(subject, slow, 1, now);
  REQUIRE(table.consume(100, slow, 1, now).is_shared);
  CHECK_FALSE(table.consume(101, slow, 1, now).is_allowed);
  const auto other = table.consume(102, fast, 1, now);
  CHECK(other.is_shared);
  CHECK(other.is_allowed);
}

} // namespace
} // namespace matchcloud::base
