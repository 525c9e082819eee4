#include "app/node/node.hpp"

#include "actors/request/traced_step.hpp"
#include "app/node/attempt_apart.hpp"
#include "app/node/descriptors.hpp"
#include "app/node/embedded_console.hpp"
#include "app/node/last_protections.hpp"
#include "app/node/thread_counts.hpp"
#include "app/process/main_process_claim.hpp"
#include "base/build_info.hpp"
#include "base/events/log.hpp"
#include "base/faults.hpp"
#include "base/randomness.hpp"
#include "http/front/front_rules.hpp"
#include "http/front/static_content.hpp"
#include "http/reference/openapi.hpp"
#include "http/tls/tls_files.hpp"
#include "model/text/counts.hpp"
#include "store/engines/store_place.hpp"
#include "store/exports/export_files.hpp"
#include "store/exports/export_objects.hpp"
#include "store/media/bucket_images.hpp"
#include "store/media/media_files.hpp"
#include "store/media/referred_images.hpp"
#include "store/open_sqlite.hpp"

#include <caf/thread_hook.hpp>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <semaphore>
#include <utility>

namespace matchcloud::app {

namespace {

/// The pauses between attempts to open a store that is out of reach, and between log lines about
/// it.
constexpr std::chrono::milliseconds waiting_pause{1'000};
constexpr std::chrono::minutes waiting_line_interval{1};
/// How long the start waits for learned latencies.
constexpr std::chrono::milliseconds latency_patience{5'000};

constexpr int blocking_nice = 5;
/// Exports have the lowest priority.
constexpr int exporting_nice = 19;
/// Messages that an actor handles before another actor gets the thread.
constexpr std::size_t actor_throughput = 64;
/// A drain without a preceding delay closes idle connections after this time. Until then, answers
/// have `Connection: close`, so that busy clients lose no request.
constexpr std::chrono::milliseconds idle_grace{250};

/// How long a reload waits for the event loops to turn.
constexpr std::chrono::milliseconds loop_patience{2'000};

/// Gives the threads of the actors' pool the priority of blocking work: an event loop that wakes
/// up on a busy machine gets the processor at once, not after a large payload was validated.
class pool_priority final : public caf::thread_hook {
  void init(caf::actor_system&) override {}
  void thread_started() override {
    static_cast<void>(setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), blocking_nice));
  }
  void thread_terminates() override {}
};

/// The settings for a store on a server.
store::store_settings server_settings(const serve_config& config) {
  return {.patience = actors::administration::patience, .sessions = config.store_sessions};
}

void signal(const base::file_descriptor& eventfd) {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(eventfd.get(), &one, sizeof one));
}

model::uuid new_id() {
  std::array<std::uint8_t, 16> random{};
  base::fill_random(random);
  return model::random_uuid(random);
}

/// The URLs of images for clients that read them from the bucket, at `base`.
model::image_url_maker image_urls_in_bucket(std::string base) {
  return [base = std::move(base)](const model::uuid& upload_id, const model::image_name& image) {
    return base + "/" + store::object_of(store::image_key{upload_id, image}).text();
  };
}

http::served_documents documents_of(const serve_config& config) {
  const http::openapi_settings settings{config.rules, config.front.base_path};
  const auto make = [&](http::plane of) {
    return http::make_static_content(http::json_type, http::openapi(of, settings));
  };
  return {make(http::plane::data), make(http::plane::ops)};
}

/// The access settings, completed with the limits on clients.
http::access_settings access_of(const serve_config& config) {
  auto access = config.front.access;
  access.ipv6_client_prefix = config.limits.ipv6_client_prefix;
  access.limits_loopback = config.limits.limits_loopback;
  return access;
}

} // namespace

base::expected<std::unique_ptr<node>> node::start(const serve_config& config, main_watch& watch,
                                                  const base::metric_set* process_metrics) {
  std::unique_ptr<node> made{new node{config}};
  made->process_metrics_ = process_metrics;
  auto started = made->listening_.find_predecessor()
                     .and_then([&] { return made->open_patiently(watch); })
                     .and_then([&] { return made->bind(); });
  if (started) {
    made->start_actors();
    // A successor that receives a signal to end leaves the listeners with its predecessor.
    if (watch.wait({}, std::chrono::milliseconds{0}) == main_watch::wake::ending)
      started = base::fail(base::errc::cancelled, "interrupted before serving");
  }
  if (!started) {
    // The process ends at once: a thread may still wait for the store.
    if (started.error().code == base::errc::cancelled) static_cast<void>(made.release());
    return tl::unexpected(started.error());
  }
  {
    // Claimed before the predecessor lets go, because it may end at once.
    main_process_claim claim{watch, made->listening_.predecessor()};
    if (auto alone = made->listening_.take_over(); !alone) return tl::unexpected(alone.error());
    // From here on the predecessor ends in an orderly way. If this process fails now, the service
    // has failed, and the service manager should see that.
    claim.keep();
  }
  made->start_serving();
  made->listening_.offer();
  return made;
}

node::node(const serve_config& config)
    : config_{config},
      last_protections_{protections_of(config.given)},
      replica_id_{new_id()},
      documents_{documents_of(config)},
      latency_gate_{std::make_shared<actors::report_gate>(config.latencies.report_interval,
                                                          config.limits.ipv6_client_prefix)},
      traces_{std::make_shared<actors::trace_log>(config.trace_one_in, http::operation_count)},
      front_{std::make_shared<const http::front_settings>(data_settings())},
      ops_front_{std::make_shared<const http::front_settings>(ops_settings())},
      bounds_{prepared(config.limits), config.front.proxies},
      ops_bounds_{bounds_.limits, {}, http::plane::ops},
      waiting_bounds_{bounds_.limits, {}, http::plane::ops},
      rate_limits_{
          std::make_shared<base::rate_limit_table>(config.front.access.rate_limit_entries)},
      actors_{actor_config_.add_thread_hook<pool_priority>()
                  .set("scheduler.policy", caf::atom("sharing"))
                  .set("scheduler.max-threads", thread_counts::actors)
                  .set("scheduler.max-throughput", actor_throughput)},
      blocking_{std::make_unique<base::thread_pool>(
          config.store.has_bucket() ? thread_counts::bucket : thread_counts::blocking,
          blocking_nice)},
      exporting_{std::make_unique<base::thread_pool>(
          config.exports.jobs_limit + thread_counts::export_housekeeping, exporting_nice)},
      emptied_{eventfd(0, EFD_CLOEXEC)},
      listening_{config_},
      failed_{eventfd(0, EFD_CLOEXEC)},
      supervision_{actors_, [this](bool storms) { on_storm(storms); }} {
  limits_.set(bounds_.limits);
}

http::front_settings node::data_settings() const {
  auto settings = config_.front;
  settings.access = access_of(config_);
  settings.access.replicas = replica_count_;
  settings.documents = documents_;
  settings.store.contact = contact_;
  settings.traces = traces_;
  settings.configuration = nullptr;
  if (config_.latencies.learns_from_listings) settings.latency_gate = latency_gate_;
  return settings;
}

http::front_settings node::ops_settings() const {
  http::front_settings settings;
  settings.state = state_;
  settings.started_ms = started_ms_;
  settings.documents = documents_;
  settings.store = config_.front.store;
  settings.store.contact = contact_;
  settings.plane = http::plane::ops;
  settings.console = embedded_console();
  settings.has_faults = config_.fault_injection;
  settings.configuration = config_.front.configuration;
  settings.access = access_of(config_);
  settings.access.replicas = replica_count_;
  // Beyond loopback every client needs a token, even on this machine.
  settings.access.ops_requires_tokens =
      config_.front.access.ops_requires_tokens || !config_.ops_listen.address.is_loopback();
  return settings;
}

base::expected<void> node::take_up(const serve_config& config) {
  if (httplib_)
    return base::fail(base::errc::config_invalid,
                      "the transport httplib cannot reload while it serves; restart the service");
  auto access = http::access_log::open(config.access_log);
  if (!access) return tl::unexpected(access.error());
  if (tls_)
    if (auto usable = tls_->use(config.tls); !usable) return usable;
  access_log_->use(*std::move(access));
  auto next = config;
  // The start filled in these.
  next.loops = config_.loops;
  next.store = config_.store;
  const bool protects_as_before = protections_of(next.given) == protections_of(config_.given);
  config_ = std::move(next);
  base::configure_log_levels(log_levels_of(config_));
  front_ = std::make_shared<const http::front_settings>(data_settings());
  ops_front_ = std::make_shared<const http::front_settings>(ops_settings());
  const auto limits = bounded_by_descriptors(config_.limits, raise_descriptor_limit());
  limits_.set(limits);
  const auto turns = std::make_shared<std::counting_semaphore<>>(0);
  const auto hand = [&](const loop_part& to,
                        const std::shared_ptr<const http::front_settings>& settings,
                        const http::proxy_trust& trusted) {
    to.loop->post([transport = to.transport.get(), gate = to.gate, settings, turns,
                   changed = http::plane_limits{limits, trusted, settings->plane},
                   log = access_log_, access = config_.access_log] {
      gate->set_settings(settings);
      transport->put_in_force(changed);
      transport->log_access(log, access);
      turns->release();
    });
  };
  for (const auto& part : loops_)
    hand(part, front_, config_.front.proxies);
  hand(ops_loop_, ops_front_, {});
  // The caller gets its answer once the loops have applied it; a hanging loop applies it when it
  // turns again.
  const auto until = base::machine_clock().now() + loop_patience;
  for (std::size_t i = 0; i <= loops_.size(); ++i)
    static_cast<void>(turns->try_acquire_until(until));
  if (config_.access_log.mode == http::access_log_mode::off) access_log_->leave();
  if (!protects_as_before) record_protections(model::audit_action::service_reload);
  return {};
}

base::expected<void> node::check_last_protections() {
  if (!has_fixed_port(config_)) return {};
  const auto last = find_last_protections(*database_);
  if (!last) return tl::unexpected(last.error());
  if (!*last) return {};
  last_protections_ = (*last)->given;
  return check_against(**last, protections_of(config_.given));
}

void node::record_protections(model::audit_action action) {
  const auto given = protections_of(config_.given);
  ops_->show_weaker(weaker_protections(last_protections_, given));
  if (!has_fixed_port(config_)) return;
  const auto written = app::record_protections(*database_, action, given);
  if (!written)
    base::log(base::log_event::audit_failed, "{} could not be written to the audit log: {}",
              name_of(action), base::to_string(written.error()));
}

base::expected<void> node::open_patiently(main_watch& watch) {
  if (!config_.waits_for_store()) return open();
  const auto ended = [] {
    return base::fail(base::errc::cancelled, "interrupted while the store was out of reach");
  };
  const auto begun = base::machine_clock().now();
  auto next_line = begun;
  std::string why = "the store has not answered yet";
  std::optional<std::unique_ptr<waiting_plane>> plane;
  const auto serve_health = [&]() -> base::expected<void> {
    if (plane) return {};
    auto made = open_waiting_plane();
    if (!made) return tl::unexpected(made.error());
    plane = *std::move(made);
    return {};
  };
  while (true) {
    // A silent store delays neither signals nor answers to health checks.
    auto attempt = std::make_unique<attempt_apart>([this] { return open(); });
    while (true) {
      const auto woken = watch.wait({attempt->done_fd()}, waiting_pause);
      if (woken == main_watch::wake::event) break;
      if (woken == main_watch::wake::ending) {
        static_cast<void>(attempt.release()); // it ends with the process
        return ended();
      }
      if (auto serves = serve_health(); !serves) return serves;
      watch.tell_waiting(why);
    }
    auto opened = attempt->take();
    if (opened && plane) base::log(base::log_event::store_reached, "the store answers");
    if (opened || !store::is_out_of_reach(opened.error())) return opened;
    if (auto serves = serve_health(); !serves) return serves;
    const auto now = base::machine_clock().now();
    if (now - begun >= config_.start_wait) {
      opened.error().detail += "; gave up after start-wait-ms";
      return opened;
    }
    why = base::to_string(opened.error());
    if (now >= next_line) {
      base::log(base::log_event::store_waiting, "not ready: {}; retrying once a second", why);
      next_line = now + waiting_line_interval;
    }
    watch.tell_waiting(why);
    if (watch.wait({}, waiting_pause) == main_watch::wake::ending) return ended();
  }
}

base::expected<std::unique_ptr<waiting_plane>> node::open_waiting_plane() {
  // The sockets belong to the predecessor until it hands them over.
  if (listening_.has_predecessor()) return nullptr;
  if (auto bound = listening_.open_ops(); !bound) return tl::unexpected(bound.error());
  base::file_descriptor shared{::fcntl(listening_.ops_socket().get(), F_DUPFD_CLOEXEC, 0)};
  if (shared.get() < 0) return base::fail(base::errc::io_failed, "cannot duplicate a listener");
  waiting_parts parts;
  parts.system = &actors_;
  parts.front = ops_front_;
  parts.pool = blocking_.get();
  parts.bounds = &waiting_bounds_;
  parts.metrics = &waiting_metrics_;
  if (config_.ops_tls) {
    // Without ticket keys: no session outlives this plane.
    auto material = http::read_tls_files(config_.tls);
    if (!material) return tl::unexpected(material.error());
    auto context = http::tls_context::for_server(*material, http::tls_purpose::ops);
    if (!context) return tl::unexpected(context.error());
    parts.tls = *std::move(context);
  }
  base::log(base::log_event::store_plane_open,
            "waiting for the store; the ops plane on {} answers /healthz and /readyz",
            url_of_ops());
  return std::make_unique<waiting_plane>(parts, std::move(shared));
}

base::expected<void> node::open_database() {
  if (auto own = store::refuse_secrets_of_others(config_.store); !own) return own;
  store::store_settings settings;
  if (config_.store.url.empty()) {
    // One for each task that may need one and one for the catalog's feed, so that none waits.
    settings.sessions.at_once =
        thread_counts::blocking + 2 * config_.exports.jobs_limit + thread_counts::surveying + 1;
  } else {
    settings = server_settings(config_);
    store_work_ = std::make_unique<base::thread_pool>(thread_counts::store, blocking_nice);
  }
  auto database = store::open_store(config_.store, settings);
  if (!database) return tl::unexpected(database.error());
  database_ = *std::move(database);
  database_->stand_behind(fence_);
  if (config_.store.url.empty()) database_file_.emplace(config_.store.data_dir);
  if (!config_.store.url.empty()) {
    replicas_ = std::make_shared<store::replica_lease>(database_, replica_id_, replica_count_,
                                                       board_, clock_);
    if (auto counted = replicas_->renew(); !counted) return counted;
  }
  auto ops = ops_services::open(config_, database_, fence_);
  if (!ops) return tl::unexpected(ops.error());
  ops_ = *std::move(ops);
  auto secrets = store::open_secrets(config_.store);
  if (!secrets) return tl::unexpected(secrets.error());
  secrets_ = *std::move(secrets);
  return {};
}

base::expected<void> node::open() {
  if (auto opened = open_database(); !opened) return opened;
  if (auto kept = check_last_protections(); !kept) return kept;
  if (config_.store.url.empty())
    for (const auto& hazard : store::hazards_of(config_.store.data_dir))
      base::log(base::log_event::store_hazard, "{}", hazard);
  if (auto opened = open_objects(); !opened) return opened;
  if (auto opened = open_housekeeping(); !opened) return opened;
  auto keys = store::secret_ring::open(secrets_, store::secret_name::signing_keys);
  if (!keys) return tl::unexpected(keys.error());
  signing_keys_ = *std::move(keys);
  auto catalog = database_->catalog().and_then([](const auto& from) { return from->load(); });
  if (!catalog) return tl::unexpected(catalog.error());
  auto tokens = database_->access().and_then([](const auto& from) { return from->load_tokens(); });
  if (!tokens) return tl::unexpected(tokens.error());
  first_tokens_ = *std::move(tokens);
  first_catalog_ = std::make_shared<const model::catalog>(*std::move(catalog));

  if (config_.ranking.default_namespace &&
      !first_catalog_->find_namespace(*config_.ranking.default_namespace))
    base::log(base::log_event::catalog_no_default,
              "default-namespace {} is not in the catalog; until it is, listings without a "
              "namespace show all regions",
              model::to_string(*config_.ranking.default_namespace));
  latencies_ =
      std::make_shared<actors::latency_map_state>(config_.latencies, latency_metrics_, true);
  latencies_->set_catalog(first_catalog_);
  if (const auto read = actors::read_latencies(*database_, *latencies_, clock_, latency_patience);
      !read)
    base::log(base::log_event::latencies_failed, "latencies: {}; they are read later",
              base::to_string(read.error()));
  if (auto opened = open_tls(); !opened) return opened;
  return open_geoip();
}

base::expected<void> node::open_objects() {
  if (config_.store.has_bucket()) return open_bucket();
  const auto descriptors = raise_descriptor_limit();
  images_ = std::make_shared<store::referred_images>(
      std::make_shared<store::media_files>(config_.store.data_dir, media_descriptors(descriptors)),
      database_, config_.retention.replaced_images);
  ops_images_ = images_;
  auto objects = store::open_objects(config_.store);
  if (!objects) return tl::unexpected(objects.error());
  image_objects_ = *std::move(objects);
  auto files = store::export_files::open(
      config_.store.data_dir,
      {config_.exports.files_limit_bytes, config_.exports.game_share_percent},
      open_exports(descriptors));
  if (!files) return tl::unexpected(files.error());
  exports_ = *std::move(files);
  return {};
}

base::expected<void> node::open_housekeeping() {
  store::housekeeper_settings settings;
  settings.objects = image_objects_;
  settings.exports = exports_.get();
  settings.owner = replica_id_;
  settings.clock = &clock_;
  auto opened = housekeeping::open(config_, database_, fence_, std::move(settings));
  if (!opened) return tl::unexpected(opened.error());
  housekeeping_ = *std::move(opened);
  return {};
}

base::expected<void> node::open_bucket() {
  auto bucket = store::open_objects(config_.store);
  if (!bucket) return tl::unexpected(bucket.error());
  bucket_ = *std::move(bucket);
  image_objects_ = bucket_;
  const auto images_by = [this](store::objects_delivery delivery, base::byte_budget& budget) {
    return std::make_shared<store::referred_images>(
        std::make_shared<store::bucket_images>(bucket_, delivery, budget), database_,
        config_.retention.replaced_images);
  };
  images_ = images_by(config_.store.delivery, bounds_.budget);
  ops_images_ = images_by(store::objects_delivery::through, ops_bounds_.budget);
  store::export_objects_settings settings;
  settings.objects = bucket_;
  settings.records = database_;
  settings.owner = replica_id_;
  settings.delivery = config_.store.delivery;
  settings.budget = &bounds_.budget;
  settings.clock = &clock_;
  settings.limit_bytes = config_.exports.files_limit_bytes;
  settings.game_share_percent = config_.exports.game_share_percent;
  settings.timeout = config_.limits.export_timeout;
  exports_ = std::make_unique<store::export_objects>(std::move(settings));
  return {};
}

base::expected<void> node::open_tls() {
  const auto is_tls = [](const data_listener& each) { return each.kind.tls; };
  if (!config_.ops_tls && std::ranges::none_of(config_.listen, is_tls)) return {};
  auto opened = tls_renewal::open(config_.tls, clock_);
  if (!opened) return tl::unexpected(std::move(opened).error());
  tls_ = *std::move(opened);
  return {};
}

base::expected<void> node::open_geoip() {
  if (config_.geoip_files.empty())
    base::log(base::log_event::geoip_missing,
              "no GeoIP file: players cannot be located, so all of them get the same order of "
              "regions; pass --geoip FILE");
  if (config_.geoip_files.empty() && config_.geoip_asn_file.empty()) return {};
  auto files = store::geoip_files::open(config_.geoip_files, config_.geoip_asn_file);
  if (!files) return tl::unexpected(files.error());
  geoip_files_ = *std::move(files);
  geoip_metrics_.last_taken_s.set(base::machine_clock().unix_ms() / 1'000);
  return {};
}

std::shared_ptr<http::access_gate>
node::make_gate(const std::shared_ptr<const http::front_settings>& front,
                http::transport_metrics& metrics) {
  auto gate = std::make_shared<http::access_gate>(front, rate_limits_, &metrics, clock_);
  gate->set_tokens(first_tokens_);
  gate->set_catalog(first_catalog_);
  return gate;
}

node::loop_part node::make_loop(http::shared_bounds& bounds,
                                const std::shared_ptr<const http::front_settings>& front,
                                http::transport_metrics& metrics) {
  loop_part part;
  part.gate = make_gate(front, metrics);
  const auto busy_poll =
      bounds.serves == http::plane::data ? config_.busy_poll : std::chrono::microseconds{};
  part.loop = std::make_unique<http::event_loop>(actors_, base::machine_clock(), busy_poll);
  part.transport = std::make_unique<http::loop_transport>(
      *part.loop, base::machine_clock(), *blocking_, bounds,
      std::make_shared<const http::front_rules>(part.gate), metrics, base::random_seed(),
      [this] { on_transport_empty(); });
  part.transport->log_access(access_log_, config_.access_log);
  if (!tls_) return part;
  const auto purpose =
      bounds.serves == http::plane::ops ? http::tls_purpose::ops : http::tls_purpose::data;
  part.transport->acceptor().set_tls(tls_->make(purpose));
  tls_->follow(purpose, [loop = part.loop.get(), transport = part.transport.get()](
                            const std::shared_ptr<http::tls_context>& context) {
    loop->post([transport, context] { transport->acceptor().set_tls(context); });
  });
  return part;
}

void node::make_transports() {
  ops_metrics_.kept = traces_.get();
  ops_loop_ = make_loop(ops_bounds_, ops_front_, ops_metrics_);
  for (std::size_t i = 0; i < data_loops(config_); ++i) {
    auto& metrics = transport_metrics_.emplace_back();
    metrics.kept = traces_.get();
    loops_.push_back(make_loop(bounds_, front_, metrics));
  }
  if (config_.transport == transport_kind::httplib)
    httplib_ = std::make_unique<http::httplib_transport>(
        base::machine_clock(), bounds_, transport_metrics_.front(), base::random_seed(),
        [this] { on_transport_empty(); });
}

base::expected<void> node::bind() {
  auto access = http::access_log::open(config_.access_log);
  if (!access) return tl::unexpected(access.error());
  access_log_->use(*std::move(access));
  make_transports();
  ranking_metrics_.resize(loops_.size());
  if (config_.ranking.counts_places) places_.resize(ranking_metrics_.size());
  auto bound = listening_.open_for_loops(httplib_ ? 1 : loops_.size());
  if (bound) bound = listening_.open_ops();
  if (!bound) return bound;
  listening_.warn();
  children_ = std::make_shared<actors::child_table>(
      child_specs_of(parts()),
      actors::initial_state{first_catalog_, geoip_files_ ? geoip_files_->in_force() : nullptr,
                            first_tokens_, latencies_->publish(clock_.unix_ms())},
      config_.restarts.intensity, config_.restarts.window);
  report();
  return {};
}

std::shared_ptr<const node_parts> node::parts() {
  auto made = std::make_shared<node_parts>();
  made->system = &actors_;
  made->config = config_;
  made->clock = &clock_;
  made->short_work = blocking_.get();
  made->long_work = exporting_.get();
  auto* const store_work = store_work_ ? store_work_.get() : blocking_.get();
  made->store_work = store_work;
  made->database = database_;
  made->contact = contact_;
  made->fence = fence_;
  if (database_file_) made->look_at_store = [this] { look_at_store(); };
  made->exports = exports_.get();
  made->signing_keys = signing_keys_.get();
  made->images = images_;
  made->geoip_files = geoip_files_;
  made->export_state = export_state_;
  made->new_id = new_id;
  made->front = front_;
  made->public_url = public_url();
  // The loops keep images in at most half of the available descriptors, or an eighth of the bytes;
  // the rest is for other downloads.
  const auto loops = loops_.size();
  made->images_are_in_memory = bucket_ != nullptr;
  made->images_kept_limit =
      bucket_ ? config_.limits.byte_budget_bytes / 8 / loops
              : std::clamp<std::size_t>(media_descriptors(raise_descriptor_limit()) / 2 / loops, 1,
                                        config_.media.open_files);
  made->avatar_lists = make_avatar_lists(made->public_url, store_work);
  made->latencies = latencies_;
  made->latency_gate = latency_gate_;
  made->export_metrics = &export_metrics_;
  made->geoip_metrics = &geoip_metrics_;
  made->ranking_metrics = &ranking_metrics_;
  if (config_.ranking.counts_places) made->places = &places_;
  for (const auto& part : loops_)
    made->loops.push_back({part.loop.get(), &part.transport->exchanges(), part.gate});
  if (httplib_) made->loops.front().transport = httplib_.get();
  made->ops = parts_of_ops();
  made->ops.administration.forget_avatars = [images = images_, of_ops = ops_images_,
                                             lists = made->avatar_lists] {
    images->forget();
    of_ops->forget();
    lists->forget({.revision = 0, .games = {}, .all = true});
  };
  made->repeated.push_back({"housekeeping", housekeeping_->task()});
  if (tls_)
    made->repeated.push_back({"tls_watch",
                              {[tls = tls_, fence = fence_] {
                                 if (!fence->why()) tls->reload(); // it also writes to the store
                               },
                               store_work}});
  if (replicas_)
    made->repeated.push_back(
        {"replica_watch", {[of = replicas_] { static_cast<void>(of->renew()); }, store_work}});
  return made;
}

std::shared_ptr<actors::avatar_lists> node::make_avatar_lists(const std::string& public_url,
                                                              base::blocking_pool* pool) {
  actors::avatar_settings settings{config_.avatars};
  settings.database = database_;
  settings.pool = pool;
  settings.budget = &bounds_.budget;
  settings.metrics = &avatar_metrics_;
  settings.image_url = config_.store.images_url.empty()
                           ? model::image_urls_below(public_url)
                           : image_urls_in_bucket(config_.store.images_url);
  return std::make_shared<actors::avatar_lists>(std::move(settings));
}

ops_parts node::parts_of_ops() {
  ops_parts made;
  made.loop = {ops_loop_.loop.get(), &ops_loop_.transport->exchanges(), ops_loop_.gate};
  made.front = ops_front_;
  made.ingest_store = ops_->ingest_store();
  made.ingesting = &ops_->ingesting();
  made.ingestion_metrics = &ops_->ingestion_metrics();
  made.administration = {ops_->administered(), &ops_->administering(), &clock_};
  made.administration.images = image_objects_;
  made.administration.history_kept = config_.retention.history;
  made.reports = ops_->reports();
  made.images = ops_images_;
  made.surveys.database = database_;
  made.surveys.pool = &ops_->surveying();
  made.bookkeeping.database = ops_->administered();
  made.bookkeeping.pool = &ops_->administering();
  made.bookkeeping.clock = &clock_;
  made.bookkeeping.tally = ops_->ingest_store()->tally();
  made.fault_audit = {ops_->administered(), &ops_->administering()};
  if (const auto seed = ops_->fault_seed()) {
    made.fault_seed = *seed;
    made.faults = ops_->faults();
  }
  return made;
}

std::string node::public_url() const {
  const auto base =
      config_.public_url.empty() ? url_of(listening_.data().front()) : config_.public_url;
  return base + config_.front.base_path;
}

void node::start_actors() {
  const auto run = [](loop_part& part) {
    part.thread = std::thread{[loop = part.loop.get()] {
      actors::notes_only_sampled = true;
      loop->run();
    }};
  };
  for (auto& part : loops_)
    run(part);
  run(ops_loop_);
  for (auto& part : loops_)
    pulse_.add(*part.loop);
  pulse_.add(*ops_loop_.loop);
  supervision_.start(children_);
}

void node::on_storm(bool storms) {
  ready_.set_storming(storms);
  if (storms && config_.restarts.ends_process) signal(failed_);
}

void node::on_fenced(const base::error& why) {
  base::log(base::log_event::store_fenced,
            "this program may no longer use its store: {}; it is not ready, and reads and writes "
            "nothing there until a newer program takes over",
            base::to_string(why));
  ready_.set_fenced();
}

void node::look_at_store() {
  const auto why = database_file_->why_lost();
  const std::lock_guard lock{told_lost_mutex_};
  if (std::exchange(told_lost_, why) == why) return;
  if (why)
    base::log(base::log_event::store_lost, "not ready: the database {}: {}", database_file_->path(),
              *why);
  else
    base::log(base::log_event::store_found, "the database {} is back", database_file_->path());
  ready_.set_lost(why.has_value());
}

void node::start_serving() {
  const auto listen = [](const loop_part& on, base::file_descriptor socket,
                         http::listener_kind kind) {
    // The posted task must be copyable, and the socket is not.
    auto shared = std::make_shared<base::file_descriptor>(std::move(socket));
    on.loop->post([transport = on.transport.get(), shared, kind] {
      transport->acceptor().listen(std::move(*shared), kind);
    });
  };
  auto& listeners = listening_.sockets();
  for (std::size_t number = 0; number < listeners.size(); ++number) {
    auto& sockets = listeners[number].sockets;
    for (std::size_t i = 0; i < sockets.size(); ++i) {
      if (httplib_) {
        httplib_->serve(std::move(sockets[i]));
        continue;
      }
      http::accept_with_first_bytes(sockets[i].get(), true);
      listen(loops_[i % loops_.size()], std::move(sockets[i]), listening_.data()[number].kind);
    }
  }
  listen(ops_loop_, std::move(listening_.ops_socket()), {false, config_.ops_tls});
  ready_.set_serving();
  // Errors must not prevent the start; the rules were checked when they were read.
  for (const auto& [at, rule] : config_.faults)
    static_cast<void>(ops_->faults()->inject(at, rule, base::machine_clock().now()));
  record_protections(model::audit_action::service_start);
}

void node::on_transport_empty() {
  signal(emptied_);
}

void node::on_each_loop(void (http::loop_transport::*what)()) {
  for (auto& part : loops_)
    part.loop->post([transport = part.transport.get(), what] { (transport->*what)(); });
}

void node::on_ops_loop(void (http::loop_transport::*what)()) {
  ops_loop_.loop->post([transport = ops_loop_.transport.get(), what] { (transport->*what)(); });
}

service_health node::health() {
  return {[this] { return pulse_.beat(); }, [this] { return describe(); }};
}

std::string node::describe() const {
  std::int64_t connections = 0;
  for (const auto& each : transport_metrics_)
    connections += each.connections.get();
  const auto state = state_->load();
  auto text = state == http::service_state::ready ? "serving"
              : state == http::service_state::draining
                  ? "draining"
                  : "not ready (" + std::string{http::name_of(state)} + ")";
  return text + ", " +
         model::counted(static_cast<std::uint64_t>(std::max<std::int64_t>(0, connections)),
                        "connection");
}

node::drained node::wait_drained(std::chrono::milliseconds at_most, main_watch& watch) {
  const auto deadline = base::machine_clock().now() + at_most;
  while (transports_left_ > 0) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - base::machine_clock().now());
    if (left.count() <= 0) return drained::late;
    const auto woken = watch.wait({emptied_.get()}, left);
    if (woken == main_watch::wake::ending) return drained::interrupted;
    if (woken == main_watch::wake::late) continue;
    std::uint64_t emptied = 0;
    if (::read(emptied_.get(), &emptied, sizeof emptied) == sizeof emptied)
      transports_left_ -= std::min<std::size_t>(transports_left_, emptied);
  }
  return drained::all;
}

