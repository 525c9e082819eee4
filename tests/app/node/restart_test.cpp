#include "actors/avatar/avatar_lists.hpp"
#include "actors/geoip_watch/geoip_watch.hpp"
#include "actors/lobby_export/lobby_export.hpp"
#include "actors/supervision/messages.hpp"
#include "actors/supervision/supervisor.hpp"
#include "app/node/child_specs.hpp"
#include "base/randomness.hpp"
#include "http/front/access_gate.hpp"
#include "http/transport/httplib_transport.hpp"
#include "http/transport/listener.hpp"
#include "http/transport/loop_transport.hpp"
#include "store/files/file_objects.hpp"
#include "store/media/images.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/fixtures/inflated.hpp"
#include "tests/fixtures/replaced_file.hpp"
#include "tests/fixtures/shared_file.hpp"
#include "tests/store/exports/file_exports.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

namespace matchcloud {
namespace {

using actors::child_spec;
using actors::initial_state;
using base::owner;
using e2e::eventually;

/// The timeout for everything that must happen: exports are synced, and disks are shared.
constexpr std::chrono::seconds patience{120};

/// A game's avatars and their image, in a store and a data directory.
struct stored_avatars {
  fixtures::temporary_directory folder;
  std::shared_ptr<fixtures::fake_database> database = std::make_shared<fixtures::fake_database>();
  store::image_key image{fixtures::id_of(7), {}};
  std::string image_bytes = fixtures::numbered_bytes(300'000);
  base::byte_budget no_budget{0};
  std::shared_ptr<store::stored_images> files = std::make_shared<store::stored_images>(
      *store::file_objects::open(folder.path()), store::objects_delivery::redirect, no_budget, 64);

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

  std::shared_ptr<store::database> open() const {
    return std::make_shared<store::database>(
        [behind = database] { return std::make_unique<fixtures::fake_session>(behind); },
        store::session_limits{});
  }
};

/// A game's lobbies and what their export needs. Outlives the threads that write exports.
struct stored_history {
  std::string kind = "namespace,prod,fra,Frankfurt,basic,version,1.0,duel";
  std::shared_ptr<store::export_objects> files;
  std::shared_ptr<store::secret_ring> keys;
  actors::export_metrics metrics;

  explicit stored_history(stored_avatars& beside)
      : files{*fixtures::open_exports(beside.folder.path(),
                                      *store::open_sqlite(beside.folder.path()))},
        keys{fixtures::open_signing_keys(beside.folder.path())} {
    for (std::uint8_t i = 0; i < 50; ++i) // enough to be worth compressing
      beside.database->lobbies.push_back({fixtures::id_of(i), {120, 130}, &kind});
  }

  model::uuid new_id() const {
    std::array<std::uint8_t, 16> random{};
    base::fill_random(random);
    return model::random_uuid(random);
  }
};

/// The parts of a node under a real supervisor on real threads. The current actor of each child is
/// known, so that a test can kill it.
struct supervised {
  stored_avatars stored;
  stored_history history{stored};
  http::shared_bounds bounds;
  http::transport_metrics metrics;
  std::shared_ptr<actors::child_table> children;
  actors::avatar_metrics avatar_metrics;
  actors::geoip_metrics geoip_metrics;
  std::string geoip_path = stored.folder.file("geoip.mmdb", fixtures::mmdb_of_place(50, 8));
  std::shared_ptr<store::geoip_files> geoip_files = *store::geoip_files::open({geoip_path});
  /// One thread is enough: the database is fake.
  std::unique_ptr<base::thread_pool> pool = std::make_unique<base::thread_pool>(1, 0);
  std::unique_ptr<base::thread_pool> long_pool = std::make_unique<base::thread_pool>(2, 0);
  caf::actor_system_config config;
  caf::actor_system system{config.set("scheduler.policy", caf::atom("sharing"))};
  std::deque<actors::ranking_metrics> ranking_metrics{1};
  actors::services with;
  std::shared_ptr<app::node_layout> node = std::make_shared<app::node_layout>();
  std::vector<child_spec> specs;
  std::mutex mutex;
  std::vector<caf::actor> actors_now;
  caf::actor supervisor;
  std::uint16_t port = 0;

