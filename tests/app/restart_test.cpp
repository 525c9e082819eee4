#include "actors/avatar.hpp"
#include "actors/catalog.hpp"
#include "actors/media.hpp"
#include "actors/region_ranking.hpp"
#include "actors/supervisor.hpp"
#include "actors/validator.hpp"
#include "http/front.hpp"
#include "http/httplib_transport.hpp"
#include "http/listener.hpp"
#include "http/loop_transport.hpp"
#include "tests/actors/fixture.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/shared_file.hpp"

#include <caf/all.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
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

/// A game's avatars and their image, as a store and a data directory have them.
struct stored_avatars {
  fixtures::temporary_directory folder;
  std::shared_ptr<fixtures::fake_database> database = std::make_shared<fixtures::fake_database>();
  store::image_key image{fixtures::id_of(7), {}};
  std::string image_bytes = fixtures::numbered_bytes(300'000);
  std::shared_ptr<store::media_files> files =
      std::make_shared<store::media_files>(folder.path(), 64);

  stored_avatars() {
    database->content = *fixtures::two_regions();
    model::avatar only;
    only.game_id = fixtures::id_of(1);
    only.upload_id = fixtures::id_of(7);
    database->avatars = {only};
    const std::filesystem::path path = store::media_path(folder.path(), image);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream{path} << image_bytes;
  }

  std::unique_ptr<store::store> open() const {
    return std::make_unique<fixtures::fake_store>(database);
  }
};

/// The parts of a node under a real supervisor, on real threads; who occupies each place is known,
/// so that a test can kill it.
struct supervised {
  stored_avatars stored;
  http::shared_bounds bounds{base::limits{}};
  http::transport_metrics metrics;
  base::counter restarts;
  actors::avatar_metrics avatar_metrics;
  /// One thread: the database is no real one.
  std::unique_ptr<base::thread_pool> pool = std::make_unique<base::thread_pool>(1, 0);
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
  void add_catalog() {
    actors::catalog_settings to_store;
    to_store.pool = pool.get();
    to_store.open_store = [this] { return stored.open(); };
    to_store.poll_interval = std::chrono::milliseconds{1};
    add("catalog", place::kind::catalog, owner::none, [this, to_store](const snapshot& now) {
      return system.spawn<actors::catalog>(to_store, now);
    });
  }
  void add_avatars() {
    actors::avatar_settings to_lists;
    to_lists.pool = pool.get();
    to_lists.open_store = [this] { return stored.open(); };
    to_lists.budget = &bounds.budget;
    to_lists.metrics = &avatar_metrics;
    to_lists.cache_limit_bytes = 0; // each request is to need the pool
    add("avatar", place::kind::owner, actors::avatar_shard_of(fixtures::id_of(1)),
        [this, to_lists](const snapshot& now) {
          return system.spawn<actors::avatar>(to_lists, now);
        });
  }
  actors::media_settings to_images() {
    actors::media_settings made;
    made.files = stored.files;
    made.pool = pool.get();
    made.open_files = 0; // likewise
    return made;
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
  http::loop_transport transport{loop, base::machine_clock(), *pool, bounds, metrics, 1, [] {}};
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
    add("media", place::kind::owner, owner::media, [this](const snapshot&) {
      return actors::spawn_resident<actors::media>(system, loop, to_images());
    });
    add_avatars();
    add_catalog();
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
    pool.reset();
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
    add("media", place::kind::owner, owner::media,
        [this](const snapshot&) { return system.spawn<actors::media>(to_images()); });
    add_avatars();
    add_catalog();
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

/// Asks one thing of a service again and again; each client something else.
httplib::Result ask(httplib::Client& client, int which) {
  switch (which) {
  case 0: return client.Get("/matchmaker/regions");
  case 1:
    return client.Post("/cloud/groups/validate", R"({"display_name":"a"})", "application/json");
  case 2: return client.Get("/cloud/games/00000000-0000-0000-0000-000000000001/avatars");
  default:
    return client.Get("/media/avatars/00000000-0000-0000-0000-000000000007/"
                      "00000000000000000000000000000000.png");
  }
}

template <class Service>
void kill_everyone_under_load() {
  constexpr int clients = 4;
  Service service;
  const auto places = service.occupants.size();
  const auto kills = 5 * places; // more would only wait for the backoff
  std::atomic<bool> stopping{false};
  std::array<std::atomic<int>, clients> answered{};
  std::atomic<int> wrong{0};
  std::vector<std::thread> load;
  for (int i = 0; i < clients; ++i)
    load.emplace_back([&, i] {
      httplib::Client client{"127.0.0.1", service.port};
      client.set_keep_alive(true);
      client.set_tcp_nodelay(true);
      client.set_read_timeout(30);
      while (!stopping) {
        const auto reply = ask(client, i);
        ++answered[static_cast<std::size_t>(i)];
        if (!reply || reply->status != 200) ++wrong;
        if (reply && i == 3 && reply->body != service.stored.image_bytes) ++wrong;
      }
    });
  // So far apart that no request meets more deaths than it is tried.
  const auto everybody_got_answers = [&] {
    for (const auto& count : answered) {
      const auto seen = count.load();
      if (!eventually([&] { return count > seen + 2; })) return false;
    }
    return true;
  };
  for (std::size_t i = 0; i < kills; ++i) {
    CHECK(everybody_got_answers());
    const auto before = service.restarts.get();
    caf::anon_send_exit(service.occupant(i % places), caf::exit_reason::kill);
    CHECK(eventually([&] { return service.restarts.get() == before + 1; }));
  }
  CHECK(everybody_got_answers());
  stopping = true;
  for (auto& thread : load)
    thread.join();
  INFO(service.metrics.redispatched.get() << " redispatched");
  CHECK(wrong == 0);
  CHECK(eventually([&] { return service.metrics.in_flight == 0; }));
  CHECK(eventually([&] { return service.bounds.budget.used_bytes() == 0; }));
  // Nobody who died keeps an image open: as many names as before are free.
  CHECK(eventually(
      [&] { return service.stored.files->open(service.stored.image)->use_count() == 1; }));
}

TEST_CASE("no request is lost while actors are killed under load, on event loops") {
  kill_everyone_under_load<on_a_loop>();
}

TEST_CASE("no request is lost while actors are killed under load, on httplib") {
  kill_everyone_under_load<on_httplib>();
}

} // namespace
} // namespace matchcloud
