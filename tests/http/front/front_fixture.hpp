#pragma once

#include "http/front/front.hpp"
#include "model/regions/region_listing.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::fixtures {

using actors::exchange_ref;
using base::owner;

/// A transport that only records what a front tells it.
class fake_sink final : public http::exchange_sink {
public:
  void attach(caf::actor front) override { attached.push_back(std::move(front)); }
  bool routed(exchange_ref exchange, http::operation which, owner waits_for) override {
    routes[exchange.exchange] = {which, waits_for};
    return waits_for == owner::none || !full;
  }
  std::optional<http::dispatch> take_waiting() override {
    if (waiting.empty()) return std::nullopt;
    auto next = std::move(waiting.front());
    waiting.pop_front();
    return next;
  }
  http::open_exchange find(exchange_ref exchange) const override {
    const auto found = requests.find(exchange.exchange);
    if (found == requests.end()) return {};
    const auto route = routes.find(exchange.exchange);
    return {found->second, route == routes.end() ? http::operation::unmatched : route->second.first,
            route == routes.end() ? owner::none : route->second.second};
  }
  void answer(exchange_ref exchange, http::response&& with) override {
    answers.emplace_back(exchange, std::move(with));
  }
  void grant(exchange_ref exchange, std::size_t bytes) override {
    granted.emplace_back(exchange, bytes);
  }
  void send_part(const actors::answer_part& part) override { parts.push_back(part); }
  void redispatch(owner which) override { redispatched.push_back(which); }

  std::vector<caf::actor> attached;
  /// Whether every owner's mailbox is full.
  bool full = false;
  std::map<std::uint64_t, http::request_ptr> requests;
  std::map<std::uint64_t, std::pair<http::operation, owner>> routes;
  std::vector<std::pair<exchange_ref, http::response>> answers;
  std::vector<std::pair<exchange_ref, std::size_t>> granted;
  std::vector<actors::answer_part> parts;
  std::vector<owner> redispatched;
  std::deque<http::dispatch> waiting;
};

inline bool says(const http::response& answer, std::string_view what) {
  return (std::string{answer.fixed_headers} + answer.headers).find(what) != std::string::npos;
}

inline bool has_code(const http::response& answer, std::string_view code) {
  return answer.body_bytes().find("\"code\":\"" + std::string{code} + "\"") != std::string::npos;
}

/// A bench of a front whose last answer is looked at. `Bench` has `answer()`.
template <class Bench>
struct answer_checks {
  bool says(std::string_view what) { return fixtures::says(last_answer(), what); }
  bool has_code(std::string_view code) { return fixtures::has_code(last_answer(), code); }
  int status() { return last_answer().status; }

private:
  const http::response& last_answer() { return static_cast<Bench*>(this)->answer(); }
};

/// A front between a transport and owners that only record what they receive.
struct front_bench : deterministic_system, answer_checks<front_bench> {
  fake_sink sink;
  std::shared_ptr<http::front_settings> settings = std::make_shared<http::front_settings>();
  std::shared_ptr<probe_log> validator_log = std::make_shared<probe_log>();
  std::shared_ptr<probe_log> large_log = std::make_shared<probe_log>();
  std::shared_ptr<probe_log> ranking_log = std::make_shared<probe_log>();
  std::shared_ptr<probe_log> avatar_log = std::make_shared<probe_log>();
  std::shared_ptr<probe_log> media_log = std::make_shared<probe_log>();
  std::shared_ptr<probe_log> export_log = std::make_shared<probe_log>();
  std::shared_ptr<probe_log> download_log = std::make_shared<probe_log>();
  std::shared_ptr<probe_log> latency_log = std::make_shared<probe_log>();
  actors::owners known{std::vector<caf::actor>(base::owner_count)};
  caf::actor front;
  std::uint64_t last = 0;

  void start(bool with_owners = true) {
    front = spawn<http::front>(std::shared_ptr<const http::front_settings>{settings},
                               std::ref<http::exchange_sink>(sink));
    run();
    if (with_owners) announce();
  }
  ~front_bench() {
    // The front points to `sink`, a member: end the front first.
    kill(front);
    sink.attached.clear();
  }
  caf::actor& at(owner which) { return known.by_role[index_of(which)]; }
  void announce() {
    at(owner::validator) = spawn<probe>(validator_log);
    at(owner::large_validator) = spawn<probe>(large_log);
    at(owner::region_ranking) = spawn<probe>(ranking_log);
    at(owner::avatar) = spawn<probe>(avatar_log);
    at(owner::media) = spawn<probe>(media_log);
    at(owner::lobby_export) = spawn<probe>(export_log);
    at(owner::export_download) = spawn<probe>(download_log);
    at(owner::latency_map) = spawn<probe>(latency_log);
    tell();
  }
  void tell() {
    caf::anon_send(front, known);
    run();
  }

  static std::shared_ptr<http::admitted_request> make(std::string method_token,
                                                      std::string target) {
    auto made = std::make_shared<http::admitted_request>();
    made->method = http::parse_method(method_token);
    made->method_token = std::move(method_token);
    made->target = std::move(target);
    made->peer = address_of(1);
    made->id = "id-1";
    return made;
  }
  exchange_ref send(std::shared_ptr<http::admitted_request> request) {
    const exchange_ref ref{++last, 1};
    sink.requests[last] = request;
    caf::anon_send(front, http::dispatch{ref, request});
    run();
    return ref;
  }
  /// Has a request wait until `take_waiting`.
  exchange_ref wait(std::string method_token, std::string target) {
    const exchange_ref ref{++last, 1};
    const auto request = make(std::move(method_token), std::move(target));
    sink.requests[last] = request;
    sink.waiting.push_back({ref, request});
    return ref;
  }
  void take_waiting() {
    caf::anon_send(front, http::requests_wait{});
    run();
  }
  exchange_ref send(std::string method_token, std::string target) {
    return send(make(std::move(method_token), std::move(target)));
  }
  const http::response& answer() {
    REQUIRE(!sink.answers.empty());
    CHECK(sink.answers.back().first == exchange_ref{last, 1});
    return sink.answers.back().second;
  }
  void reply_regions(exchange_ref to) {
    const std::vector<model::region> regions{{"lon", "London", "Cloud", {51.5, 0}}};
    const std::vector<model::listed_region> rows{{0, 0}};
    caf::anon_send(front,
                   actors::regions_ranked{
                       to, std::make_shared<const model::region_listing>(
                               std::make_shared<const model::region_fragments>(regions), rows)});
    run();
  }
};

} // namespace matchcloud::fixtures
