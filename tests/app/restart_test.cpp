#include "actors/region_ranking.hpp"
#include "actors/supervisor.hpp"
#include "actors/validator.hpp"
#include "http/front.hpp"
#include "http/httplib_transport.hpp"
#include "http/listener.hpp"
#include "http/loop_transport.hpp"
#include "tests/actors/fixture.hpp"
#include "tests/catch.hpp"

#include <caf/all.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace matchcloud {
namespace {

using actors::owner;
using actors::place;
using snapshot = model::catalog_snapshot;

/// Waits for a condition that other threads bring about.
template <class Condition>
bool eventually(Condition&& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

/// The parts of a node under a real supervisor, on real threads; who occupies each place is known,
/// so that a test can kill it.
struct supervised {
  fixtures::manual_pool pool;
  http::shared_bounds bounds{base::limits{}};
  http::transport_metrics metrics;
  base::counter restarts;
  caf::actor_system_config config;
  caf::actor_system system{config.set("scheduler.policy", caf::atom("sharing"))};
  std::shared_ptr<const http::front_settings> settings =
      std::make_shared<const http::front_settings>();
  std::vector<place> places;
  std::mutex mutex;
  std::vector<caf::actor> occupants;
  caf::actor supervisor;
  std::uint16_t port = 0;

  void add(std::string name, place::kind what, owner role,
           std::function<caf::actor(const snapshot&)> make) {
    const auto index = occupants.size();
    occupants.emplace_back();
    places.push_back({std::move(name), what, role, place::every_loop,
                      [this, index, make = std::move(make)](const snapshot& now) {
                        auto made = make(now);
                        const std::lock_guard lock{mutex};
                        return occupants[index] = made;
                      }});
  }
  void start() {
    supervisor =
        system.spawn<actors::supervisor>(places, snapshot{fixtures::two_regions()},
                                         std::cref(base::machine_clock()), std::ref(restarts));
  }
  caf::actor occupant(std::size_t index) {
    const std::lock_guard lock{mutex};
    return occupants[index];
  }
  void stop() {
    caf::scoped_actor self{system};
    self->send(supervisor, actors::stop_all{});
    self->wait_for(supervisor);
    supervisor = nullptr;
    occupants.clear();
  }
};

struct on_a_loop : supervised {
  http::event_loop loop{system, base::machine_clock()};
  http::loop_transport transport{loop, base::machine_clock(), pool, bounds, metrics, 1, [] {}};
  std::thread thread;

  on_a_loop() {
    add("validator", place::kind::owner, owner::validator, [this](const snapshot& now) {
      return actors::spawn_resident<actors::validator>(system, loop, model::validation_rules{},
                                                       now);
    });
    add("region_ranking", place::kind::owner, owner::region_ranking, [this](const snapshot& now) {
      return actors::spawn_resident<actors::region_ranking>(system, loop,
                                                            actors::ranking_settings{}, now);
    });
    add("front", place::kind::front, owner::none, [this](const snapshot&) {
      return actors::spawn_resident<http::front>(system, loop, settings,
                                                 std::ref<http::exchange_sink>(transport));
    });
    auto listening = http::listen_on(http::parse_endpoint("127.0.0.1:0").value(), 1, 64).value();
    port = listening.where.port;
    transport.listen(std::move(listening.sockets[0]));
    thread = std::thread{[this] { loop.run(); }};
    start();
  }
  ~on_a_loop() {
    stop();
    loop.stop();
    thread.join();
  }
};

struct on_httplib : supervised {
  http::httplib_transport transport{base::machine_clock(), bounds, metrics, 1, [] {}};

  on_httplib() {
    add("validator", place::kind::owner, owner::validator, [this](const snapshot& now) {
      return system.spawn<actors::validator>(model::validation_rules{}, now);
    });
    add("region_ranking", place::kind::owner, owner::region_ranking, [this](const snapshot& now) {
      return system.spawn<actors::region_ranking>(actors::ranking_settings{}, now);
    });
    add("front", place::kind::front, owner::none, [this](const snapshot&) {
      return system.spawn<http::front>(settings, std::ref<http::exchange_sink>(transport));
    });
    port = transport.bind(http::parse_endpoint("127.0.0.1:0").value()).value().port;
    transport.start();
    start();
  }
  ~on_httplib() {
    transport.begin_drain();
    transport.end_now();
    stop();
  }
};

template <class Service>
void kill_everyone_under_load() {
  constexpr int clients = 4;
  constexpr int kills = 15; // five of each: more would only wait for the backoff
  Service service;
  std::atomic<bool> stopping{false};
  std::atomic<int> answered{0};
  std::atomic<int> wrong{0};
  std::vector<std::thread> load;
  for (int i = 0; i < clients; ++i)
    load.emplace_back([&, i] {
      httplib::Client client{"127.0.0.1", service.port};
      client.set_keep_alive(true);
      client.set_tcp_nodelay(true);
      client.set_read_timeout(30);
      while (!stopping) {
        const auto reply = i % 2 == 0 ? client.Get("/matchmaker/regions")
                                      : client.Post("/cloud/groups/validate",
                                                    R"({"display_name":"a"})", "application/json");
        ++answered;
        if (!reply || reply->status != 200) ++wrong;
      }
    });
  for (int i = 0; i < kills; ++i) {
    // Far enough apart that no request meets more deaths than it is tried.
    const auto seen = answered.load();
    CHECK(eventually([&] { return answered > seen + 2 * clients; }));
    const auto before = service.restarts.get();
    caf::anon_send_exit(service.occupant(static_cast<std::size_t>(i) % 3), caf::exit_reason::kill);
    CHECK(eventually([&] { return service.restarts.get() == before + 1; }));
  }
  const auto seen = answered.load();
  CHECK(eventually([&] { return answered > seen + 2 * clients; }));
  stopping = true;
  for (auto& thread : load)
    thread.join();
  INFO(service.metrics.redispatched.get() << " redispatched of " << answered);
  CHECK(wrong == 0);
  CHECK(eventually([&] { return service.metrics.in_flight == 0; }));
  CHECK(eventually([&] { return service.bounds.budget.used_bytes() == 0; }));
}

TEST_CASE("no request is lost while actors are killed under load, on event loops") {
  kill_everyone_under_load<on_a_loop>();
}

TEST_CASE("no request is lost while actors are killed under load, on httplib") {
  kill_everyone_under_load<on_httplib>();
}

} // namespace
} // namespace matchcloud
