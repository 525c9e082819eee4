#include "base/permit.hpp"

#include <benchmark/benchmark.h>

#include <atomic>

namespace {

using matchcloud::base::permit;

/// The cost of a permit: every request takes one, and so does each of its messages to an owner.
void take_and_give(benchmark::State& state) {
  std::atomic<std::size_t> taken{0};
  for (auto _ : state) {
    permit one;
    benchmark::DoNotOptimize(one.acquire(taken, 1'000));
  }
}
BENCHMARK(take_and_give)->Name("permit/take_and_give");

void refuse(benchmark::State& state) {
  std::atomic<std::size_t> taken{0};
  permit last;
  last.acquire(taken, 1);
  for (auto _ : state) {
    permit one;
    benchmark::DoNotOptimize(one.acquire(taken, 1));
  }
}
BENCHMARK(refuse)->Name("permit/refused");

} // namespace