void node::announce_end(main_watch& watch) {
  if (config_.drain_delay.count() == 0) return;
  ready_.set_draining();
  on_each_loop(&http::loop_transport::accept_silent);
  watch.wait({listening_.handed_over_fd()}, config_.drain_delay);
}

void node::drain(main_watch& watch) {
  const auto whole = config_.drain_timeout;
  const auto end = base::machine_clock().now() + whole;
  // Before anything else: a process that starts as a replacement finds name and ports free
  // together.
  const bool handed_over = listening_.end_offer();
  transports_left_ = loops_.size() + (httplib_ ? 1 : 0);
  on_each_loop(handed_over ? &http::loop_transport::hand_over : &http::loop_transport::begin_drain);
  if (httplib_) httplib_->begin_drain();
  ready_.set_draining(); // last, so that the loops drain before anybody sees this state
  // Otherwise the ops plane stays up, so that operators can watch the rest drain.
  if (handed_over) {
    ++transports_left_;
    on_ops_loop(&http::loop_transport::hand_over);
    on_ops_loop(&http::loop_transport::close_idle); // watchers reconnect to the successor
  }
  const bool waits_for_idle = handed_over || config_.drain_delay.count() > 0;
  const auto until_idle_close =
      waits_for_idle ? whole * 2 / 3 : std::min(whole * 2 / 3, idle_grace);
  auto reached = wait_drained(until_idle_close, watch);
  if (reached == drained::late) {
    on_each_loop(&http::loop_transport::close_idle);
    if (httplib_) httplib_->close_idle();
    reached = wait_drained(whole - until_idle_close, watch);
  }
  if (reached == drained::all && !handed_over) {
    ++transports_left_;
    on_ops_loop(&http::loop_transport::begin_drain);
    on_ops_loop(&http::loop_transport::close_idle);
    const auto left = end - base::machine_clock().now();
    reached = wait_drained(std::chrono::ceil<std::chrono::milliseconds>(left), watch);
  }
  if (reached == drained::all) return;
  on_each_loop(&http::loop_transport::end_now);
  if (httplib_) httplib_->end_now();
  on_ops_loop(&http::loop_transport::end_now);
}

node::~node() {
  listening_.end();
  supervision_.stop_replacing();
  if (ops_) ops_->faults()->end();
  ready_.end();
  if (httplib_) {
    httplib_->begin_drain();
    httplib_->end_now();
  }
  // Resident actors end first, while their loops still run; afterwards nothing uses the transports.
  supervision_.end();
  httplib_.reset();
  const auto stop = [](loop_part& part) {
    if (!part.loop) return;
    part.loop->stop();
    if (part.thread.joinable()) part.thread.join();
  };
  for (auto& part : loops_)
    stop(part);
  stop(ops_loop_);
  export_state_->reports()->close(); // The threads joined next write exports.
  if (bucket_) bucket_->stop();
  if (housekeeping_) housekeeping_->end();
  // All threads end before anything that a task may use: a task of one pool waits for the store
  // while the others have ended.
  blocking_->end();
  exporting_->end();
  if (store_work_) store_work_->end();
  if (ops_) ops_->end();
  loops_.clear();
  ops_loop_.transport.reset(); // before its loop, from which it removes its listener
  ops_loop_.loop.reset();
}

} // namespace matchcloud::app
