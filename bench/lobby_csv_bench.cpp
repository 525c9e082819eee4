// Lobby history: the cost of one row of CSV.
#include "model/lobbies/lobby_csv.hpp"

#include <benchmark/benchmark.h>

#include <string>

namespace {

using namespace matchcloud::model;

void append_a_csv_row(benchmark::State& state) {
  constexpr std::size_t piece_bytes = 256UL * 1024;
  const lobby_attributes kind{*parse_uuid("6f6b9a52-1f2e-4c55-9b0e-2f7c1f6d8a02"),
                              *parse_uuid("3c8c8d64-6a0f-4d5c-8f3a-5a3b6c7d8e03"),
                              "fra",
                              "basic-1d1",
                              "1.4.2",
                              "deathmatch"};
  const auto columns = csv_attribute_columns(kind, "prod", "Frankfurt");
  const time_span span{1'767'225'600'000, 1'767'312'000'000};
  history_lobby lobby{*parse_uuid("0b24cf2f-3d3d-4a17-8e2e-0d7d2f0d9a01"),
                      {1'767'225'600'000, 1'767'226'200'000},
                      &columns};
  std::string out;
  out.reserve(piece_bytes + 1024);
  std::int64_t rows = 0;
  for (auto _ : state) {
    if (out.size() >= piece_bytes) out.clear();
    lobby.times.start_ts += 26;
    *lobby.times.stop_ts += 31;
    ++lobby.lobby_id.bytes[rows++ & 15];
    append_lobby_csv(out, lobby, span, 1'767'312'000'000);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(rows);
}
BENCHMARK(append_a_csv_row)->Name("lobby/csv_row");

} // namespace
