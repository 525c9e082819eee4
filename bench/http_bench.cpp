#include "http/client_address.hpp"
#include "http/request_framer.hpp"
#include "http/response.hpp"
#include "http/routes.hpp"
#include "http/timer_wheel.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace matchcloud;
using namespace matchcloud::http;

constexpr std::string_view browser_get = "GET /matchmaker/regions HTTP/1.1\r\n"
                                         "Host: api.example\r\n"
                                         "User-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\n"
                                         "Accept: */*\r\n"
                                         "Accept-Encoding: gzip, deflate, br\r\n"
                                         "Accept-Language: en-GB,en;q=0.5\r\n"
                                         "Origin: https://play.example\r\n"
                                         "X-Forwarded-For: 81.2.69.142\r\n"
                                         "Connection: keep-alive\r\n\r\n";

void frame_request(benchmark::State& state) {
  const framer_limits limits;
  request_framer framer{limits};
  request into;
  for (auto _ : state) {
    benchmark::DoNotOptimize(framer.feed(browser_get, into));
    into.clear(16 * 1024);
  }
}
BENCHMARK(frame_request);

void match_route(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(
        find_route("/cloud/games/00000000-0000-4000-8000-000000000001/versions/validate", ""));
}
BENCHMARK(match_route);

void find_client_address(benchmark::State& state) {
  proxy_trust trust;
  trust.trusted_proxies.push_back(*model::parse_cidr("127.0.0.0/8"));
  const auto peer = *model::parse_ip_address("127.0.0.1");
  for (auto _ : state)
    benchmark::DoNotOptimize(client_address(peer, "81.2.69.142", {}, trust));
}
BENCHMARK(find_client_address);

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
BENCHMARK(write_response);

class deadline final : public timer {
protected:
  void on_deadline() override {}
};

void move_deadline(benchmark::State& state) {
  const base::steady_time start{};
  timer_wheel wheel{start};
  deadline one;
  for (auto _ : state) {
    wheel.arm(one, start + std::chrono::seconds{10});
    wheel.arm(one, start + std::chrono::seconds{75});
  }
}
BENCHMARK(move_deadline);

} // namespace
