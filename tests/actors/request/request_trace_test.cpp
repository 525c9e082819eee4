#include "actors/request/request_trace.hpp"

#include "actors/request/traced_step.hpp"
#include "tests/catch.hpp"

#include <memory>
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
