#include "actors/request/request_trace.hpp"

#include "actors/request/ticket.hpp"
#include "actors/request/trace_log.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/injected_fault.hpp"
#include "tests/fixtures/json.hpp"

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace matchcloud::actors {
namespace {

using std::chrono::microseconds;

base::steady_time at(int us) {
  return base::steady_time{microseconds{us}};
}

TEST_CASE("steps are in the order of their begin, and bounded") {
  request_trace of;
  of.add("store", at(20), at(30));
  const auto first = of.begin("avatar", at(10));
  of.end(first, at(15));
  auto steps = of.steps();
  REQUIRE(steps.size() == 2);
  CHECK(std::string{steps[0].place} == "avatar");
  CHECK(steps[0].ended == at(15));
  CHECK(std::string{steps[1].place} == "store");
  for (std::size_t i = 0; i < 3 * request_trace::steps_limit; ++i)
    of.add("more", at(40), at(41), step_kind::fault);
  steps = of.steps();
  CHECK(steps.size() == request_trace::steps_limit);
  CHECK(steps.back().kind == step_kind::fault);
  of.renew();
  CHECK(of.steps().empty());
}

TEST_CASE("on a loop only sampled requests note their steps, elsewhere all do") {
  const auto of = std::make_shared<ticket>();
  std::thread{[&] {
    notes_only_sampled = true;
    { const traced_step step{of.get(), "front"}; }
    of->trace.sample();
    { const traced_step step{of.get(), "avatar"}; }
  }}.join();
  of->trace.renew();
  CHECK(of->trace.steps().empty());
  { const traced_step step{of.get(), "store"}; }
  { const traced_step step{nullptr, "store"}; }
  REQUIRE(of->trace.steps().size() == 1);
  CHECK(of->trace.steps()[0].ended >= of->trace.steps()[0].began);
  note_work(of, "file", {});
  CHECK(of->trace.steps().size() == 1); // it did not end
}

/// The steps as text, each as KIND PLACE.
std::string text_of(const request_trace& of) {
  std::string text;
  for (const auto& each : of.steps())
    text += std::string{trace_step_names[each.kind == step_kind::fault ? 2 : 0]} + " " +
            each.place + "; ";
  return text;
}

TEST_CASE("a fault in a blocking call is a trace step of its own") {
  const auto of = std::make_shared<ticket>();
  const auto other = std::make_shared<ticket>();
  constexpr std::chrono::milliseconds delay{5};
  auto read = work_time::begin();
  {
    const fixtures::injected_fault slow{base::fault_point::store_read, fixtures::delayed_by(delay)};
    const traced_step step{of.get(), "store"};
    static_cast<void>(base::faults::strike_blocking(base::fault_point::store_read));
    static_cast<void>(base::faults::strike_blocking(base::fault_point::store_commit));
  }
  const std::string expected = "work store; fault store.read; work store; ";
  CHECK(text_of(of->trace) == expected);
  const auto steps = of->trace.steps();
  CHECK(steps[1].ended - steps[1].began >= delay);
  CHECK(steps[0].ended == steps[1].began);
  CHECK(steps[2].began == steps[1].ended);
  // For requests that wait for the same work.
  base::faults::add_holds({{base::fault_point::store_read, read.began, read.began}});
  read.end();
  note_work(other, "store", read);
  CHECK(text_of(other->trace) == expected);
  of->trace.renew();
  { const traced_step step{of.get(), "store"}; }
  CHECK(text_of(of->trace) == "work store; ");
}

TEST_CASE("several threads note steps of one request") {
  request_trace of;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int step = 0; step < 3; ++step)
        of.add("store", at(step), at(step + 1));
    });
  for (auto& each : threads)
    each.join();
  CHECK(of.steps().size() == 12);
}

using namespace std::chrono_literals;
using e2e::parse_json;
using e2e::text_at;
using fixtures::id_of;
using fixtures::manual_clock;
using std::chrono::milliseconds;

struct trace_log_bench {
  manual_clock clock;
  trace_log log{0, 2, clock};
  ticket of;
  sent_mark sent;

  /// Answers a request after some time; whether it was kept.
  bool answer(microseconds took, int status = 200, std::size_t operation = 0,
              const std::string& id = "an id", const std::string& trace_parent = {}) {
    const auto began = clock.now();
    clock.advance(took);
    if (!log.wants(of, operation, status, took)) return false;
    sent = log.keep({&of, operation, operation == 0 ? "list_avatars" : "list_regions", status, id,
                     trace_parent, began, clock.now()});
    return true;
  }
  rapidjson::Document found(const trace_query& wanted = {}) const {
    return parse_json(log.report(wanted));
  }
};

