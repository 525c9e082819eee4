// Letting a listing of regions in: without a token, and with one of many, each counted against the
// limits of its address and its token.
#include "http/front/access_gate.hpp"
#include "model/access/new_token.hpp"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::bench {
namespace {

/// A gate that knows so many players' tokens, and a request for each.
struct gated {
  std::unique_ptr<http::access_gate> gate;
  std::vector<http::request> heads;

  explicit gated(std::size_t tokens) {
    http::front_settings settings;
    settings.access.requires_tokens = true;
    settings.access.per_address.fill({1'000'000'000, 1});
    settings.access.per_token.fill({1'000'000'000, 1});
    gate =
        std::make_unique<http::access_gate>(std::make_shared<const http::front_settings>(settings),
                                            std::make_shared<base::rate_limit_table>(262'144));
    model::new_token wanted;
    wanted.kind = model::token_kind::player;
    std::vector<model::access_token> all;
    for (std::size_t i = 0; i < tokens; ++i) {
      auto made = model::make_token(wanted, "bench", 1);
      heads.push_back(asking("Bearer " + made.text));
      all.push_back(std::move(made.token));
    }
    if (tokens == 0) heads.push_back(asking({}));
    gate->set_tokens(std::make_shared<const model::token_list>(1, std::move(all)));
  }

  static http::request asking(const std::string& authorization) {
    http::request head;
    head.method = http::method::get;
    head.target = "/matchmaker/regions";
    head.peer = *model::parse_ip_address("81.2.69.142");
    if (!authorization.empty()) head.set(http::header::authorization, authorization);
    return head;
  }
};

void let_in(benchmark::State& state) {
  gated by{static_cast<std::size_t>(state.range(0))};
  std::size_t next = 0;
  for (auto _ : state) {
    auto& head = by.heads[next++ % by.heads.size()];
    http::caller_facts caller;
    benchmark::DoNotOptimize(by.gate->admit(head, caller).has_value());
  }
}
BENCHMARK(let_in)->Arg(0)->Arg(1)->Arg(100)->Arg(10'000);

} // namespace
} // namespace matchcloud::bench
