#include "base/rate_limit.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <limits>
#include <random>
#include <vector>

namespace {

using namespace matchcloud::base;

constexpr std::size_t entries = 262'144;
constexpr std::size_t subject_count = 1'000'000;
constexpr siphash_key key{1, 2};
constexpr std::chrono::nanoseconds step{100};
const steady_time start{std::chrono::hours{24}};

/// A client within its limit, as most are, which lasts for all rounds. With two threads, both ask
/// for that client.
void take_hot_subject(benchmark::State& state) {
  static rate_limit_table table{entries, key};
  constexpr auto most = std::numeric_limits<std::uint32_t>::max();
  const rate_policy policy{most, most};
  auto now = start;
  for (auto _ : state)
    benchmark::DoNotOptimize(table.consume(7, policy, 1, now += step));
}
BENCHMARK(take_hot_subject)->Name("rate_limit/take_hot")->ThreadRange(1, 2);

/// A client far above its limit.
void refuse_hot_subject(benchmark::State& state) {
  static rate_limit_table table{entries, key};
  const rate_policy policy{10, 3'600};
  table.charge(7, policy, 10, start);
  for (auto _ : state)
    benchmark::DoNotOptimize(table.consume(7, policy, 1, start));
}
BENCHMARK(refuse_hot_subject)->Name("rate_limit/refuse_hot")->ThreadRange(1, 2);

/// Four times as many clients as entries in random order, ten million requests in a second: most
/// find no entry and evict somebody who has paid.
void take_random_subjects(benchmark::State& state) {
  rate_limit_table table{entries, key};
  std::mt19937_64 random{1};
  std::vector<std::uint64_t> subjects(subject_count);
  for (auto& subject : subjects)
    subject = random();
  const rate_policy policy{100, 1};
  auto now = start;
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(table.consume(subjects[next], policy, 1, now += step));
    if (++next == subjects.size()) next = 0;
  }
  state.counters["shared"] = static_cast<double>(table.shared_count());
}
BENCHMARK(take_random_subjects)->Name("rate_limit/take_random");

/// The same where each client has taken an hour's worth: all entries are debtors'.
void refuse_random_subjects(benchmark::State& state) {
  rate_limit_table table{entries, key};
  std::mt19937_64 random{1};
  std::vector<std::uint64_t> subjects(subject_count);
  for (auto& subject : subjects)
    subject = random();
  const rate_policy policy{1, 3'600};
  for (const auto subject : subjects)
    table.consume(subject, policy, 1, start);
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(table.consume(subjects[next], policy, 1, start));
    if (++next == subjects.size()) next = 0;
  }
}
BENCHMARK(refuse_random_subjects)->Name("rate_limit/refuse_random");

/// The hash of a subject: two bytes for the limit and an address, or a token's 36 characters.
void hash_subject(benchmark::State& state) {
  const rate_limit_table table{entries, key};
  std::array<std::uint8_t, 64> bytes{};
  const auto subject = std::span{bytes}.first(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(bytes.data());
    benchmark::ClobberMemory();
    benchmark::DoNotOptimize(table.hash(subject));
  }
}
BENCHMARK(hash_subject)->Name("rate_limit/hash")->Arg(18)->Arg(38);

} // namespace
