#include "app/node/node.hpp"

#include "actors/avatar.hpp"
#include "actors/catalog.hpp"
#include "actors/media.hpp"
#include "actors/validator.hpp"
#include "app/node/take_over.hpp"
#include "base/faults.hpp"
#include "base/io_failure.hpp"
#include "base/randomness.hpp"
#include "http/front/front.hpp"
#include "http/ops/actor_report.hpp"
#include "http/wire/media_type.hpp"
#include "store/files/data_directory.hpp"
#include "store/geoip/geoip.hpp"
#include "store/store.hpp"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <random>
#include <utility>

namespace matchcloud::app {

namespace {

/// Descriptors kept for everything that is not a client connection.
constexpr std::size_t reserved_descriptors = 512;
constexpr std::size_t blocking_threads = 2;
constexpr int blocking_nice = 5;
/// Exports give way to everything else.
constexpr int exporting_nice = 19;
/// Beside the exports' own: one compresses finished files, one removes them.
constexpr std::size_t export_tending_threads = 2;
constexpr std::size_t actor_threads = 2;
/// Messages per actor before another gets the thread.
constexpr std::size_t actor_throughput = 64;

/// Raises the soft descriptor limit to the hard one, which is returned.
std::size_t raise_descriptor_limit() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return SIZE_MAX;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  return static_cast<std::size_t>(files.rlim_max);
}

/// Images that may be open at once, of all descriptors.
std::size_t media_descriptors(std::size_t all) {
  return std::clamp<std::size_t>(all / 8, 64, 4'096);
}

/// Likewise exports, each a plain and a compressed file.
std::size_t open_exports(std::size_t all) {
  return std::clamp<std::size_t>(all / 16, 32, 1'024);
}

/// What is kept from clients, of all descriptors.
std::size_t kept_descriptors(std::size_t all) {
  return reserved_descriptors + media_descriptors(all) + 2 * open_exports(all);
}

/// Has the kernel make room for so many descriptors. Call before there are threads: with them each
/// doubling of the table waits for all processors (RCU), 10 to 25 ms that an event loop would stop.
void widen_descriptor_table(std::size_t descriptors) {
  const base::file_descriptor any{eventfd(0, EFD_CLOEXEC)};
  const auto last = static_cast<int>(std::min<std::size_t>(descriptors, INT_MAX) - 1);
  const base::file_descriptor highest{::fcntl(any.get(), F_DUPFD_CLOEXEC, last)};
}

/// The bounds of this process, whose descriptors are provided for.
base::limits prepared(const base::limits& configured) {
  const auto all = raise_descriptor_limit();
  auto bounded = bounded_by_descriptors(configured, all);
  widen_descriptor_table(std::min(all, bounded.connection_limit + kept_descriptors(all)));
  return bounded;
}

std::uint64_t random_seed() {
  std::random_device source;
  return (std::uint64_t{source()} << 32U) | source();
}

} // namespace

base::limits bounded_by_descriptors(base::limits limits, std::size_t all) {
  // Of few descriptors half: clients must not be able to take those that the store is opened with.
  const auto most = std::max(all / 2, all - std::min(all, kept_descriptors(all)));
  limits.connection_limit = std::min(limits.connection_limit, most);
  return limits;
}

base::expected<std::unique_ptr<node>> node::start(const serve_config& config) {
  std::unique_ptr<node> made{new node{config}};
  if (config.take_over) {
    auto found = find_predecessor(config);
    if (!found) return tl::unexpected(found.error());
    made->predecessor_ = *std::move(found);
    if (!made->predecessor_)
      spdlog::info("--take-over: no process serves these listeners from data-dir {}; starting as "
                   "usual",
                   config.data_dir);
  }
  if (auto opened = made->open(); !opened) return tl::unexpected(opened.error());
  if (auto bound = made->bind_listeners(); !bound)
    return tl::unexpected(made->advised(std::move(bound).error()));
  made->start_actors();
  if (auto alone = made->succeed(); !alone) return tl::unexpected(alone.error());
  made->start_serving();
  made->offer_take_over();
  return made;
}

node::node(const serve_config& config)
    : config_{config},
      bounds_{prepared(config.limits), config.front.proxies},
      actors_{actor_config_.set("scheduler.policy", caf::atom("sharing"))
                  .set("scheduler.max-threads", actor_threads)
                  .set("scheduler.max-throughput", actor_throughput)},
      blocking_{std::make_unique<base::thread_pool>(blocking_threads, blocking_nice)},
      exporting_{std::make_unique<base::thread_pool>(
          config.limits.export_jobs + export_tending_threads, exporting_nice)},
      media_{std::make_shared<store::media_files>(config.data_dir,
                                                  media_descriptors(raise_descriptor_limit()))},
      emptied_{eventfd(0, EFD_CLOEXEC)},
      handed_over_{eventfd(0, EFD_CLOEXEC)},
      failed_{eventfd(0, EFD_CLOEXEC)} {}

base::expected<void> node::open() {
  auto store = store::open_sqlite(config_.data_dir);
  if (!store) return tl::unexpected(store.error());
  auto files = store::export_files::open(config_.data_dir, config_.limits.export_limit_bytes,
                                         open_exports(raise_descriptor_limit()));
  if (!files) return tl::unexpected(files.error());
  export_files_ = *std::move(files);
  auto keys = store::signing_key_ring::open(config_.data_dir);
  if (!keys) return tl::unexpected(keys.error());
  signing_keys_ = *std::move(keys);
  auto catalog = (*store)->load_catalog();
  if (!catalog) return tl::unexpected(catalog.error());
  first_catalog_ = std::make_shared<const model::catalog>(*std::move(catalog));

  if (config_.default_namespace && !first_catalog_->find_namespace(*config_.default_namespace))
    spdlog::warn("default-namespace {}: the catalog has no such namespace; until it has, listings "
                 "that name none show all regions",
                 model::to_string(*config_.default_namespace));
  return open_geoip();
}

base::expected<void> node::open_geoip() {
  if (config_.geoip_files.empty()) {
    spdlog::warn("no GeoIP file: every player's location is unknown and regions are not ordered "
                 "by distance; give --geoip FILE");
    return {};
  }
  auto files = store::geoip_files::open(config_.geoip_files);
  if (!files) return tl::unexpected(files.error());
  geoip_files_ = *std::move(files);
  geoip_metrics_.last_taken_s.set(base::machine_clock().unix_ms() / 1'000);
  return {};
}

base::expected<void> node::bind_listeners() {
  const auto cores = std::max(1U, std::thread::hardware_concurrency());
  if (config_.transport == transport_kind::loops)
    make_loops(config_.loops == 0 ? cores : config_.loops);
  else
    httplib_ = std::make_unique<http::httplib_transport>(
        base::machine_clock(), bounds_, transport_metrics_.emplace_back(), random_seed(),
        [this] { on_transport_empty(); });
  ranking_metrics_.resize(std::max<std::size_t>(1, loops_.size()));
  for (const auto& wanted : config_.listen) {
    auto bound = bind_data(wanted);
    if (!bound) return tl::unexpected(bound.error());
    data_listeners_.push_back({*bound, wanted.proxy_header});
  }
  warn_of_listeners();
  roster_ = std::make_shared<actors::roster>(
      places(), actors::standing{first_catalog_, geoip_files_ ? geoip_files_->in_force() : nullptr},
      config_.limits.restart_intensity, config_.limits.restart_window);
  return bind_ops();
}

void node::warn_of_listeners() const {
  const auto& first = data_listeners_.front();
  if (config_.public_url.empty() && (first.where.address.is_unspecified() || first.proxy_header))
    spdlog::warn("public-url is not given, so avatar lists name images at http://{}, where {}; "
                 "give --public-url URL",
                 http::to_string(first.where),
                 first.proxy_header ? "only a proxy is let in" : "other machines do not find them");
  if (!config_.front.proxies.trusted_proxies.empty()) return;
  for (const auto& each : data_listeners_)
    if (each.proxy_header)
      spdlog::warn("{} expects PROXY protocol headers and no proxy is trusted, so that what they "
                   "say is ignored; give --trusted-proxies",
                   http::to_string(each.where));
}

base::expected<http::endpoint> node::bind_data(const data_listener& wanted) {
  if (httplib_) return httplib_->bind(wanted.where);
  auto bound = predecessor_
                   ? adopt_data(wanted)
                   : http::listen_on(wanted.where, loops_.size(), config_.limits.listen_backlog);
  if (!bound) return tl::unexpected(bound.error());
  auto duplicates = http::duplicates_of(bound->sockets);
  if (!duplicates) return tl::unexpected(duplicates.error());
  offered_.push_back({bound->where, purpose_of(wanted), *std::move(duplicates)});
  // Each loop has one at least; one of a predecessor with more loops has several.
  if (auto enough = spread(bound->sockets, loops_.size(), config_.limits.listen_backlog); !enough)
    return tl::unexpected(enough.error());
  listeners_.push_back(*std::move(bound));
  return listeners_.back().where;
}

base::expected<http::listeners> node::adopt_data(const data_listener& wanted) {
  return http::listeners{wanted.where,
                         take_sockets(predecessor_->listeners(), purpose_of(wanted), wanted.where)};
}

base::expected<http::endpoint> node::adopt_or_bind_ops() {
  using purpose = http::handed_listener::purpose;
  if (!predecessor_) return ops_->bind(config_.ops_listen);
  auto sockets = take_sockets(predecessor_->listeners(), purpose::ops, config_.ops_listen);
  return ops_->adopt(std::move(sockets.front()), config_.ops_listen);
}

base::expected<void> node::bind_ops() {
  http::metric_sources sources;
  sources.roster = roster_.get();
  sources.budget = &bounds_.budget;
  sources.ingestion = &ingestion_metrics_;
  sources.avatars = &avatar_metrics_;
  sources.exports = &export_metrics_;
  sources.export_files = export_files_.get();
  sources.media = media_.get();
  if (geoip_files_) sources.geoip = &geoip_metrics_;
  sources.blocking = blocking_.get();
  for (const auto& place : loops_)
    sources.loops.push_back(&place.loop->metrics());
  for (const auto& counted : ranking_metrics_)
    sources.rankings.push_back(&counted);
  sources.transports = transports();
  sources.faults = config_.fault_injection;
  metrics_ = std::make_unique<http::service_metrics>(std::move(sources));

  ops_ = std::make_unique<http::ops_plane>(*metrics_, random_seed());
  auto ingested_into = store::open_sqlite(
      config_.data_dir, {.patience = http::ingest_patience, .use = store::workload::bulk});
  if (!ingested_into) return tl::unexpected(ingested_into.error());
  http::ingestion_settings ingestion;
  ingestion.wal_limit_bytes = config_.limits.wal_limit_bytes;
  ingestion_ = std::make_unique<http::lobby_ingestion>(*std::move(ingested_into), ingestion,
                                                       ingestion_metrics_);
  ops_->add_routes([this](httplib::Server& server) { ingestion_->add_routes(server); });
  catalog_admin_ = std::make_unique<http::catalog_admin>([dir = config_.data_dir] {
    return store::open_sqlite(dir, {.patience = http::catalog_admin::patience});
  });
  ops_->add_routes([this](httplib::Server& server) { catalog_admin_->add_routes(server); });
  ops_->add_routes([this](httplib::Server& server) {
    server.Get("/actors", [this](const httplib::Request&, httplib::Response& into) {
      into.set_content(http::actor_report(*roster_, transports()), std::string{http::json_type});
    });
  });
  if (config_.fault_injection) {
    if (!config_.fault_seed) config_.fault_seed = random_seed();
    base::faults::seed(*config_.fault_seed);
    fault_admin_ = std::make_unique<http::fault_admin>(*config_.fault_seed);
    ops_->add_routes([this](httplib::Server& server) { fault_admin_->add_routes(server); });
  }
  auto bound = adopt_or_bind_ops();
  if (!bound) return tl::unexpected(bound.error());
  ops_endpoint_ = *bound;
  base::file_descriptor offered{::fcntl(ops_->listening().get(), F_DUPFD_CLOEXEC, 0)};
  if (!offered)
    return base::io_failure("ops-listen", "duplicate the socket", errno, base::errc::io_failed);
  offered_.push_back({*bound, http::handed_listener::purpose::ops, {}});
  offered_.back().sockets.push_back(std::move(offered));
  return {};
}

std::vector<const http::transport_metrics*> node::transports() const {
  std::vector<const http::transport_metrics*> all;
  for (const auto& counted : transport_metrics_)
    all.push_back(&counted);
  return all;
}

void node::make_loops(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    loop_place place;
    place.loop = std::make_unique<http::event_loop>(actors_, base::machine_clock());
    place.transport = std::make_unique<http::loop_transport>(
        *place.loop, base::machine_clock(), *blocking_, bounds_, transport_metrics_.emplace_back(),
        random_seed(), [this] { on_transport_empty(); });
    loops_.push_back(std::move(place));
  }
}

actors::avatar_settings node::avatar_settings() {
  actors::avatar_settings settings;
  settings.open_store = [dir = config_.data_dir] { return store::open_sqlite(dir); };
  settings.pool = blocking_.get();
  settings.budget = &bounds_.budget;
  settings.metrics = &avatar_metrics_;
  settings.public_url = public_url();
  settings.cache_limit_bytes = config_.limits.avatar_cache_bytes / actors::avatar_shard_count;
  settings.list_limit_bytes = config_.limits.avatar_list_limit_bytes;
  return settings;
}

actors::lobby_export_settings node::lobby_export_settings() {
  actors::lobby_export_settings settings;
  settings.book = export_book_;
  settings.job.open_store = [dir = config_.data_dir] { return store::open_sqlite(dir); };
  settings.job.files = export_files_.get();
  settings.job.clock = &base::machine_clock();
  settings.job.metrics = &export_metrics_;
  settings.job.new_id = [] {
    std::array<std::uint8_t, 16> random{};
    base::fill_random(random);
    return model::random_uuid(random);
  };
  settings.job.timeout = config_.limits.export_timeout;
  settings.job.url_lifetime = config_.limits.export_url_lifetime;
  settings.keys = signing_keys_.get();
  settings.short_work = blocking_.get();
  settings.long_work = exporting_.get();
  settings.tidy_work = exporting_.get();
  settings.public_url = public_url();
  settings.jobs_limit = config_.limits.export_jobs;
  settings.queue_limit = config_.limits.export_queue;
  return settings;
}

actors::export_download_settings node::export_download_settings() {
  actors::export_download_settings settings;
  settings.files = export_files_.get();
  settings.keys = signing_keys_.get();
  settings.short_work = blocking_.get();
  settings.long_work = exporting_.get();
  settings.clock = &base::machine_clock();
  settings.metrics = &export_metrics_;
  return settings;
}

std::string node::public_url() const {
  const auto base = config_.public_url.empty()
                        ? "http://" + http::to_string(data_listeners_.front().where)
                        : config_.public_url;
  return base + config_.front.base_path;
}

void node::add_export_places(std::vector<actors::place>& all) {
  using actors::owner;
  using actors::place;
  all.push_back(
      {"lobby_export", place::kind::owner, owner::lobby_export, place::every_loop,
       [this, settings = lobby_export_settings()](const actors::standing& now) -> caf::actor {
         return actors_.spawn<actors::lobby_export>(settings, now.catalog);
       }});
  all.push_back(
      {"export_download", place::kind::owner, owner::export_download, place::every_loop,
       [this, settings = export_download_settings()](const actors::standing&) -> caf::actor {
         return actors_.spawn<actors::export_download>(settings);
       }});
}

void node::add_watching_places(std::vector<actors::place>& all) {
  using actors::owner;
  using actors::place;
  actors::catalog_settings catalog;
  catalog.open_store = [dir = config_.data_dir] { return store::open_sqlite(dir); };
  catalog.pool = blocking_.get();
  all.push_back({"catalog", place::kind::catalog, owner::none, place::every_loop,
                 [this, catalog](const actors::standing& now) -> caf::actor {
                   return actors_.spawn<actors::catalog>(catalog, now.catalog);
                 }});
  if (!geoip_files_) return;
  actors::geoip_watch_settings geoip;
  geoip.files = geoip_files_;
  geoip.pool = blocking_.get();
  geoip.clock = &base::machine_clock();
  geoip.metrics = &geoip_metrics_;
  all.push_back({"geoip_watch", place::kind::geoip_watch, owner::none, place::every_loop,
                 [this, geoip](const actors::standing& now) -> caf::actor {
                   return actors_.spawn<actors::geoip_watch>(geoip, now.geoip);
                 }});
}

actors::ranking_settings node::ranking_by(const actors::standing& now, std::size_t place) {
  actors::ranking_settings settings;
  settings.geoip = now.geoip;
  settings.fallback = config_.fallback_location;
  settings.default_namespace = config_.default_namespace;
  settings.cache_limit_bytes = config_.limits.ranking_cache_bytes;
  settings.metrics = &ranking_metrics_[place];
  return settings;
}

std::vector<actors::place> node::places() {
  using actors::owner;
  using actors::place;
  using actors::standing;
  const auto front = std::make_shared<const http::front_settings>(config_.front);
  actors::media_settings media;
  media.files = media_;
  media.pool = blocking_.get();
  // What the loops keep open leaves half of the images' descriptors to downloads of others.
  const auto most_kept =
      media_descriptors(raise_descriptor_limit()) / 2 / std::max<std::size_t>(1, loops_.size());
  media.open_files = std::clamp<std::size_t>(most_kept, 1, config_.limits.media_open_files);

  std::vector<place> all;
  add_watching_places(all);
  const auto on_pool = [&](std::string name, owner role, auto make) {
    all.push_back({std::move(name), place::kind::owner, role, place::every_loop, make});
  };
  const auto make_validator = [this](const standing& now) -> caf::actor {
    return actors_.spawn<actors::validator>(config_.rules, now.catalog);
  };
  on_pool("validator/large", owner::large_validator, make_validator);
  add_export_places(all);
  for (std::size_t i = 0; i < actors::avatar_shard_count; ++i)
    on_pool("avatar/" + std::to_string(i),
            static_cast<owner>(static_cast<std::size_t>(owner::avatar) + i),
            [this, settings = avatar_settings()](const standing& now) -> caf::actor {
              return actors_.spawn<actors::avatar>(settings, now.catalog);
            });
  if (httplib_) {
    on_pool("validator", owner::validator, make_validator);
    on_pool("region_ranking", owner::region_ranking, [this](const standing& now) -> caf::actor {
      return actors_.spawn<actors::region_ranking>(ranking_by(now, 0), now.catalog);
    });
    on_pool("media", owner::media, [this, media](const standing&) -> caf::actor {
      return actors_.spawn<actors::media>(media);
    });
    all.push_back({"front", place::kind::front, owner::none, place::every_loop,
                   [this, front](const standing&) -> caf::actor {
                     return actors_.spawn<http::front>(front,
                                                       std::ref<http::exchange_sink>(*httplib_));
                   }});
  }
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    auto* loop = loops_[i].loop.get();
    auto* transport = loops_[i].transport.get();
    const auto number = "/" + std::to_string(i);
    all.push_back({"validator" + number, place::kind::owner, owner::validator, i,
                   [this, loop](const standing& now) {
                     return actors::spawn_resident<actors::validator>(actors_, *loop, config_.rules,
                                                                      now.catalog);
                   }});
    all.push_back({"region_ranking" + number, place::kind::owner, owner::region_ranking, i,
                   [this, loop, i](const standing& now) {
                     return actors::spawn_resident<actors::region_ranking>(
                         actors_, *loop, ranking_by(now, i), now.catalog);
                   }});
    all.push_back({"media" + number, place::kind::owner, owner::media, i,
                   [this, loop, media](const standing&) {
                     return actors::spawn_resident<actors::media>(actors_, *loop, media);
                   }});
    all.push_back({"front" + number, place::kind::front, owner::none, i,
                   [this, loop, transport, front](const standing&) {
                     return actors::spawn_resident<http::front>(
                         actors_, *loop, front, std::ref<http::exchange_sink>(*transport));
                   }});
  }
  return all;
}

void node::start_actors() {
  for (auto& place : loops_)
    place.thread = std::thread{[loop = place.loop.get()] { loop->run(); }};
  start_supervisor();
}

actors::supervisor_settings node::supervisor_settings() {
  actors::supervisor_settings settings;
  settings.places = roster_;
  settings.clock = &base::machine_clock();
  settings.on_storm = [this](bool storms) { on_storm(storms); };
  settings.seed = static_cast<std::uint32_t>(random_seed());
  return settings;
}

void node::start_supervisor() {
  caf::actor made;
  {
    const std::lock_guard lock{supervisor_mutex_};
    if (ending_) return;
    made = supervisor_ = actors_.spawn<actors::supervisor>(supervisor_settings());
  }
  made->attach_functor([this](const caf::error& reason) {
    if (ending_) return;
    spdlog::error("supervisor ended ({}); the next one takes over", to_string(reason));
    start_supervisor();
  });
}

void node::on_storm(bool storms) {
  ready_.set_storming(storms);
  if (!storms || !config_.exit_on_restart_storm) return;
  const std::uint64_t one = 1;
  static_cast<void>(!::write(failed_.get(), &one, sizeof one));
}

void node::end_supervisor() {
  // Nothing may be stalled, or die of a fault, from now on.
  base::faults::clear_all();
  caf::actor last;
  {
    const std::lock_guard lock{supervisor_mutex_};
    ending_ = true;
    last = std::exchange(supervisor_, nullptr);
  }
  if (!last) return;
  caf::scoped_actor self{actors_};
  const auto end = [&] {
    self->send(last, actors::stop_all{});
    self->wait_for(last);
  };
  end();
  while (!roster_->is_empty()) { // it had died before, and left the others behind
    last = actors_.spawn<actors::supervisor>(supervisor_settings());
    end();
  }
}

void node::start_serving() {
  for (std::size_t number = 0; number < listeners_.size(); ++number) {
    const bool proxy_headers = data_listeners_[number].proxy_header;
    auto& sockets = listeners_[number].sockets;
    for (std::size_t i = 0; i < sockets.size(); ++i) {
      const auto& place = loops_[i % loops_.size()];
      // The job must be copyable; the socket is not.
      auto socket = std::make_shared<base::file_descriptor>(std::move(sockets[i]));
      place.loop->post([transport = place.transport.get(), socket, proxy_headers] {
        transport->listen(std::move(*socket), proxy_headers);
      });
    }
  }
  if (httplib_) httplib_->start();
  transports_left_ = httplib_ ? 1 : loops_.size();
  ops_->start([this] { on_transport_empty(); });
  ready_.set_serving(true);
  // Starting is not to fail of them. They were checked when they were read.
  for (const auto& [at, rule] : config_.faults)
    static_cast<void>(base::faults::set(at, rule));
}

base::error node::advised(base::error why) const {
  const bool asked_nobody = config_.take_over && !predecessor_;
  if (why.code == base::errc::address_unavailable && asked_nobody)
    why.detail += "; --take-over found no process that serves it from data-dir " +
                  config_.data_dir +
                  ": give the data-dir and the --listen of the process to be replaced, or end it "
                  "first";
  return why;
}

base::expected<void> node::succeed() {
  if (!predecessor_) return {};
  predecessor_pid_ = predecessor_->pid();
  return predecessor_->succeed();
}

void node::offer_take_over() {
  const auto name = http::take_over_name(data_listeners_.front().where);
  auto local = predecessor_ ? predecessor_->take_local() : std::nullopt;
  predecessor_.reset();
  if (!local) {
    // Names are taken and given back by one process at a time.
    const auto alone = store::directory_lock::take(config_.data_dir);
    if (alone) http::remove_dead_sockets(config_.data_dir, "take-over-", ".sock");
    auto fresh = http::listen_local(config_.data_dir, name);
    if (!fresh) {
      spdlog::warn("--take-over cannot find this process: {}", fresh.error().detail);
      return offered_.clear();
    }
    local = *std::move(fresh);
  }
  http::handover_settings settings;
  if (httplib_) settings.refusal = httplib_cannot_be_taken_over;
  handover_ = std::make_unique<http::handover>(
      *std::move(local), std::exchange(offered_, {}), settings, [this] {
        const std::uint64_t one = 1;
        static_cast<void>(!::write(handed_over_.get(), &one, sizeof one));
      });
}

bool node::end_offer() {
  if (!handover_) return false;
  handover_->stop();
  return handover_->successor().has_value();
}

void node::on_transport_empty() {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(emptied_.get(), &one, sizeof one));
}

