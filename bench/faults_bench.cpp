#include "base/faults.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace matchcloud::base;

constexpr auto point = fault_point::avatar_receive;

/// What everything else is measured with.
void an_empty_loop(benchmark::State& state) {
  for (auto _ : state)
    benchmark::ClobberMemory();
}
BENCHMARK(an_empty_loop)->Name("fault_point/empty_loop");

/// A point where nothing is injected, as all are of a service that serves.
void pass_a_point_that_is_off(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(static_cast<bool>(faults::strike(point)));
    benchmark::ClobberMemory();
  }
}
BENCHMARK(pass_a_point_that_is_off)->Name("fault_point/off");

/// A rule that never chooses: what all passes cost that an injected fault spares.
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

/// A rule for requests that name the point, and one that does not.
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
