#include "base/faults.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace matchcloud::base;

constexpr auto point = fault_point::avatar_receive;

/// The cost of the loop itself, which all other benchmarks here include.
void an_empty_loop(benchmark::State& state) {
  for (auto _ : state)
    benchmark::ClobberMemory();
}
BENCHMARK(an_empty_loop)->Name("fault_point/empty_loop");

/// A point without a rule, as all points are in a service in production.
void pass_a_point_that_is_off(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(static_cast<bool>(faults::strike(point)));
    benchmark::ClobberMemory();
  }
}
BENCHMARK(pass_a_point_that_is_off)->Name("fault_point/off");

/// A rule that never hits: the cost of a pass that is spared.
void pass_a_point_that_spares(benchmark::State& state) {
  fault_rule never;
  never.probability = 0;
  if (!faults::set(point, never)) return state.SkipWithError("the rule was refused");
  for (auto _ : state) {
    benchmark::DoNotOptimize(static_cast<bool>(faults::strike(point)));
    benchmark::ClobberMemory();
  }
  faults::clear(point);
}
BENCHMARK(pass_a_point_that_spares)->Name("fault_point/spares");

/// A rule for requests whose `X-Fault` header names the point, and a request without one.
void pass_a_point_that_is_for_others(benchmark::State& state) {
  fault_rule named;
  named.by_header = true;
  if (!faults::set(point, named)) return state.SkipWithError("the rule was refused");
  for (auto _ : state) {
    benchmark::DoNotOptimize(static_cast<bool>(faults::strike(point)));
    benchmark::ClobberMemory();
  }
  faults::clear(point);
}
BENCHMARK(pass_a_point_that_is_for_others)->Name("fault_point/for_others");

} // namespace
