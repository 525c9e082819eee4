// The cost of a question from one actor to another and of the answer, which every request pays to
// reach its owner.
#include "actors/request/resident.hpp"
#include "http/loop/event_loop.hpp"

#include <benchmark/benchmark.h>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/send.hpp>

#include <cstdint>

namespace matchcloud::bench {
namespace {

struct question {
  std::uint64_t number = 0;
};

struct answer {
  std::uint64_t number = 0;
};

struct ask {
  caf::actor whom;
  std::uint64_t times = 0;
};

} // namespace
} // namespace matchcloud::bench

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(matchcloud::bench::question)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(matchcloud::bench::answer)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(matchcloud::bench::ask)

namespace matchcloud::bench {
namespace {

constexpr actors::supervised_actor::gate_points some_gate_points{
    base::fault_point::validator_receive, base::fault_point::validator_reply};

/// Asks the questions, as a resident of the loop.
class request final : public actors::resident {
public:
  request(caf::actor_config& cfg, std::uint64_t& answered)
      : resident{cfg, some_gate_points}, answered_{&answered} {}

protected:
  caf::behavior make_behavior() override {
    be_strict();
    return {
        [this](const ask& job) {
          whom_ = job.whom;
          left_ = job.times;
          send(whom_, question{left_});
        },
        [this](const answer& got) {
          benchmark::DoNotOptimize(got.number);
          ++*answered_;
          if (--left_ > 0)
            send(whom_, question{left_});
          else
            whom_ = nullptr;
        },
    };
  }

private:
  caf::actor whom_;
  std::uint64_t left_ = 0;
  std::uint64_t* answered_;
};

caf::behavior answers(caf::event_based_actor* self) {
  return {[self](const question& got) {
    self->send(caf::actor_cast<caf::actor>(self->current_sender()), answer{got.number});
  }};
}

class answering_resident final : public actors::resident {
public:
  explicit answering_resident(caf::actor_config& cfg) : resident{cfg, some_gate_points} {}

protected:
  caf::behavior make_behavior() override {
    be_strict();
    return answers(this);
  }
};

class answering_on_pool final : public caf::event_based_actor {
public:
  using event_based_actor::event_based_actor;

protected:
  caf::behavior make_behavior() override { return answers(this); }
};

/// The scheduler as the program configures it (app/node/node.cpp), with two threads.
struct sharing_config : caf::actor_system_config {
  sharing_config() {
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", 2);
    set("scheduler.max-throughput", 64);
  }
};

/// A loop that the benchmark's thread runs, and the resident actor that asks on it.
struct asking_loop {
  sharing_config config;
  caf::actor_system system{config};
  http::event_loop loop{system, base::machine_clock()};
  std::uint64_t answered = 0;
  caf::actor who = actors::spawn_resident<request>(system, loop, std::ref(answered));

  ~asking_loop() { end(who); }

  /// Ends a resident actor and turns the loop until then, since no other thread runs its last
  /// message.
  void end(caf::actor& one) {
    bool ended = false;
    one->attach_functor([&ended] { ended = true; });
    caf::anon_send_exit(one, caf::exit_reason::user_shutdown);
    one = nullptr;
    while (!ended)
      loop.run_once();
  }

  /// Measures round trips to `whom`, one after the other.
  void measure(benchmark::State& state, const caf::actor& whom) {
    constexpr std::uint64_t batch = 256;
    while (state.KeepRunningBatch(batch)) {
      const auto until = answered + batch;
      caf::anon_send(who, ask{whom, batch});
      while (answered < until)
        loop.run_once();
    }
  }
};

void to_a_resident(benchmark::State& state) {
  asking_loop bench;
  auto whom = actors::spawn_resident<answering_resident>(bench.system, bench.loop);
  bench.measure(state, whom);
  bench.end(whom);
}
BENCHMARK(to_a_resident)->Name("round_trip/on_one_loop");

void to_the_pool(benchmark::State& state) {
  asking_loop bench;
  const auto whom = bench.system.spawn<answering_on_pool>();
  bench.measure(state, whom);
  caf::anon_send_exit(whom, caf::exit_reason::user_shutdown);
}
BENCHMARK(to_the_pool)->Name("round_trip/loop_to_pool")->UseRealTime();

} // namespace
} // namespace matchcloud::bench