void node::on_each_loop(void (http::loop_transport::*what)()) {
  for (auto& place : loops_)
    place.loop->post([transport = place.transport.get(), what] { (transport->*what)(); });
}

bool node::wait_drained(std::chrono::milliseconds at_most, int interrupt_fd) {
  const auto deadline = base::machine_clock().now() + at_most;
  while (transports_left_ > 0) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - base::machine_clock().now());
    if (left.count() <= 0) return false;
    std::array<pollfd, 2> watched{pollfd{emptied_.get(), POLLIN, 0},
                                  pollfd{interrupt_fd, POLLIN, 0}};
    if (::poll(watched.data(), watched.size(), static_cast<int>(left.count())) <= 0) continue;
    if ((watched[1].revents & POLLIN) != 0) return true;
    std::uint64_t emptied = 0;
    if (::read(emptied_.get(), &emptied, sizeof emptied) == sizeof emptied)
      transports_left_ -= std::min<std::size_t>(transports_left_, emptied);
  }
  return true;
}

void node::drain(int interrupt_fd) {
  const auto whole = config_.limits.drain_timeout;
  // First of all: who starts in place of this process finds its name and its ports free together.
  const bool handed_over = end_offer();
  ready_.set_serving(false);
  if (handed_over) {
    ops_->stop_accepting();
    ++transports_left_;
  }
  on_each_loop(handed_over ? &http::loop_transport::hand_over : &http::loop_transport::begin_drain);
  if (httplib_) httplib_->begin_drain();
  if (wait_drained(whole * 2 / 3, interrupt_fd)) return;
  on_each_loop(&http::loop_transport::close_idle);
  if (httplib_) httplib_->close_idle();
  if (wait_drained(whole / 3, interrupt_fd)) return;
  on_each_loop(&http::loop_transport::end_now);
  if (httplib_) httplib_->end_now();
}

node::~node() {
  handover_.reset();
  {
    const std::lock_guard lock{supervisor_mutex_};
    ending_ = true;
  }
  // What is stalled goes on, or the threads that are joined first (ingests) would never end.
  if (fault_admin_) fault_admin_->end();
  ready_.end();
  ops_.reset();
  if (httplib_) {
    httplib_->begin_drain();
    httplib_->end_now();
  }
  // Residents end first, while their loops still run them; then nobody uses the transports.
  end_supervisor();
  httplib_.reset();
  for (auto& place : loops_) {
    place.loop->stop();
    if (place.thread.joinable()) place.thread.join();
  }
  export_book_->close(); // the threads that are joined next write exports
  blocking_.reset();
  exporting_.reset();
  loops_.clear();
}

} // namespace matchcloud::app
