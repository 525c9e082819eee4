#include "bench/sample_requests.hpp"
#include "http/front/routes.hpp"
#include "http/loop/event_loop.hpp"
#include "http/wire/client_address.hpp"
#include "http/wire/response.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace matchcloud;
using namespace matchcloud::http;

void match_route(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(find_route(bench::version_path, ""));
}
BENCHMARK(match_route)->Name("route/match");

void find_client_address(benchmark::State& state) {
  proxy_trust trust;
  trust.trusted_proxies.push_back(*model::parse_cidr("127.0.0.0/8"));
  const auto peer = *model::parse_ip_address("127.0.0.1");
  for (auto _ : state)
    benchmark::DoNotOptimize(client_address(peer, "81.2.69.142", {}, trust));
}
BENCHMARK(find_client_address)->Name("client_address/behind_proxy");

void write_response(benchmark::State& state) {
  response answer;
  answer.content_type = json_type;
  answer.body = std::string(2'700, 'x');
  std::string out;
  for (auto _ : state) {
    out.clear();
    write_head(out, answer,
               {"0123456789abcdef0123456789abcdef", "Fri, 20 Nov 2026 05:52:31 GMT", true, false});
    answer.append_body(out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(write_response)->Name("response/write");

class deadline final : public timer {
protected:
  void on_deadline() override {}
};

void move_deadline(benchmark::State& state) {
  const base::steady_time start{};
  timer_queue queue{start};
  deadline one;
  for (auto _ : state) {
    queue.arm(one, start + std::chrono::seconds{10});
    queue.arm(one, start + std::chrono::seconds{75});
  }
}
BENCHMARK(move_deadline)->Name("timer/move");

} // namespace
