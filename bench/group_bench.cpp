// Validation of the smallest payload, a group. Versions are in validation_bench.cpp.
#include "bench/sample_requests.hpp"
#include "model/validation/validation.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace matchcloud;

void validate_group(benchmark::State& state) {
  const model::validation_rules rules;
  const auto names = model::default_reference_names();
  for (auto _ : state)
    benchmark::DoNotOptimize(
        model::validate(model::payload_kind::group, bench::group_body, rules, names)->size());
}
BENCHMARK(validate_group)->Name("group/validate");

} // namespace