  explicit supervised(const http::limits& limits) : bounds{limits, {}} {
    node->system = &system;
    node->services = &with;
    node->config.limits = limits;
    // Without room every request needs the pool.
    actors::avatar_settings lists{{.cache_limit_bytes = 0}};
    lists.database = stored.open();
    lists.pool = pool.get();
    lists.budget = &bounds.budget;
    lists.metrics = &avatar_metrics;
    with.avatar_lists = std::make_shared<actors::avatar_lists>(std::move(lists));
    with.short_work = pool.get();
    with.store_work = pool.get();
    with.long_work = with.tidy_work = long_pool.get();
    with.database = stored.open();
    with.exports = history.files;
    with.signing_keys = history.keys;
    with.export_state = std::make_shared<actors::lobby_export_state>();
    with.images = with.ops_images = stored.files;
    with.geoip_files = geoip_files;
    with.new_id = [this] { return history.new_id(); };
    with.export_metrics = &history.metrics;
    with.geoip_metrics = &geoip_metrics;
    node->poll_interval = std::chrono::milliseconds{1};
    node->images_kept_limit = 0; // makes every request need the pool
  }

  /// The number of files that are not yet, or no longer, exports.
  std::size_t files_aside() const {
    std::size_t count = 0;
    std::error_code gone; // a folder that was removed in the meantime
    for (const auto& own : std::filesystem::directory_iterator{stored.folder.path("tmp"), gone})
      for (const auto& entry : std::filesystem::directory_iterator{own.path(), gone})
        if (entry.is_regular_file(gone) && entry.path().filename() != "lock") ++count;
    return count;
  }
  void serve(http::event_loop& loop, http::exchange_sink& transport) {
    const auto settings = std::make_shared<const http::front_settings>();
    node->loops.push_back({&loop, &transport, std::make_shared<http::access_gate>(settings),
                           &ranking_metrics.front()});
  }
  /// Starts the program's children and records the actor of each.
  void start() {
    specs = app::child_specs_of(node);
    actors_now.resize(specs.size());
    for (std::size_t i = 0; i < specs.size(); ++i)
      specs[i].start = [this, i, start = std::move(specs[i].start)](const initial_state& now) {
        auto made = start(now);
        const std::lock_guard lock{mutex};
        return actors_now[i] = made;
      };
    actors::supervisor_settings supervising;
    supervising.children = children = std::make_shared<actors::child_table>(
        specs, initial_state{fixtures::two_regions(), geoip_files->in_force()}, 5,
        std::chrono::seconds{10});
    supervising.clock = &base::machine_clock();
    supervisor = system.spawn<actors::supervisor>(supervising);
  }
  /// The children whose actors the load needs.
  std::vector<std::size_t> loaded_children() const {
    std::vector<std::size_t> wanted;
    for (std::size_t i = 0; i < specs.size(); ++i)
      if (const auto role = specs[i].role; role != owner::large_validator) wanted.push_back(i);
    return wanted;
  }
  caf::actor actor_at(std::size_t index) {
    const std::lock_guard lock{mutex};
    return actors_now[index];
  }
  caf::actor occupant_named(std::string_view name) {
    const auto found = std::find_if(specs.begin(), specs.end(), [&](const child_spec& where) {
      return where.name.starts_with(name);
    });
    return actor_at(static_cast<std::size_t>(found - specs.begin()));
  }
  void stop() {
    caf::scoped_actor self{system};
    self->send(supervisor, actors::stop_all{});
    self->wait_for(supervisor);
    supervisor = nullptr;
    actors_now.clear();
  }
  /// Call after `stop`: nothing is sent to actors any more.
  void join() {
    pool.reset();
    long_pool.reset();
  }
};

struct on_a_loop : supervised {
  http::event_loop loop{system, base::machine_clock()};
  http::loop_transport transport{
      loop,
      base::machine_clock(),
      *pool,
      bounds,
      std::make_shared<http::access_gate>(std::make_shared<const http::front_settings>()),
      metrics,
      1,
      [] {}};
  std::thread thread;

