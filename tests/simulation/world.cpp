#include "tests/simulation/world.hpp"

#include "actors/supervision/messages.hpp"
#include "app/node/child_specs.hpp"
#include "store/files/file_objects.hpp"
#include "tests/store/exports/file_exports.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace matchcloud::simulation {

namespace {

using base::fault_kind;
using base::fault_point;
using std::chrono::milliseconds;

/// More rounds than any work needs that does not run in circles.
constexpr int rounds_limit = 5'000;

std::chrono::seconds begin_of_time() {
  return std::chrono::hours{1};
}

/// Whether this fault can make requests that pass the point fail, or delay them beyond a known
/// bound.
bool is_in_the_way(fault_point at, fault_kind kind) {
  switch (kind) {
  case fault_kind::none:
  case fault_kind::crash:
  case fault_kind::short_write: return false;
  case fault_kind::delay: return at == fault_point::read || at == fault_point::write;
  default: return true;
  }
}

bool is_the_supervisors(fault_point at) {
  return at == fault_point::supervisor_receive || at == fault_point::supervisor_reply;
}

} // namespace

world::world(std::uint64_t which, files& shared, trace& to)
    : seed{which},
      disk{which},
      on_disk{&shared},
      random{which},
      trace_{&to},
      directory_{shared.path()},
      media_{std::make_shared<store::stored_images>(*store::file_objects::open(shared.path()),
                                                    store::objects_delivery::redirect, no_budget_,
                                                    16)} {
  choose_limits();
  bounds = std::make_unique<http::shared_bounds>(limits, http::proxy_trust{});
  ops_bounds = std::make_unique<http::shared_bounds>(limits, http::proxy_trust{}, http::plane::ops);
  // The same in each run of a seed.
  bounds->lane_key = ops_bounds->lane_key = {0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9,
                                             0x94D049BB133111EB, 0xD6E8FEB86659FD93, 1};
  running_at_begin_ = actors_.system.registry().running();
  open_exports();
  std::filesystem::create_symlink(on_disk->database_path(0), directory_.path("geoip"));
  auto geoip = store::geoip_files::open({directory_.path("geoip")});
  if (!geoip) throw std::runtime_error{base::to_string(geoip.error())};
  geoip_files_ = *std::move(geoip);
  settings_ = data_settings();
  rules_ = std::make_shared<http::access_gate>(settings_);
  disk.while_reading = [this] { meanwhile(); };
  disk.while_merging = [this] { meanwhile_merging(); };
  base::faults::seed(seed);
  base::faults::set_time_passer([this](std::chrono::microseconds time) { wait_in_call(time); });
  make_loops();
  start_supervisor();
}

