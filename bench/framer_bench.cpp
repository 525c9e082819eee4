// The framer: the cost of finding where a request ends.
#include "bench/sample_requests.hpp"
#include "bench/validation_bodies.hpp"
#include "http/wire/request_framer.hpp"

#include <benchmark/benchmark.h>

#include <string>

namespace {

using namespace matchcloud;
using namespace matchcloud::http;

constexpr std::size_t retained_bytes = 16UL * 1024;

/// Frames `text` again and again, fed in pieces of at most `piece` bytes.
void frame(benchmark::State& state, std::string_view text, std::size_t piece) {
  const framer_limits limits;
  request_framer framer{limits};
  request into;
  for (auto _ : state) {
    framer_result framed;
    for (std::size_t at = 0; at < text.size(); at += piece)
      framed = framer.feed(text.substr(at, piece), into);
    if (framed.status != framer_status::complete)
      return state.SkipWithError("the request was not framed");
    into.clear(retained_bytes);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void frame_get(benchmark::State& state) {
  frame(state, bench::browser_get, bench::browser_get.size());
}
BENCHMARK(frame_get)->Name("framer/get");

void frame_post(benchmark::State& state) {
  const auto text = bench::json_post("/cloud/groups/validate", bench::group_body);
  frame(state, text, text.size());
}
BENCHMARK(frame_post)->Name("framer/post");

void frame_large_post(benchmark::State& state) {
  const auto text = bench::json_post(bench::version_path, bench::composed_config());
  frame(state, text, text.size());
}
BENCHMARK(frame_large_post)->Name("framer/post_8kB");

void frame_pieces(benchmark::State& state) {
  const auto text = bench::json_post(bench::version_path, bench::composed_config());
  frame(state, text, bench::piece_bytes);
}
BENCHMARK(frame_pieces)->Name("framer/post_8kB_in_pieces");

} // namespace
