#include "actors/request/supervised_actor.hpp"

#include "actors/validator/validator.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/injected_fault.hpp"

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using namespace std::chrono_literals;
using base::fault_kind;
using base::fault_point;

/// A validator and the front that sends to it. Removes injected faults when destroyed.
struct supervised_actor_bench : deterministic_system {
  std::shared_ptr<probe_log> log = std::make_shared<probe_log>();
  caf::actor front = spawn<probe>(log);
  caf::actor validator = spawn<actors::validator>(model::validation_rules{},
                                                  model::catalog_snapshot{two_regions()}, SIZE_MAX);
  std::shared_ptr<const actor_statistics> seen =
      dynamic_cast<const supervised_actor*>(caf::actor_cast<caf::abstract_actor*>(validator))
          ->statistics();
  bool dead = false;
  std::uint64_t last = 0;

  supervised_actor_bench() {
    base::faults::seed(1);
    validator->attach_functor([this](const caf::error&) { dead = true; });
  }
  ~supervised_actor_bench() { base::faults::clear_all(); }
  std::shared_ptr<ticket> ask(base::fault_point_set named = 0) {
    auto request = std::make_shared<ticket>();
    request->named_faults = named;
    ask_again(request);
    return request;
  }
  void ask_again(const std::shared_ptr<ticket>& with) {
    send_as(front, validator,
            validate_payload{{++last, 1},
                             model::payload_kind::game,
                             {},
                             std::make_shared<const std::string>("{}"),
                             with});
  }
  std::size_t answers() const { return log->made.size() + log->failed.size(); }
};

const auto both = {fault_point::validator_receive, fault_point::validator_reply};

TEST_CASE("a request is in hand while it is handled, and counted afterwards") {
  supervised_actor_bench on;
  const auto request = on.ask();
  CHECK(on.answers() == 1);
  CHECK(request->claimed_by == handler::past_owner);
  CHECK(on.seen->handled() == 1);
  CHECK(on.seen->last_error().empty());
}

TEST_CASE("a request that is over is not begun") {
  supervised_actor_bench on;
  const auto request = std::make_shared<ticket>();
  request->over = true;
  on.ask_again(request);
  inject(fault_point::validator_receive, fault_kind::stall);
  const auto held = on.ask();
  held->over = true;
  base::faults::clear(fault_point::validator_receive);
  on.advance(10ms);
  CHECK(on.answers() == 0);
  CHECK(request->claimed_by == handler::nobody);
  CHECK(request.use_count() == 1);
  CHECK(held.use_count() == 1);
}

TEST_CASE("a crash ends the actor with the request in hand, and says where") {
  for (const auto at : both) {
    CAPTURE(facts_of(at).name);
    supervised_actor_bench on;
    inject(at, fault_kind::crash);
    const auto request = on.ask();
    CHECK(on.dead);
    CHECK(on.answers() == 0);
    CHECK(request->claimed_by == handler::owner);
    CHECK(on.seen->handled() == 0);
    CHECK(on.seen->last_error() == "fault injection at " + std::string{facts_of(at).name});
  }
}

TEST_CASE("a dropped message is answered by nobody, and the actor lives on") {
  for (const auto at : both) {
    supervised_actor_bench on;
    inject(at, fault_kind::drop);
    const auto request = on.ask();
    CHECK(on.answers() == 0);
    CHECK_FALSE(on.dead);
    CHECK(request->claimed_by == handler::past_owner);
    CHECK(request.use_count() == 1);
    base::faults::clear(at);
    on.ask();
    CHECK(on.answers() == 1);
  }
}

TEST_CASE("an error is answered as unavailable") {
  for (const auto at : both) {
    supervised_actor_bench on;
    inject(at, fault_kind::error);
    on.ask();
    REQUIRE(on.log->failed.size() == 1);
    CHECK(on.log->failed[0].error.code == base::errc::unavailable);
    CHECK(on.log->failed[0].exchange == exchange_ref{1, 1});
    CHECK(on.log->made.empty());
  }
}

TEST_CASE("a delayed message comes once, and holds up no other") {
  for (const auto at : both) {
    CAPTURE(facts_of(at).name);
    supervised_actor_bench on;
    inject(at, fault_kind::delay, 20ms, true);
    on.ask(bit_of(at));
    on.ask();
    REQUIRE(on.log->made.size() == 1);
    CHECK(on.log->made[0].exchange == exchange_ref{2, 1});
    on.advance(19ms);
    CHECK(on.answers() == 1);
    on.advance(1ms);
    REQUIRE(on.log->made.size() == 2);
    CHECK(on.log->made[1].exchange == exchange_ref{1, 1});
    on.advance(100ms);
    CHECK(on.answers() == 2);
    CHECK(base::faults::status(at).hits == 1);
  }
}

