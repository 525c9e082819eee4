#include "base/faults.hpp"

#include "tests/catch.hpp"

#include <atomic>
#include <bit>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace matchcloud::base {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr auto point = fault_point::avatar_receive;

/// Removes the faults that a test injects.
struct faults_bench {
  faults_bench() { faults::seed(1); }
  ~faults_bench() {
    faults::clear_all();
    faults::set_time_passer({});
  }
  /// The numbers of the first `passes` passes that were hit.
  static std::vector<int> hits(int passes, fault_point_set named = 0) {
    std::vector<int> all;
    for (int i = 1; i <= passes; ++i)
      if (faults::strike(point, {named})) all.push_back(i);
    return all;
  }
  static fault_rule rule(fault_kind kind = fault_kind::error) {
    fault_rule made;
    made.kind = kind;
    return made;
  }
};

TEST_CASE("every point has a name of its own, a sentence and something to inject") {
  for (std::size_t i = 0; i < fault_point_count; ++i) {
    const auto& facts = fault_points[i];
    CAPTURE(facts.name);
    CHECK(find_fault_point(facts.name) == static_cast<fault_point>(i));
    CHECK(facts.sentence.ends_with('.'));
    CHECK_FALSE(facts.kinds.has(fault_kind::none));
    bool any = false;
    for (std::size_t kind = 1; kind < fault_kind_names.size(); ++kind)
      any = any || facts.kinds.has(static_cast<fault_kind>(kind));
    CHECK(any);
  }
  CHECK_FALSE(find_fault_point("avatar.recieve"));
}

TEST_CASE("a rule for a game strikes only passes about that game, at points that know it") {
  faults_bench on;
  const fault_game game{1, 2, 3};
  const fault_game other{3, 2, 1};
  auto rule = on.rule();
  rule.game = game;
  REQUIRE(faults::set(point, rule));
  CHECK(faults::strike(point, {0, &game}));
  CHECK_FALSE(faults::strike(point, {0, &other}));
  CHECK_FALSE(faults::strike(point));
  CHECK(faults::status(point).passes == 1);
  // A thread that blocks says what its calls are about.
  REQUIRE(faults::set(fault_point::store_read, rule));
  CHECK_FALSE(faults::strike_blocking(fault_point::store_read));
  {
    const faults::about_game about{game};
    CHECK(faults::strike_blocking(fault_point::store_read));
  }
  CHECK_FALSE(faults::strike_blocking(fault_point::store_read));
  for (const auto at : {fault_point::store_write, fault_point::read, fault_point::front_dispatch}) {
    const auto refused = faults::set(at, rule);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().detail.find("does not know the game") != std::string::npos);
  }
}

fault_bytes v4(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d) {
  return {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d};
}

TEST_CASE("a rule chooses senders by address, token and X-Fault, and all that it names must hold") {
  faults_bench on;
  const fault_bytes token{7};
  const auto hits = [](const fault_sender& from) {
    return static_cast<bool>(faults::strike(point, {faults::chosen(from), nullptr}));
  };
  CHECK_FALSE(faults::chooses_senders());
  auto rule = on.rule();
  rule.client = fault_network{v4(10, 1, 0, 0), 112};
  REQUIRE(faults::set(point, rule));
  CHECK(faults::chooses_senders());
  CHECK(hits({0, v4(10, 1, 2, 3), nullptr, 1}));
  CHECK_FALSE(hits({0, v4(10, 2, 2, 3), nullptr, 1}));
  CHECK_FALSE(hits({bit_of(point), v4(10, 2, 2, 3), nullptr, 1}));
  CHECK_FALSE(faults::strike(point));
  rule.client = fault_network{v4(10, 1, 0, 0), 111};
  rule.token = token;
  REQUIRE(faults::set(point, rule));
  CHECK_FALSE(hits({0, v4(10, 0, 0, 9), nullptr, 1}));
  CHECK(hits({0, v4(10, 0, 0, 9), &token, 1}));
  rule.by_header = true;
  REQUIRE(faults::set(point, rule));
  CHECK_FALSE(hits({0, v4(10, 0, 0, 9), &token, 1}));
  CHECK(hits({bit_of(point), v4(10, 0, 0, 9), &token, 1}));
  CHECK(faults::status(point).passes == 1);
  // Other points keep what the header names.
  CHECK(faults::chosen({bit_of(fault_point::avatar_reply), {}, nullptr, 1}) ==
        bit_of(fault_point::avatar_reply));
  faults::clear(point);
  CHECK_FALSE(faults::chooses_senders());
}

