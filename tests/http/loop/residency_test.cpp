#include "actors/request/resident.hpp"
#include "http/loop/event_loop.hpp"

#include "base/clock.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/send.hpp>

#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

/// Residents run only on their loop's thread, all other actors never do: in init, handlers and
/// replies.
namespace matchcloud::http {
namespace {

/// Records which thread ran what.
class sightings {
public:
  void note(std::string what) {
    const std::lock_guard lock{mutex_};
    seen_.emplace_back(std::move(what), std::this_thread::get_id());
  }
  std::vector<std::thread::id> of(const std::string& what) const {
    const std::lock_guard lock{mutex_};
    std::vector<std::thread::id> threads;
    for (const auto& [seen, thread] : seen_)
      if (seen == what) threads.push_back(thread);
    return threads;
  }

private:
  mutable std::mutex mutex_;
  std::vector<std::pair<std::string, std::thread::id>> seen_;
};

/// An actor on the pool that answers.
class pool_actor final : public caf::event_based_actor {
public:
  pool_actor(caf::actor_config& cfg, sightings& seen, std::string name)
      : caf::event_based_actor{cfg}, seen_{&seen}, name_{std::move(name)} {}

protected:
  caf::behavior make_behavior() override {
    seen_->note(name_ + " init");
    return {[this](int n) {
      seen_->note(name_ + " handler");
      send(caf::actor_cast<caf::actor>(current_sender()), std::to_string(n));
    }};
  }

private:
  sightings* seen_;
  std::string name_;
};

struct ask {
  caf::actor whom;
  int times = 0;
};

} // namespace
} // namespace matchcloud::http

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(matchcloud::http::ask)

namespace matchcloud::http {
namespace {

/// Sends requests to other actors and records where their replies are handled.
class asking_resident final : public actors::resident {
public:
  asking_resident(caf::actor_config& cfg, sightings& seen, std::string name,
                  std::promise<void>& replies)
      : resident{cfg, fixtures::some_gate_points},
        seen_{&seen},
        name_{std::move(name)},
        replies_{&replies} {}

protected:
  caf::behavior make_behavior() override {
    seen_->note(name_ + " init");
    return {
        [this](const ask& job) {
          seen_->note(name_ + " handler");
          left_ = job.times;
          for (int i = 0; i < job.times; ++i)
            send(job.whom, i);
        },
        [this](int n) {
          seen_->note(name_ + " question");
          send(caf::actor_cast<caf::actor>(current_sender()), std::to_string(n));
        },
        [this](const std::string&) {
          seen_->note(name_ + " reply");
          if (--left_ == 0) replies_->set_value();
        },

    };
  }

private:
  sightings* seen_;
  std::string name_;
  std::promise<void>* replies_;
  int left_ = 0;
};

struct pool_config : caf::actor_system_config {
  pool_config() {
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", 2);
  }
};

/// Two loops on separate threads with one resident each, and a pool.
struct residency_bench {
  /// Declared before the system, which waits for its actors: a pool actor may start as late as
  /// that.
  sightings seen;
  pool_config config;
  caf::actor_system system{config};
  event_loop loop_a{system, base::machine_clock()};
  event_loop loop_b{system, base::machine_clock()};
  std::thread thread_a{[this] { loop_a.run(); }};
  std::thread thread_b{[this] { loop_b.run(); }};
  std::promise<void> replies_a;
  std::promise<void> replies_b;
  caf::actor a;
  caf::actor b;
  caf::actor on_pool;

  residency_bench() {
    a = actors::spawn_resident<asking_resident>(system, loop_a, seen, "a", replies_a);
    b = actors::spawn_resident<asking_resident>(system, loop_b, seen, "b", replies_b);
    on_pool = system.spawn<pool_actor>(seen, "pool");
  }

  /// Ends the residents while their loops still run, as the program does.
  ~residency_bench() {
    for (auto* one : {&a, &b}) {
      std::promise<void> ended;
      (*one)->attach_functor([&ended] { ended.set_value(); });
      caf::anon_send_exit(*one, caf::exit_reason::user_shutdown);
      ended.get_future().wait();
      *one = nullptr;
    }
    caf::anon_send_exit(on_pool, caf::exit_reason::user_shutdown);
    on_pool = nullptr;
    loop_a.stop();
    loop_b.stop();
    thread_a.join();
    thread_b.join();
  }

  void check_only_on(const std::string& what, std::thread::id where, std::size_t times) const {
    CAPTURE(what);
    const auto threads = seen.of(what);
    CHECK(threads.size() == times);
    for (const auto& thread : threads)
      CHECK(thread == where);
  }
  void check_on_pool(const std::string& what, std::size_t times) const {
    CAPTURE(what);
    const auto threads = seen.of(what);
    CHECK(threads.size() == times);
    for (const auto& thread : threads) {
      CHECK(thread != thread_a.get_id());
      CHECK(thread != thread_b.get_id());
      CHECK(thread != std::this_thread::get_id());
    }
  }
};

constexpr int times = 200;

TEST_CASE("a resident runs on its loop, asked by another thread and answered by the pool") {
  residency_bench on;
  caf::anon_send(on.a, ask{on.on_pool, times});
  on.replies_a.get_future().wait();
  on.check_only_on("a init", on.thread_a.get_id(), 1);
  on.check_only_on("a handler", on.thread_a.get_id(), 1);
  on.check_only_on("a reply", on.thread_a.get_id(), times);
  on.check_on_pool("pool init", 1);
  on.check_on_pool("pool handler", times);
}

TEST_CASE("residents of two loops that talk to each other stay at home") {
  residency_bench on;
  caf::anon_send(on.a, ask{on.b, times});
  on.replies_a.get_future().wait();
  on.check_only_on("a init", on.thread_a.get_id(), 1);
  on.check_only_on("a reply", on.thread_a.get_id(), times);
  on.check_only_on("b init", on.thread_b.get_id(), 1);
  on.check_only_on("b question", on.thread_b.get_id(), times);
}

} // namespace
} // namespace matchcloud::http