  explicit on_a_loop(const http::limits& limits = {}) : supervised{limits} {
    serve(loop, transport.exchanges());
    auto listening = http::listen_on(http::parse_endpoint("127.0.0.1:0").value(), 1, 64).value();
    port = listening.where.port;
    transport.acceptor().listen(std::move(listening.sockets[0]));
    thread = std::thread{[this] { loop.run(); }};
    start();
  }
  ~on_a_loop() {
    stop();
    loop.stop();
    thread.join();
    join();
  }
};

struct on_httplib : supervised {
  http::event_loop loop{system, base::machine_clock()};
  http::httplib_transport transport{base::machine_clock(), bounds, metrics, 1, [] {}};
  std::thread thread;

  explicit on_httplib(const http::limits& limits = {}) : supervised{limits} {
    serve(loop, transport);
    auto listening = http::listen_on(http::parse_endpoint("127.0.0.1:0").value(), 1, 64).value();
    port = listening.where.port;
    transport.serve(std::move(listening.sockets[0]));
    thread = std::thread{[this] { loop.run(); }};
    start();
  }
  ~on_httplib() {
    transport.begin_drain();
    transport.end_now();
    stop();
    loop.stop();
    thread.join();
    join();
  }
};

const std::string history_path =
    "/cloud/games/00000000-0000-0000-0000-000000000001/matchmaker/lobbies/export-history";

std::string span_until(int end) {
  return R"({"query_start":100,"query_end":)" + std::to_string(end) + "}";
}

/// Exports a span and downloads the file; nothing if either fails. A new span starts an export job,
/// a repeated one gets the existing file.
std::optional<std::string> exported(httplib::Client& client, int end, bool gzip) {
  const auto reply = client.Post(history_path, span_until(end), "application/json");
  if (!reply || reply->status != 200) return std::nullopt;
  const auto begin = reply->body.find("/exports/");
  const auto url = reply->body.substr(begin, reply->body.rfind('"') - begin);
  httplib::Headers headers;
  if (gzip) headers.emplace("Accept-Encoding", "gzip");
  const auto file = client.Get(url, headers);
  if (!file || file->status != 200) return std::nullopt;
  const bool compressed = file->get_header_value("Content-Encoding") == "gzip";
  return compressed ? fixtures::inflated(file->body) : file->body;
}

/// Sends one operation to a service repeatedly; each client uses a different one. False if the
/// answer is wrong.
template <class Service>
bool ask(httplib::Client& client, const Service& service, int which, int turn) {
  const auto is_good = [](const httplib::Result& reply) { return reply && reply->status == 200; };
  switch (which) {
  case 0: return is_good(client.Get("/matchmaker/regions"));
  case 1:
    return is_good(
        client.Post("/cloud/groups/validate", R"({"display_name":"a"})", "application/json"));
  case 2: return is_good(client.Get("/cloud/games/00000000-0000-0000-0000-000000000001/avatars"));
  case 3: {
    const auto reply = client.Get("/media/avatars/00000000-0000-0000-0000-000000000007/"
                                  "00000000000000000000000000000000.png");
    return is_good(reply) && reply->body == service.stored.image_bytes;
  }
  default: {
    const auto text = exported(client, which == 4 ? 200 + turn : 200, which == 5);
    return text && text->ends_with("\r\n") && std::count(text->begin(), text->end(), '\n') == 51;
  }
  }
}

/// Checks that a replaced GeoIP file is loaded, and that a ranking started later also has it.
void check_geoip_outlives(supervised& service) {
  const auto nearest = [&] {
    const auto reply = httplib::Client{"127.0.0.1", service.port}.Get("/matchmaker/regions");
    const auto at = reply ? reply->body.find("\"region_id\":\"") : std::string::npos;
    return at == std::string::npos ? std::string{} : reply->body.substr(at + 13, 3);
  };
  CHECK(nearest() == "fra");
  fixtures::rename_over(service.geoip_path, fixtures::mmdb_of_place(35, 139));
  CHECK(eventually([&] { return nearest() == "nrt"; }));
  const auto before = service.children->restarts();
  caf::anon_send_exit(service.occupant_named("region_ranking"), caf::exit_reason::kill);
  CHECK(eventually([&] { return service.children->restarts() == before + 1; }));
  CHECK(nearest() == "nrt");
}

template <class Service>
void kill_everyone_under_load() {
  constexpr int clients = 6;
  Service service;
  const auto specs = service.loaded_children();
  const auto kills = 5 * specs.size(); // more would only wait for the backoff
  std::atomic<bool> stopping{false};
  std::array<std::atomic<int>, clients> answered{};
  std::array<std::atomic<int>, clients> wrong{};
  std::vector<std::thread> load;
  for (int i = 0; i < clients; ++i)
    load.emplace_back([&, i, index = static_cast<std::size_t>(i)] {
      httplib::Client client{"127.0.0.1", service.port};
      client.set_keep_alive(true);
      client.set_tcp_nodelay(true);
      client.set_read_timeout(patience);
      client.set_decompress(false);
      while (!stopping)
        if (!ask(client, service, i, ++answered[index])) ++wrong[index];
    });
  // Kills are far enough apart that no request meets more deaths than it has attempts.
  const auto everybody_got_answers = [&] {
    for (const auto& count : answered) {
      const auto seen = count.load();
      if (!eventually([&] { return count > seen + 2; })) return false;
    }
    return true;
  };
  for (std::size_t i = 0; i < kills; ++i) {
    CHECK(everybody_got_answers());
    const auto before = service.children->restarts();
    caf::anon_send_exit(service.actor_at(specs[i % specs.size()]), caf::exit_reason::kill);
    CHECK(eventually([&] { return service.children->restarts() == before + 1; }));
  }
  CHECK(everybody_got_answers());
  check_geoip_outlives(service);
  stopping = true;
  for (auto& thread : load)
    thread.join();
  INFO(service.metrics.redispatched.get() << " redispatched");
  for (std::size_t i = 0; i < clients; ++i) {
    CAPTURE(i);
    CHECK(wrong[i] == 0);
  }
  CHECK(eventually([&] { return service.metrics.in_flight == 0; }));
  CHECK(eventually([&] { return service.bounds.budget.used_bytes() == 0; }));
  // No actor that died keeps the image open: this is its only reference.
  CHECK(eventually(
      [&] { return service.stored.files->open(service.stored.image)->file.use_count() == 1; }));
  // The export jobs of dead actors left no files behind.
  CHECK(eventually([&] { return service.files_aside() == 0; }));
}

/// Blocks exports in the middle of reading, from construction until `release`.
struct gate {
  std::mutex mutex;
  std::condition_variable opened;
  bool open = false;