TEST_CASE("a stalled message comes when the fault is taken away") {
  for (const auto at : both) {
    CAPTURE(facts_of(at).name);
    supervised_actor_bench on;
    inject(at, fault_kind::stall);
    const auto request = on.ask();
    on.advance(10'000ms);
    CHECK(on.answers() == 0);
    CHECK(request->claimed_by == handler::past_owner);
    base::faults::clear(at);
    on.advance(10ms);
    CHECK(on.log->made.size() == 1);
    on.advance(10ms);
    CHECK(on.answers() == 1);
  }
}

TEST_CASE("a delayed message comes when the fault is taken away or replaced, too") {
  for (const auto at : both) {
    CAPTURE(facts_of(at).name);
    supervised_actor_bench on;
    inject(at, fault_kind::delay, 60'000ms);
    on.ask();
    on.advance(10'000ms);
    CHECK(on.answers() == 0);
    base::faults::clear(at);
    on.advance(50ms);
    CHECK(on.log->made.size() == 1);
    inject(at, fault_kind::delay, 60'000ms);
    on.ask();
    inject(at, fault_kind::error, 0ms, true);
    on.advance(50ms);
    CHECK(on.log->made.size() == 2);
    on.advance(60'000ms);
    CHECK(on.answers() == 2);
  }
}

/// Forwards the numbers that it receives as news.
class teller final : public supervised_actor {
public:
  teller(caf::actor_config& cfg, caf::actor to)
      : supervised_actor{cfg, some_gate_points}, to_{std::move(to)} {}

protected:
  caf::behavior make_behavior() override {
    be_strict();
    return {[this](std::int64_t revision) {
              auto snapshot = two_regions();
              snapshot->revision = revision;
              publish(to_, catalog_changed{snapshot});
            },
            [this](const catalog_changed& news) { publish(to_, news); }};
  }
  void on_exit() override { to_ = nullptr; }

private:
  caf::actor to_;
};

TEST_CASE("late news are not overtaken by later ones") {
  supervised_actor_bench on;
  const auto source = on.spawn<teller>(on.front);
  const auto tell = [&](std::int64_t revision) {
    caf::anon_send(source, revision);
    on.run();
  };
  const auto heard = [&] {
    std::vector<std::int64_t> revisions;
    for (const auto& each : on.log->catalogs)
      revisions.push_back(each.snapshot->revision);
    return revisions;
  };
  tell(1);
  inject(fault_point::validator_reply, fault_kind::delay, 20ms);
  tell(2);
  base::faults::clear_all();
  tell(3);
  inject(fault_point::validator_reply, fault_kind::delay, 5ms);
  tell(4);
  base::faults::clear_all();
  CHECK(heard() == std::vector<std::int64_t>{1});
  on.advance(20ms);
  CHECK(heard() == std::vector<std::int64_t>{1, 2, 3, 4});
  tell(5);
  CHECK(heard().back() == 5);
}

TEST_CASE("late news come when the fault is taken away, in their order") {
  supervised_actor_bench on;
  const auto source = on.spawn<teller>(on.front);
  const auto tell = [&](std::int64_t revision) {
    caf::anon_send(source, revision);
    on.run();
  };
  inject(fault_point::validator_reply, fault_kind::delay, 3'600'000ms);
  tell(1);
  tell(2);
  on.advance(1'000ms);
  CHECK(on.log->catalogs.empty());
  // What replaces it says how long they may wait.
  inject(fault_point::validator_reply, fault_kind::delay, 20ms);
  on.advance(50ms);
  REQUIRE(on.log->catalogs.size() == 2);
  CHECK(on.log->catalogs[1].snapshot->revision == 2);
  inject(fault_point::validator_reply, fault_kind::delay, 3'600'000ms);
  tell(3);
  base::faults::clear_all();
  tell(4);
  on.advance(50ms);
  REQUIRE(on.log->catalogs.size() == 4);
  CHECK(on.log->catalogs[2].snapshot->revision == 3);
  CHECK(on.log->catalogs[3].snapshot->revision == 4);
}

TEST_CASE("the delays of many news do not add up") {
  supervised_actor_bench on;
  const auto source = on.spawn<teller>(on.front);
  inject(fault_point::validator_reply, fault_kind::delay, 20ms);
  for (std::int64_t revision = 1; revision <= 50; ++revision) {
    caf::anon_send(source, revision);
    on.run();
    on.advance(1ms);
  }
  CHECK(on.log->catalogs.size() == 31);
  on.advance(19ms);
  CHECK(on.log->catalogs.size() == 50);
  CHECK(on.log->catalogs.back().snapshot->revision == 50);
}

TEST_CASE("what an ended actor held back is gone with it") {
  supervised_actor_bench on;
  inject(fault_point::validator_receive, fault_kind::stall);
  const auto request = on.ask();
  on.kill(on.validator);
  base::faults::clear_all();
  on.advance(100ms);
  CHECK(on.answers() == 0);
  CHECK(request.use_count() == 1);
}

TEST_CASE("an ended actor's delayed news are freed") {
  supervised_actor_bench on;
  const auto source = on.spawn<teller>(on.front);
  inject(fault_point::validator_reply, fault_kind::delay, 20ms);
  model::catalog_snapshot snapshot = two_regions();
  const std::weak_ptr<const model::catalog> kept = snapshot;
  caf::anon_send(source, catalog_changed{std::move(snapshot)});
  on.run();
  CHECK_FALSE(kept.expired());
  on.kill(source);
  CHECK(kept.expired());
}

TEST_CASE("an attempt passes a point once; the next one passes it again") {
  supervised_actor_bench on;
  inject(fault_point::validator_receive, fault_kind::delay, 5ms);
  const auto request = on.ask();
  on.advance(5ms);
  CHECK(on.answers() == 1);
  request->passed_faults = 0; // as a transport does for each attempt
  on.ask_again(request);
  CHECK(on.answers() == 1);
  on.advance(5ms);
  CHECK(on.answers() == 2);
  CHECK(base::faults::status(fault_point::validator_receive).hits == 2);
}

} // namespace
} // namespace matchcloud::actors
