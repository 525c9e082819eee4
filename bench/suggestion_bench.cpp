// "Did you mean": the cost of finding the closest name, for names as they occur in payloads.
#include "model/text/suggestion.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <string>
#include <string_view>

namespace {

using namespace matchcloud::model;
using namespace std::string_view_literals;

constexpr std::array candidates{"image_id"sv,
                                "args"sv,
                                "env"sv,
                                "network_mode"sv,
                                "ports"sv,
                                "max_players"sv,
                                "max_players_direct"sv,
                                "max_players_party"sv,
                                "idle_lobbies"sv,
                                "regions"sv};

/// Names with typing errors, the end of a candidate (`players`), and names that resemble no
/// candidate.
constexpr std::array names{
    "max_playres"sv, "imageId"sv,        "networkmode"sv, "idle_lobies"sv,
    "players"sv,     "something_else"sv, "xyzzy"sv,       "verification_headers"sv};

void closest_of_ten_names(benchmark::State& state) {
  std::size_t next = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(closest_name(names[next++ % names.size()], candidates));
}
BENCHMARK(closest_of_ten_names)->Name("suggestion/ten_names");

/// The worst case that a payload can cause: the longest names that get a suggestion.
void closest_of_ten_longest_names(benchmark::State& state) {
  std::array<std::string, 10> long_candidates;
  std::array<std::string_view, 10> views;
  for (std::size_t i = 0; i < views.size(); ++i) {
    long_candidates[i] = std::string(suggestion_name_limit_bytes, static_cast<char>('a' + i));
    views[i] = long_candidates[i];
  }
  std::string name;
  for (std::size_t i = 0; i < suggestion_name_limit_bytes; ++i)
    name += static_cast<char>('a' + i % views.size());
  for (auto _ : state)
    benchmark::DoNotOptimize(closest_name(name, views));
}
BENCHMARK(closest_of_ten_longest_names)->Name("suggestion/ten_longest_names");

} // namespace