TEST_CASE("a share of connections is the same connections each time, chosen by the seed") {
  faults_bench on;
  auto rule = on.rule();
  rule.connections = 0.1;
  const auto members = [&](std::uint64_t seed) {
    faults::seed(seed);
    REQUIRE(faults::set(fault_point::read, rule));
    std::vector<std::uint64_t> all;
    for (std::uint64_t number = 0; number < 10'000; ++number)
      if (faults::chosen({0, {}, nullptr, number}) != 0) all.push_back(number);
    return all;
  };
  const auto first = members(1);
  CHECK(first.size() > 850);
  CHECK(first.size() < 1'150);
  CHECK(members(1) == first);
  CHECK(members(2) != first);
}

TEST_CASE("a fault heals when its time is up, and not by the time of the one before it") {
  faults_bench on;
  const steady_time begin{std::chrono::hours{1}};
  CHECK(faults::next_end() == steady_time::max());
  REQUIRE(faults::set(point, on.rule(), begin + milliseconds{10}));
  REQUIRE(faults::set(fault_point::clock, on.rule(fault_kind::corrupt)));
  CHECK(faults::next_end() == begin + milliseconds{10});
  CHECK(faults::heal(begin + milliseconds{9}).empty());
  REQUIRE(faults::set(point, on.rule(fault_kind::crash), begin + milliseconds{30}));
  CHECK(faults::heal(begin + milliseconds{29}).empty());
  const auto healed = faults::heal(begin + milliseconds{30});
  REQUIRE(healed.size() == 1);
  CHECK(healed[0].point == point);
  CHECK(healed[0].rule.kind == fault_kind::crash);
  CHECK_FALSE(faults::armed(point));
  CHECK(faults::armed(fault_point::clock));
  CHECK(faults::next_end() == steady_time::max());
}

TEST_CASE("a rule hits every pass until it is cleared, or each nth, the first few, or one") {
  faults_bench on;
  CHECK_FALSE(faults::armed(point));
  CHECK(on.hits(100).empty());
  auto rule = on.rule();
  REQUIRE(faults::set(point, rule));
  CHECK(faults::armed(point));
  CHECK_FALSE(faults::armed(fault_point::avatar_reply));
  CHECK(on.hits(3) == std::vector<int>{1, 2, 3});
  rule.every = 3;
  REQUIRE(faults::set(point, rule));
  CHECK(on.hits(10) == std::vector<int>{3, 6, 9});
  rule.first = 7;
  REQUIRE(faults::set(point, rule));
  CHECK(on.hits(10) == std::vector<int>{3, 6});
  rule.once = true;
  REQUIRE(faults::set(point, rule));
  CHECK(on.hits(10) == std::vector<int>{3});
  const auto status = faults::status(point);
  CHECK(status.passes == 10);
  CHECK(status.hits == 1);
  CHECK(status.rule == rule);
  faults::clear(point);
  CHECK(on.hits(3).empty());
}

TEST_CASE("a probability hits its share, and the same passes again from the same seed") {
  faults_bench on;
  auto rule = on.rule();
  rule.probability = 0.01;
  REQUIRE(faults::set(point, rule));
  const auto first = on.hits(100'000);
  CHECK(first.size() > 850);
  CHECK(first.size() < 1'150);
  faults::seed(1);
  CHECK(on.hits(100'000) == first);
  faults::seed(2);
  CHECK(on.hits(100'000) != first);
  for (const auto& [probability, expected] :
       std::vector<std::pair<double, std::size_t>>{{0, 0}, {1, 1'000}}) {
    rule.probability = probability;
    REQUIRE(faults::set(point, rule));
    CHECK(on.hits(1'000).size() == expected);
  }
}

TEST_CASE("the X-Fault header chooses only requests that name the point, and counts only those") {
  faults_bench on;
  auto rule = on.rule();
  rule.by_header = true;
  rule.every = 2;
  REQUIRE(faults::set(point, rule));
  CHECK(on.hits(10).empty());
  CHECK(on.hits(10, bit_of(fault_point::avatar_reply)).empty());
  CHECK(on.hits(4, bit_of(point)) == std::vector<int>{2, 4});
  CHECK(faults::status(point).passes == 4);
}

TEST_CASE("a delay is as long as was said, or anything between two bounds") {
  faults_bench on;
  auto rule = on.rule(fault_kind::delay);
  rule.least_delay = rule.most_delay = milliseconds{20};
  REQUIRE(faults::set(point, rule));
  CHECK(faults::strike(point).delay == milliseconds{20});
  rule.least_delay = milliseconds{10};
  REQUIRE(faults::set(point, rule));
  auto least = microseconds::max();
  auto most = microseconds::min();
  for (int i = 0; i < 1'000; ++i) {
    const auto delay = faults::strike(point).delay;
    least = std::min(least, delay);
    most = std::max(most, delay);
  }
  CHECK(least >= milliseconds{10});
  CHECK(least < milliseconds{11});
  CHECK(most <= milliseconds{20});
  CHECK(most > milliseconds{19});
}

TEST_CASE(
    "on a thread that may block, a delay passes in the point, and everything else comes out") {
  faults_bench on;
  std::vector<microseconds> slept;
  faults::set_time_passer([&](microseconds time) { slept.push_back(time); });
  auto rule = on.rule(fault_kind::delay);
  rule.least_delay = rule.most_delay = milliseconds{7};
  REQUIRE(faults::set(fault_point::store_read, rule));
  CHECK_FALSE(faults::strike_blocking(fault_point::store_read));
  CHECK(slept == std::vector<microseconds>{milliseconds{7}});
  REQUIRE(faults::set(fault_point::store_read, on.rule()));
  CHECK(faults::strike_blocking(fault_point::store_read).kind == fault_kind::error);
}

TEST_CASE("a thread knows which faults held it up, and forgets them once it has told") {
  faults_bench on;
  faults::set_time_passer([](microseconds) {});
  faults::take_holds();
  REQUIRE(faults::set(fault_point::store_commit, on.rule(fault_kind::delay)));
  REQUIRE(faults::set(fault_point::store_read, on.rule()));
  static_cast<void>(faults::strike_blocking(fault_point::store_read)); // fails at once
  static_cast<void>(faults::strike_blocking(fault_point::store_commit));
  std::thread{[] { static_cast<void>(faults::strike_blocking(fault_point::store_commit)); }}.join();
  const auto held = faults::take_holds();
  REQUIRE(held.size() == 1);
  CHECK(held[0].at == fault_point::store_commit);
  CHECK(held[0].ended >= held[0].began);
  CHECK(faults::take_holds().empty());
  // However many there are, none of their time is lost.
  const auto at = [](int ms) { return steady_time{milliseconds{ms}}; };
  const auto limit = static_cast<int>(faults::holds_limit);
  for (int i = 0; i < limit + 3; ++i)
    faults::add_holds({{fault_point::store_commit, at(10 * i), at(10 * i + 5)}});
  const auto many = faults::take_holds();
  REQUIRE(many.size() == faults::holds_limit);
  CHECK(many.back().began == at(10 * (limit - 1)));
  CHECK(many.back().ended == many.back().began + milliseconds{4 * 5});
}

TEST_CASE(
    "a stall or delay ends when its fault is taken away, replaced or healed, and not before") {
  const auto kind = GENERATE(fault_kind::stall, fault_kind::delay);
  const std::string_view ended_by = GENERATE("clear", "replace", "heal");
  faults_bench on;
  auto rule = on.rule(kind);
  if (kind == fault_kind::delay) rule.least_delay = rule.most_delay = std::chrono::hours{1};
  const steady_time end{std::chrono::hours{1}};
  REQUIRE(faults::set(fault_point::store_read, rule, end));
  std::atomic<bool> passed{false};
  std::thread held{[&] {
    static_cast<void>(faults::strike_blocking(fault_point::store_read));
    passed = true;
  }};
  while (faults::status(fault_point::store_read).hits == 0)
    std::this_thread::yield();
  CHECK_FALSE(passed);
  REQUIRE(faults::set(fault_point::store_open, on.rule())); // a rule at another point
  CHECK_FALSE(passed);
  if (ended_by == "clear") faults::clear(fault_point::store_read);
  if (ended_by == "replace") REQUIRE(faults::set(fault_point::store_read, on.rule()));
  if (ended_by == "heal") CHECK(faults::heal(end).size() == 1);
  held.join();
  CHECK(passed);
}

TEST_CASE("a rule that its point cannot follow is refused, and the rule before it stays") {
  faults_bench on;
  REQUIRE(faults::set(point, on.rule(fault_kind::crash)));
  const auto refused = [&](fault_point at, const fault_rule& rule, std::string_view says) {
    const auto taken = faults::set(at, rule);
    REQUIRE_FALSE(taken);
    CHECK(taken.error().code == errc::config_invalid);
    CAPTURE(taken.error().detail);
    CHECK(taken.error().detail.find(says) != std::string::npos);
    CHECK(taken.error().detail.find(facts_of(at).name) != std::string::npos);
  };
  constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
  refused(point, on.rule(fault_kind::corrupt), "delay, error, drop, crash, abort, stall");
  refused(point, on.rule(fault_kind::none), "none");
  const auto refused_with = [&](fault_point at, auto member, auto value, std::string_view says) {
    auto rule = on.rule();
    rule.*member = value;
    refused(at, rule, says);
  };
  refused_with(fault_point::store_open, &fault_rule::by_header, true, "X-Fault");
  refused_with(fault_point::store_open, &fault_rule::client, fault_network{},
               "does not know the client's address");
  refused_with(fault_point::front_dispatch, &fault_rule::token, fault_bytes{},
               "does not know the request's token");
  for (const double share : {0.0, -1.0, nan})
    refused_with(point, &fault_rule::connections, share, "share of connections");
  for (const int seconds : {0, 86'401})
    refused_with(point, &fault_rule::lasts, std::chrono::seconds{seconds}, "1 to 86400 seconds");
  for (const double probability : {-0.01, 1.01, nan})
    refused_with(point, &fault_rule::probability, probability, "probability");
  refused_with(point, &fault_rule::every, 0U, "at least 1");
  refused_with(point, &fault_rule::first, 0U, "at least 1");
  auto rule = on.rule(fault_kind::delay);
  rule.least_delay = milliseconds{2};
  rule.most_delay = milliseconds{1};
  refused(point, rule, "smaller bound first");
  rule.most_delay = std::chrono::hours{1} + microseconds{1};
  refused(point, rule, "3600000");
  // Nothing waits for the time of day.
  rule.most_delay = std::chrono::days{3'650};
  CHECK(faults::check(fault_point::clock, rule));
  rule.most_delay += microseconds{1};
  CHECK_FALSE(faults::check(fault_point::clock, rule));
  CHECK(faults::status(point).rule->kind == fault_kind::crash);
}

TEST_CASE("flip_bit changes one bit, and any bit") {
  const std::string before(10, 'x');
  std::set<std::string> seen;
  for (std::uint64_t random = 0; random < 200; ++random) {
    auto bytes = before;
    faults::flip_bit(bytes, random);
    int changed = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      changed += std::popcount(static_cast<unsigned char>(bytes[i] ^ before[i]));
    CHECK(changed == 1);
    seen.insert(bytes);
  }
  CHECK(seen.size() == 80); // every bit occurs
}

TEST_CASE("a short write takes at least one byte, and fewer than there are where it can") {
  CHECK(faults::shortened(0, 7) == 0);
  CHECK(faults::shortened(1, 7) == 1);
  std::set<std::size_t> seen;
  for (std::uint64_t random = 0; random < 50; ++random)
    seen.insert(faults::shortened(5, random));
  CHECK(seen == std::set<std::size_t>{1, 2, 3, 4});
}

} // namespace
} // namespace matchcloud::base