  explicit gate(fixtures::fake_database& of) {
    of.while_reading = [this] {
      std::unique_lock lock{mutex};
      opened.wait(lock, [this] { return open; });
    };
  }
  void release() {
    {
      const std::lock_guard lock{mutex};
      open = true;
    }
    opened.notify_all();
  }
};

/// An export requested on a separate thread.
struct pending_export {
  std::string body;
  std::thread thread;

  explicit pending_export(const supervised& of)
      : thread{[this, &of] {
          httplib::Client client{"127.0.0.1", of.port};
          client.set_read_timeout(patience);
          const auto reply = client.Post(history_path, span_until(200), "application/json");
          if (reply) body = reply->body;
        }} {}
  bool failed_with(std::string_view code) {
    thread.join();
    return body.find("\"code\":\"" + std::string{code} + '"') != std::string::npos;
  }
};

TEST_CASE("an export that waits when httplib ends is told so") {
  on_httplib service;
  gate held{*service.stored.database};
  pending_export pending{service};
  REQUIRE(eventually([&] { return service.history.metrics.running.get() == 1; }));
  service.transport.begin_drain();
  service.transport.close_idle();
  service.transport.end_now();
  CHECK(pending.failed_with("draining"));
  held.release();
}

TEST_CASE("an export's deadline may be before that of other requests, on httplib") {
  http::limits limits;
  limits.request_timeout = 2 * patience;
  limits.export_timeout = std::chrono::milliseconds{50};
  on_httplib service{limits};
  gate held{*service.stored.database};
  pending_export pending{service};
  // This client's deadline is half as long as the others'.
  CHECK(pending.failed_with("deadline_exceeded"));
  held.release();
}

TEST_CASE("no request is lost while actors are killed under load, on event loops") {
  kill_everyone_under_load<on_a_loop>();
}

TEST_CASE("no request is lost while actors are killed under load, on httplib") {
  kill_everyone_under_load<on_httplib>();
}

} // namespace
} // namespace matchcloud
