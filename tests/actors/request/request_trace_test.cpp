#include "actors/request/request_trace.hpp"

#include "actors/request/ticket.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/injected_fault.hpp"

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

TEST_CASE("a fault that holds up a blocking call is a step of its own, cut out of the work") {
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

} // namespace
} // namespace matchcloud::actors
