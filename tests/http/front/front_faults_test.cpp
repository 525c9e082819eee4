#include "base/faults.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/injected_fault.hpp"
#include "tests/http/front/front_fixture.hpp"

namespace matchcloud::http {
namespace {

using namespace fixtures;
using namespace std::chrono_literals;
using base::fault_kind;
using base::fault_point;

/// A front into which faults are injected, and a listing request.
struct faulty : front_bench {
  bool dead = false;

  faulty() {
    base::faults::seed(1);
    start();
    front->attach_functor([this](const caf::error&) { dead = true; });
  }
  ~faulty() { base::faults::clear_all(); }

  /// Sends the request, and has the owner answer if the request reached it.
  std::shared_ptr<admitted_request> ask(std::string_view named = {}) {
    auto request = make("GET", "/matchmaker/regions");
    if (!named.empty()) request->set(header::x_fault, named);
    const auto before = ranking_log->rankings.size();
    const auto ref = send(request);
    if (ranking_log->rankings.size() > before) reply_regions(ref);
    return request;
  }
};

const auto both = {fault_point::front_dispatch, fault_point::front_reply};

TEST_CASE("crashes and drops at a front leave the request unanswered") {
  for (const auto at : both)
    for (const auto kind : {fault_kind::crash, fault_kind::drop}) {
      CAPTURE(facts_of(at).name, name_of(kind));
      faulty on;
      inject(at, kind);
      const auto request = on.ask();
      CHECK(on.dead == (kind == fault_kind::crash));
      CHECK(on.sink.answers.empty());
      CHECK(on.ranking_log->rankings.size() == (at == fault_point::front_dispatch ? 0 : 1));
      CHECK(request->claimed_by == (on.dead ? actors::handler::front
                                    : at == fault_point::front_dispatch
                                        ? actors::handler::nobody
                                        : actors::handler::past_owner));
    }
}

TEST_CASE("an error fault at a front is a 503 that any page may read") {
  for (const auto at : both) {
    faulty on;
    inject(at, fault_kind::error);
    on.ask();
    CHECK(on.status() == 503);
    CHECK(on.has_code("unavailable"));
    CHECK(on.sink.answers.size() == 1);
  }
}

TEST_CASE("delays and stalls before a front have the message handled once, later") {
  for (const auto at : both) {
    for (const auto kind : {fault_kind::delay, fault_kind::stall}) {
      CAPTURE(facts_of(at).name, name_of(kind));
      faulty on;
      inject(at, kind, 30ms);
      auto request = on.make("GET", "/matchmaker/regions");
      const auto ref = on.send(request);
      if (at == fault_point::front_reply) on.reply_regions(ref);
      on.advance(29ms);
      CHECK(on.sink.answers.empty());
      CHECK(on.ranking_log->rankings.size() == (at == fault_point::front_dispatch ? 0 : 1));
      if (kind == fault_kind::stall) {
        on.advance(1'000ms);
        CHECK(on.sink.answers.empty());
        base::faults::clear(at);
      }
      on.advance(10ms);
      CHECK(on.ranking_log->rankings.size() == 1);
      if (at == fault_point::front_dispatch) on.reply_regions(ref);
      CHECK(on.status() == 200);
      on.advance(1'000ms);
      CHECK(on.sink.answers.size() == 1);
    }
  }
}

TEST_CASE("X-Fault chooses the points of its own request and of no other") {
  faulty on;
  inject(fault_point::front_dispatch, fault_kind::error, 0ms, true);
  on.ask();
  CHECK(on.status() == 200);
  on.ask("avatar.receive, front.reply");
  CHECK(on.status() == 200);
  on.ask(" front.reply ,\tfront.dispatch");
  CHECK(on.status() == 503);
  on.ask("front.dispatch.");
  CHECK(on.status() == 200);
}

TEST_CASE("the owner learns what X-Fault names") {
  faulty on;
  // While no fault is injected anywhere, the header is not forwarded.
  on.ask("region_ranking.receive");
  REQUIRE(on.ranking_log->rankings.size() == 1);
  CHECK(on.ranking_log->rankings[0].ticket->named_faults == 0U);
  inject(fault_point::validator_receive, fault_kind::drop);
  on.ask("region_ranking.receive");
  REQUIRE(on.ranking_log->rankings.size() == 2);
  const auto& ticket = on.ranking_log->rankings[1].ticket;
  REQUIRE(ticket);
  CHECK(ticket->named_faults == bit_of(fault_point::region_ranking_receive));
}

TEST_CASE("fault rules choose requests by client address or connection") {
  for (const auto at : {fault_point::front_dispatch, fault_point::front_reply}) {
    faulty on;
    auto rule = rule_of(fault_kind::error);
    rule.client = base::fault_network{model::parse_ip_address("192.0.2.0")->bytes, 120};
    injected_fault some{at, rule};
    const auto ask_from = [&](std::string_view client) {
      auto request = on.make("GET", "/matchmaker/regions");
      request->peer = *model::parse_ip_address(client);
      const auto before = on.ranking_log->rankings.size();
      const auto ref = on.send(request);
      if (on.ranking_log->rankings.size() > before) on.reply_regions(ref);
      return request;
    };
    CHECK(ask_from("198.51.100.7")->met_faults == 0U);
    CHECK(on.status() == 200);
    CHECK(ask_from("192.0.2.7")->met_faults == bit_of(at));
    CHECK(on.status() == 503);
    CHECK(some.hits() == 1);
  }
  faulty on;
  auto rule = rule_of(fault_kind::drop);
  rule.connections = 0.5;
  injected_fault some{fault_point::region_ranking_receive, rule};
  std::size_t chosen = 0;
  for (std::uint64_t number = 0; number < 100; ++number) {
    auto request = on.make("GET", "/matchmaker/regions");
    request->connection = number;
    on.send(request);
    if (request->named_faults == bit_of(fault_point::region_ranking_receive)) ++chosen;
  }
  CHECK(chosen > 30);
  CHECK(chosen < 70);
}

} // namespace
} // namespace matchcloud::http