world::~world() {
  heal_all();
  const bool over = ended_ || end();
  base::faults::set_time_passer({});
  if (over) return;
  // The actor system would wait for the remaining actors forever.
  std::printf("seed %llu: actors do not end, so nothing comes after it\n",
              static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  std::_Exit(EXIT_FAILURE);
}

void world::choose_limits() {
  tight = random.one_in(4);
  limits.head_timeout = limits.body_timeout = milliseconds{2'000};
  limits.idle_timeout = milliseconds{8'000};
  limits.write_timeout = milliseconds{2'000};
  limits.request_timeout = milliseconds{3'000};
  limits.export_timeout = milliseconds{6'000};
  limits.ingest_timeout = milliseconds{4'000};
  config.exports.url_lifetime = milliseconds{random.one_in(3) ? 4'000 : 600'000};
  config.exports.jobs_limit = 1 + random.below(2);
  config.media.open_files = random.below(3);
  config.ranking.cache_limit_bytes = random.one_in(2) ? 0 : config.ranking.cache_limit_bytes;
  config.avatars.cache_limit_bytes = random.one_in(2) ? 0 : config.avatars.cache_limit_bytes;
  choose_latencies();
  if (!tight) return;
  limits.in_flight_limit = 8;
  limits.mailboxes.fill(2);
  config.exports.queue_limit = 1;
  limits.byte_budget_bytes = 256UL * 1024;
}

void world::open_exports() {
  // The store in memory has no SQL: records are in another store, which fails with it.
  const auto follow = [this](store::sqlite_connection& of) -> base::expected<void> {
    if (const auto open = disk.store()->history(); !open) return tl::unexpected(open.error());
    of.execute("DELETE FROM game_revisions", "set the revisions");
    for (const auto& game_id : known_games())
      fixtures::set_revisions(of, game_id, disk.now().revisions(game_id));
    // Leases are by real time. No two jobs run at once, so each lease that is found is over.
    of.execute("UPDATE exports SET leased_until_ts = coalesce(taken_ts, 0)", "end the leases");
    return {};
  };
  auto records = fixtures::open_export_records(directory_.path(), follow);
  if (!records) throw std::runtime_error{base::to_string(records.error())};
  auto opened = fixtures::open_exports(directory_.path(), *std::move(records), clock,
                                       config.exports.files_limit_bytes);
  if (!opened) throw std::runtime_error{base::to_string(opened.error())};
  exports_ = *std::move(opened);
}

void world::make_loops() {
  for (std::size_t i = 0; i < all_loop_count; ++i) {
    const bool ops = i == ops_loop;
    loops_[i] = std::make_unique<http::event_loop>(actors_.system, clock);
    transports[i] = std::make_unique<http::loop_transport>(
        *loops_[i], clock, short_work, ops ? *ops_bounds : *bounds, ops ? ops_rules_ : rules_,
        transport_metrics[i], seed + i, [] {});
    turn(i); // from now on the loop belongs to this thread
  }
  children = std::make_shared<actors::child_table>(
      child_specs(), actors::initial_state{disk.now().catalog, geoip_files_->in_force()},
      config.restarts.intensity, config.restarts.window);
}

// -- moving -------------------------------------------------------------------

void world::turn(std::size_t loop) {
  loops_[loop]->post([] {}); // otherwise it would wait for its timers in real time
  loops_[loop]->run_once();
}

bool world::run_actor(std::size_t which) {
  auto& jobs = actors_.scheduler.jobs;
  if (jobs.empty()) return false;
  std::swap(jobs.front(), jobs[which % jobs.size()]);
  actors_.scheduler.run_once();
  ++works_;
  return true;
}

bool world::run_work(fixtures::manual_pool& pool, std::size_t which) {
  if (in_work_ || pool.tasks.empty()) return false;
  // On two threads, either of two tasks may finish first.
  if (which % 2 == 1 && pool.tasks.size() > 1) std::swap(pool.tasks[0], pool.tasks[1]);
  in_work_ = true;
  pool.run_one();
  in_work_ = false;
  ++works_;
  return true;
}

bool world::run_short_work(std::size_t which) {
  return !short_work_stalled_ && run_work(short_work, which);
}

bool world::run_long_work(std::size_t which) {
  return !long_work_stalled_ && run_work(long_work, which);
}

bool world::run_ingest_work() {
  return !ingest_work_stalled_ && run_work(ingest_work, 0);
}

std::uint64_t world::progress() const {
  auto sum = works_;
  for (const auto& each : transport_metrics)
    sum += each.received_bytes.get() + each.sent_bytes.get() + each.redispatched.get();
  return sum;
}

void world::settle() {
  untended_ = {};
  int idle_rounds = 0;
  for (int round = 0; idle_rounds < 2; ++round) {
    if (round == rounds_limit)
      return violated("the node goes in circles: it never has nothing to do");
    const auto before = progress();
    for (std::size_t i = 0; i < all_loop_count; ++i)
      turn(i);
    for (auto left = actors_.scheduler.jobs.size(); left > 0 && run_actor(0); --left) {
    }
    run_short_work(0);
    run_long_work(0);
    run_ingest_work();
    idle_rounds = progress() == before ? idle_rounds + 1 : 0;
  }
}

void world::advance(milliseconds by, const std::function<void()>& each_step) {
  settle();
  while (by.count() > 0) {
    const auto step = std::min(by, until_next_timer());
    by -= step;
    if (!all_running()) in_the_way.vacant += step;
    move_clocks(step);
    settle();
    observe();
    each_step();
  }
}

milliseconds world::until_next_timer() const {
  auto& actor_clock = actors_.scheduler.clock();
  const auto& timers = actor_clock.schedule();
  if (timers.empty()) return time_step;
  const auto left = timers.begin()->first - actor_clock.now();
  return std::clamp(std::chrono::ceil<milliseconds>(left), milliseconds{1}, time_step);
}

void world::pass(std::chrono::microseconds time) {
  move_clocks(time);
  untended_ += time;
  if (untended_ > untended_limit) settle();
}

void world::move_clocks(std::chrono::nanoseconds by) {
  clock.advance(by);
  actors_.scheduler.advance_time(by);
}

void world::wait_in_call(std::chrono::microseconds time) {
  // Other threads run in the meantime.
  while (time.count() > 0) {
    const auto step = std::min<std::chrono::microseconds>(time, untended_limit);
    time -= step;
    move_clocks(step);
    for (int round = 0; round < 3; ++round) {
      for (std::size_t i = 0; i < all_loop_count; ++i)
        turn(i);
      for (auto left = actors_.scheduler.jobs.size(); left > 0 && run_actor(0); --left) {
      }
    }
  }
}

void world::meanwhile() {
  for (auto left = random.below(4); left > 0; --left) {
    switch (random.below(5)) {
    case 0: note("  in the meantime " + disk.change_lobbies(clock.unix_ms())); break;
    case 1: note("  in the meantime " + disk.change_avatars()); break;
    case 2: run_actor(random.below(8)); break;
    case 3: turn(random.below(all_loop_count)); break;
    default: move_clocks(milliseconds{1});
    }
  }
}

void world::meanwhile_merging() {
  meanwhile();
  if (!calm_ && random.one_in(12)) note("  in the meantime killed: " + kill_an_ingester());
}

// -- breaking -----------------------------------------------------------------

void world::count_crashes(fault_point at) {
  const auto index = static_cast<std::size_t>(at);
  if (!armed_[index] || armed_[index]->kind != fault_kind::crash) return;
  const auto hits = base::faults::status(at).hits;
  in_the_way.crashes[index] += hits - std::exchange(counted_hits_[index], hits);
}

void world::inject(fault_point at, const base::fault_rule& rule) {
  heal(at);
  const auto index = static_cast<std::size_t>(at);
  if (const auto taken = base::faults::set(at, rule); !taken)
    return violated("a fault cannot be injected: " + taken.error().detail);
  armed_[index] = rule;
  counted_hits_[index] = 0;
  observe();
}

void world::heal(fault_point at) {
  observe();
  base::faults::clear(at);
  armed_[static_cast<std::size_t>(at)].reset();
}

void world::heal_all() {
  for (std::size_t i = 0; i < armed_.size(); ++i)
    if (armed_[i]) heal(static_cast<fault_point>(i));
  disk.failing = short_work.full = long_work.full = ingest_work.full = false;
  short_work_stalled_ = long_work_stalled_ = ingest_work_stalled_ = false;
}

void world::observe() {
  const auto now = clock.now();
  for (std::size_t i = 0; i < armed_.size(); ++i) {
    const auto at = static_cast<fault_point>(i);
    count_crashes(at);
    if (armed_[i] && is_in_the_way(at, armed_[i]->kind)) in_the_way.note(at, now);
  }
  if (disk.failing) in_the_way.note(trouble::store, now);
  if (short_work.full || short_work_stalled_) in_the_way.note(trouble::short_work, now);
  if (long_work.full || long_work_stalled_) in_the_way.note(trouble::long_work, now);
  if (ingest_work.full || ingest_work_stalled_) in_the_way.note(trouble::ingest_work, now);
}

std::string world::kill(std::size_t place) {
  if (place == latest_.size()) {
    ++supervisor_kills;
    caf::anon_send_exit(supervisor_, caf::exit_reason::kill);
    return "supervisor";
  }
  ++kills;
  if (const auto who = caf::actor_cast<caf::actor>(latest_[place]))
    caf::anon_send_exit(who, caf::exit_reason::kill);
  if (names_[place] == "ingestion" || names_[place] == "ops_front") ++ingester_kills_;
  return names_[place];
}

std::string world::kill_an_ingester() {
  const auto* const name = random.one_in(2) ? "ingestion" : "ops_front";
  return kill(static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin()));
}

void world::replace_geoip(std::size_t database) {
  const auto aside = directory_.path("geoip-aside");
  std::filesystem::create_symlink(on_disk->database_path(database), aside);
  std::filesystem::rename(aside, directory_.path("geoip"));
  geoip_history_.push_back(database);
}

// -- looking ------------------------------------------------------------------

std::int64_t world::now_ms() const {
  const auto since = clock.now().time_since_epoch() - begin_of_time();
  return std::chrono::duration_cast<milliseconds>(since).count();
}

void world::violated(std::string what) {
  note("VIOLATED: " + what);
  std::printf("seed %llu, step %zu: %s\n", static_cast<unsigned long long>(seed), trace_->step,
              what.c_str());
  violations_.push_back(std::move(what));
}

bool world::all_running() const {
  for (const auto& each : children->report())
    if (each.state != actors::child_state::running) return false;
  return true;
}

std::uint64_t world::deaths() const {
  auto sum = kills;
  for (std::size_t i = 0; i < in_the_way.crashes.size(); ++i)
    if (!is_the_supervisors(static_cast<fault_point>(i))) sum += in_the_way.crashes[i];
  return sum;
}

std::uint64_t world::supervisor_deaths() const {
  auto sum = supervisor_kills;
  for (const auto at : {fault_point::supervisor_receive, fault_point::supervisor_reply})
    sum += in_the_way.crashes[static_cast<std::size_t>(at)];
  return sum;
}

bool world::has_died(base::owner who) const {
  for (const auto& each : children->report())
    if (each.role == who) return each.restarts > 0 || each.state != actors::child_state::running;
  return false;
}

bool world::lobby_export_died() const {
  return has_died(base::owner::lobby_export);
}

bool world::latency_map_died() const {
  return has_died(base::owner::latency_map);
}

std::uint64_t world::ingestion_ends() const {
  // A front may know of a death before the supervisor has counted it.
  auto sum = ingester_kills_;
  for (const auto& each : children->report())
    if (each.role == base::owner::ingestion || each.name == "ops_front") sum += each.restarts;
  return sum;
}

std::size_t world::in_flight() const {
  std::size_t sum = 0;
  for (const auto& each : transport_metrics)
    sum += each.in_flight;
  return sum;
}

std::size_t world::at_owners() const {
  std::size_t sum = 0;
  for (const auto& each : transport_metrics)
    for (const auto& waiting : each.at_owner)
      sum += waiting;
  return sum;
}

std::size_t world::connections() const {
  std::size_t sum = 0;
  for (const auto& each : transports)
    sum += each->connection_count();
  return sum;
}

// -- ending -------------------------------------------------------------------

bool world::end() {
  ending_ = true;
  for (int i = 0; i < 100; ++i) {
    if (supervisor_) caf::anon_send(supervisor_, actors::stop_all{});
    settle();
    if (children->is_empty()) break;
    // Like the node, starts another supervisor if the one told to stop had already died.
    supervisor_ = actors_.system.spawn<actors::supervisor>(supervisor_settings());
    move_clocks(time_step);
  }
  supervisor_ = nullptr;
  for (auto& each : transports)
    each->end_now();
  settle();
  while (run_work(short_work, 0) || run_work(long_work, 0) || run_work(ingest_work, 0)) {
  }
  for (auto& each : transports)
    each.reset();
  store::moved_games anything;
  anything.all = true;
  services_.avatar_lists->forget(anything);
  ended_ = children->is_empty() && actors_.system.registry().running() == running_at_begin_;
  return ended_;
}

actors::supervisor_settings world::supervisor_settings() {
  actors::supervisor_settings settings;
  settings.children = children;
  settings.clock = &clock;
  settings.seed = static_cast<std::uint32_t>(seed);
  return settings;
}

void world::start_supervisor() {
  if (ending_) return;
  supervisor_ = actors_.system.spawn<actors::supervisor>(supervisor_settings());
  supervisor_->attach_functor([this](const caf::error&) { start_supervisor(); });
}

void world::make_services() {
  services_.clock = &clock;
  services_.short_work = &short_work;
  services_.store_work = &short_work;
  services_.long_work = services_.tidy_work = &long_work;
  services_.ingesting = services_.administering = services_.surveying = &ingest_work;
  services_.database = services_.administered = disk.store();
  services_.exports = exports_;
  services_.signing_keys = on_disk->keys();
  services_.images = services_.ops_images = media_;
  services_.geoip_files = geoip_files_;
  services_.export_state = std::make_shared<actors::lobby_export_state>();
  services_.new_id = [ids = std::make_shared<chance>(seed)] {
    std::array<std::uint8_t, 16> bytes{};
    for (auto& byte : bytes)
      byte = static_cast<std::uint8_t>(ids->next());
    return model::random_uuid(bytes);
  };
  services_.latencies = latencies;
  services_.latency_gate = latency_gate_;
  actors::avatar_settings lists{config.avatars};
  lists.database = disk.store();
  lists.pool = &short_work;
  lists.budget = &bounds->budget;
  lists.metrics = &avatar_metrics;
  lists.image_url = model::image_urls_below(std::string{public_url});
  services_.avatar_lists = std::make_shared<actors::avatar_lists>(std::move(lists));
  services_.ingest_store = std::make_shared<actors::ingest_store>(
      disk.store(), config.ingestion.backlog_bytes, ingestion_metrics);
  services_.export_metrics = &export_metrics;
  services_.geoip_metrics = &geoip_metrics_;
  services_.ingestion_metrics = &ingestion_metrics;
}

std::shared_ptr<const app::node_layout> world::layout() {
  make_services();
  auto made = std::make_shared<app::node_layout>();
  made->system = &actors_.system;
  made->config = config;
  made->services = &services_;
  made->public_url = public_url;
  made->images_kept_limit = config.media.open_files;
  const auto served = [this](std::size_t number, const auto& settings) {
    return app::served_loop{loops_[number].get(), &transports[number]->exchanges(),
                            std::make_shared<http::access_gate>(settings)};
  };
  for (std::size_t i = 0; i < loop_count; ++i) {
    made->loops.push_back(served(i, settings_));
    made->loops.back().ranking_metrics = &ranking_metrics_[i];
  }
  made->ops = served(ops_loop, ops_settings_);
  made->administration = {disk.store(), &ingest_work};
  const auto nothing = [] { return std::string{"{}"}; };
  made->reports = {nothing, nothing, nothing};
  return made;
}

void world::choose_latencies() {
  config.ranking.rank_by =
      random.one_in(3) ? actors::ranking_order::latency : actors::ranking_order::distance;
  auto& learning = config.latencies;
  learning.learns_from_listings = random.one_in(2);
  learning.report_interval = report_interval;
  learning.entry_limit = 8'192;
  // Replicas that share a store look at it more often.
  config.store.url = "postgresql://simulated";
  latencies = std::make_shared<actors::latency_map_state>(learning, latency_metrics, true);
  latency_gate_ = std::make_shared<actors::report_gate>(
      learning.report_interval, limits.ipv6_client_prefix, clock, base::siphash_key{3, 4});
}

std::shared_ptr<const http::front_settings> world::data_settings() const {
  auto made = std::make_shared<http::front_settings>();
  if (config.latencies.learns_from_listings) made->latency_gate = latency_gate_;
  return made;
}

std::shared_ptr<const http::front_settings> world::ops_settings() {
  auto made = std::make_shared<http::front_settings>();
  made->plane = http::plane::ops;
  made->state =
      std::make_shared<const std::atomic<http::service_state>>(http::service_state::ready);
  return made;
}

std::vector<actors::child_spec> world::child_specs() {
  auto all = app::child_specs_of(layout());
  latest_.resize(all.size());
  for (std::size_t index = 0; index < all.size(); ++index) {
    auto& spec = all[index];
    names_.push_back(spec.name);
    spec.start = [this, index, start = std::move(spec.start)](const actors::initial_state& now) {
      auto who = start(now);
      latest_[index] = who.address();
      return who;
    };
  }
  return all;
}

} // namespace matchcloud::simulation