TEST_CASE("the first of every N requests is sampled") {
  trace_sampler of_three{std::make_shared<const trace_log>(3, 1)};
  std::string sampled;
  for (int i = 0; i < 7; ++i)
    sampled += of_three.next() ? 'x' : '.';
  CHECK(sampled == "x..x..x");
  CHECK_FALSE(trace_sampler{std::make_shared<const trace_log>(0, 1)}.next());
  CHECK_FALSE(trace_sampler{nullptr}.next());
}

TEST_CASE("a trace tells waiting from work and from faults") {
  trace_log_bench on;
  const auto began = on.clock.now();
  const auto after = [&](int us) { return began + microseconds{us}; };
  on.of.trace.add("avatar.receive", after(0), after(300), step_kind::fault);
  on.of.trace.add("store", after(310), after(400));
  on.of.game = id_of(7);
  on.answer(420us, 200, 0, "an id", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  REQUIRE(on.sent);
  on.sent->store(after(900));
  const auto report = on.found();
  REQUIRE(report["traces"].Size() == 1);
  const auto& one = report["traces"][0];
  CHECK(text_at(one, "operation") == "list_avatars");
  CHECK(text_at(one, "request_id") == "an id");
  CHECK(text_at(one, "trace_id") == "0af7651916cd43dd8448eb211c80319c");
  CHECK(text_at(one, "game_id") == to_string(id_of(7)));
  CHECK(one["total_us"].GetInt() == 420);
  std::string steps;
  for (const auto& each : one["steps"].GetArray())
    steps += std::string{text_at(each, "kind")} + " " + std::string{text_at(each, "place")} + " " +
             std::to_string(each["at_us"].GetInt()) + "+" + std::to_string(each["us"].GetInt()) +
             "; ";
  CHECK(steps == "fault avatar.receive 0+300; wait store 300+10; work store 310+90; "
                 "wait front 400+20; work sending 420+480; ");
}

TEST_CASE("the slowest requests of each operation are kept for a time") {
  trace_log_bench on;
  for (int i = 0; i < 20; ++i)
    on.answer(milliseconds{i < 3 ? 500 + i : 10});
  CHECK_FALSE(on.answer(9ms));
  CHECK(on.answer(11ms));
  CHECK(on.answer(1us, 200, 1)); // of another operation
  trace_query slow;
  slow.slower_than = 500ms;
  CHECK(on.found(slow)["traces"].Size() == 3);
  on.clock.advance(trace_log::slow_kept + 1min);
  on.log.age();
  CHECK(on.found()["traces"].Size() == 0);
  CHECK(on.answer(1ms));
}

TEST_CASE("the last that failed are kept, and filters choose") {
  trace_log_bench on;
  for (int i = 0; i < 8; ++i)
    on.answer(100ms);
  for (std::size_t i = 0; i < trace_log::failed_limit + 2; ++i)
    CHECK(on.answer(1ms, 503, 0, "failed " + std::to_string(i)));
  trace_query wanted;
  wanted.status = 503;
  const auto failed = on.found(wanted);
  REQUIRE(failed["traces"].Size() == trace_log::failed_limit);
  CHECK(text_at(failed["traces"][0], "request_id") == "failed 9");
  wanted.operation = "list_regions";
  CHECK(on.found(wanted)["traces"].Size() == 0);
  trace_query of_game;
  of_game.game_id = id_of(3);
  CHECK(on.found(of_game)["traces"].Size() == 0);
  trace_query of_request;
  of_request.request_id = "failed 5";
  const auto one = on.found(of_request);
  REQUIRE(one["traces"].Size() == 1);
  CHECK(text_at(one["traces"][0], "request_id") == "failed 5");
  of_request.request_id = "failed 0"; // more have failed since
  CHECK(on.found(of_request)["traces"].Size() == 0);
}

TEST_CASE("sampled requests are kept, a bounded number, each once") {
  trace_log_bench on;
  on.of.trace.sample();
  for (std::size_t i = 0; i < trace_log::sampled_limit + 5; ++i)
    CHECK(on.answer(1ms, 500));
  CHECK(on.found()["traces"].Size() == trace_log::sampled_limit);
}

TEST_CASE("what is no trace id is left out") {
  trace_log_bench on;
  for (const auto* wrong : {"", "00", "00-0af7651916cd43dd8448eb211c80319c",
                            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", "junk"})
    on.answer(1ms, 500, 0, "id", wrong);
  const auto report = on.found();
  for (const auto& each : report["traces"].GetArray())
    CHECK(each["trace_id"].IsNull());
}

} // namespace
} // namespace matchcloud::actors
