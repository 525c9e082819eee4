// Imports: the cost of reading one line.
#include "model/lobbies/lobby.hpp"
#include "model/records/line_splitter.hpp"

#include <benchmark/benchmark.h>

#include <string>

namespace {

using namespace matchcloud::model;

const std::string lobby_line =
    R"({"lobby_id":"0b24cf2f-3d3d-4a17-8e2e-0d7d2f0d9a01",)"
    R"("namespace_id":"6f6b9a52-1f2e-4c55-9b0e-2f7c1f6d8a02","region_id":"fra",)"
    R"("tier":"basic-1d1","version_id":"3c8c8d64-6a0f-4d5c-8f3a-5a3b6c7d8e03",)"
    R"("version_name":"1.4.2","game_mode":"deathmatch",)"
    R"("start_ts":1767225600000,"stop_ts":1767226200000})";

void split_and_read_a_lobby_line(benchmark::State& state) {
  lobby_line_reader reader;
  lobby read;
  line_splitter splitter;
  std::string text;
  for (auto _ : state) {
    text = lobby_line;
    text += '\n';
    splitter.feed(text);
    const auto line = splitter.next();
    benchmark::DoNotOptimize(reader.read(*line, read));
    (void)splitter.next();
  }
}
BENCHMARK(split_and_read_a_lobby_line)->Name("lobby/read_line");

} // namespace
