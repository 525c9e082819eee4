#include "app/node/node.hpp"

#include "actors/request/resident.hpp"
#include "actors/request/traced_step.hpp"
#include "app/node/descriptors.hpp"
#include "app/node/embedded_console.hpp"
#include "app/node/exposure.hpp"
#include "app/node/last_protections.hpp"
#include "app/node/thread_counts.hpp"
#include "app/process/main_process_claim.hpp"
#include "base/build_info.hpp"
#include "base/events/log.hpp"
#include "base/failure.hpp"
#include "base/faults.hpp"
#include "base/randomness.hpp"
#include "http/front/front.hpp"
#include "http/front/front_rules.hpp"
#include "http/front/static_content.hpp"
#include "http/reference/openapi.hpp"
#include "http/tls/tls_files.hpp"
#include "model/text/counts.hpp"
#include "store/engines/store_place.hpp"
#include "store/exports/export_objects.hpp"
#include "store/exports/former_exports.hpp"
#include "store/files/data_directory.hpp"
#include "store/media/images.hpp"
#include "store/open_store.hpp"

#include <caf/all.hpp>
#include <caf/thread_hook.hpp>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <future>
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

void signal(const base::file_descriptor& event) {
  ::eventfd_write(event.get(), 1);
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
  const auto started = base::attempt([&] { made->start(watch); });
  if (started) return made;
  // The process ends at once: a thread may still wait for the store.
  if (started.error().code == base::errc::cancelled) static_cast<void>(made.release());
  return tl::unexpected(started.error());
}

void node::start(main_watch& watch) {
  listening_.find_predecessor();
  start_ops_plane();
  open_patiently(watch);
  start_owners();
  // A successor that receives a signal to end leaves the listeners with its predecessor.
  if (watch.wait({}, std::chrono::milliseconds{0}) == main_watch::wake::ending)
    throw base::failure{base::errc::cancelled, "interrupted before serving"};
  const bool replaces = listening_.has_predecessor();
  {
    // Claimed before the predecessor lets go, because it may end at once.
    main_process_claim claim{watch, listening_.predecessor()};
    listening_.take_over();
    // From here on the predecessor ends in an orderly way. If this process fails now, the service
    // has failed, and the service manager should see that.
    claim.keep();
  }
  start_serving();
  if (replaces) listen_on_ops();
  ready_.set_serving();
  // Errors must not prevent the start; the rules were checked when they were read.
  for (const auto& [at, rule] : config_.faults)
    static_cast<void>(ops_->faults()->inject(at, rule, base::machine_clock().now()));
  record_protections(model::audit_action::service_start);
  listening_.offer();
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
      opening_{std::make_unique<base::thread_pool>(1, 0)},
      opened_{eventfd(0, EFD_CLOEXEC)},
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

void node::take_up(const serve_config& config) {
  if (httplib_)
    throw base::failure{base::errc::config_invalid,
                        "the transport httplib cannot reload while it serves; restart the service"};
  auto access = base::value_of(http::access_log::open(config.access_log));
  if (tls_) base::value_of(tls_->use(config.tls));
  access_log_->use(std::move(access));
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
}

void node::check_last_protections() {
  if (!has_fixed_port(config_)) return;
  const auto last = base::value_of(find_last_protections(*database_));
  if (!last) return;
  last_protections_ = last->given;
  base::value_of(check_against(*last, protections_of(config_.given)));
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

void node::start_ops_plane() {
  access_log_->use(base::value_of(http::access_log::open(config_.access_log)));
  open_tls();
  ops_metrics_.kept = traces_.get();
  ops_loop_ = make_loop(ops_bounds_, ops_front_, ops_metrics_);
  ops_loop_.gate->wait_for_store();
  listening_.open_ops();
  run(ops_loop_);
  // It accepts requests once it knows the owners, and there are none.
  first_front_ = actors::spawn_resident<http::front>(
      actors_, *ops_loop_.loop, std::ref<http::exchange_sink>(ops_loop_.transport->exchanges()),
      ops_loop_.gate);
  caf::anon_send(first_front_, actors::owners{std::vector<caf::actor>(base::owner_count)});
  // The sockets belong to a predecessor until it hands them over.
  if (!listening_.has_predecessor()) listen_on_ops();
}

void node::open_patiently(main_watch& watch) {
  using wake = main_watch::wake;
  const auto begun = base::machine_clock().now();
  auto next_line = begun;
  std::string why = "the store has not answered yet";
  bool has_waited = false;
  const auto note_waiting = [&] {
    if (!config_.waits_for_store()) return;
    watch.tell_waiting(why);
    if (!std::exchange(has_waited, true) && !listening_.has_predecessor())
      base::log(base::log_event::store_plane_open,
                "waiting for the store; the ops plane on {} answers /healthz and /readyz",
                url_of_ops());
  };
  const auto pause = [&](std::initializer_list<int> until) {
    const auto woken = watch.wait(until, waiting_pause);
    if (woken == wake::ending)
      throw base::failure{base::errc::cancelled,
                          config_.waits_for_store() ? "interrupted while the store was out of reach"
                                                    : "interrupted before serving"};
    return woken;
  };
  while (true) {
    // A silent store delays neither signals nor answers to health checks.
    const auto attempt = std::make_shared<std::packaged_task<void()>>([this] { open(); });
    auto result = attempt->get_future();
    opening_->submit([this, attempt] {
      (*attempt)();
      signal(opened_);
    });
    while (pause({opened_.get()}) == wake::late)
      note_waiting();
    eventfd_t ignored = 0;
    ::eventfd_read(opened_.get(), &ignored);
    auto opened = base::attempt([&] { result.get(); });
    if (opened) break;
    auto& failed = opened.error();
    const auto now = base::machine_clock().now();
    if (!failed.may_pass || !config_.waits_for_store()) throw base::failure{failed};
    if (now - begun >= config_.start_wait) {
      failed.detail += "; gave up after start-wait-ms";
      throw base::failure{failed};
    }
    why = base::to_string(failed);
    note_waiting();
    if (now >= next_line) {
      base::log(base::log_event::store_waiting, "not ready: {}; retrying once a second", why);
      next_line = now + waiting_line_interval;
    }
    pause({});
  }
  opening_.reset();
  if (has_waited) base::log(base::log_event::store_reached, "the store answers");
}

void node::open_database() {
  base::value_of(store::refuse_secrets_of_others(config_.store));
  const bool is_embedded = config_.store.url.empty();
  store::store_settings settings;
  if (is_embedded) {
    // One for each task that may need one and one for the catalog's feed, so that none waits.
    settings.sessions.at_once =
        thread_counts::blocking + 2 * config_.exports.jobs_limit + thread_counts::surveying + 1;
  } else {
    settings = {.patience = actors::administration::patience, .sessions = config_.store_sessions};
    store_work_ = std::make_unique<base::thread_pool>(thread_counts::store, blocking_nice);
  }
  database_ = base::value_of(store::open_store(config_.store, settings));
  database_->stand_behind(fence_);
  if (is_embedded) {
    database_file_.emplace(config_.store.data_dir);
  } else {
    replicas_ = std::make_shared<store::replica_lease>(database_, replica_id_, replica_count_,
                                                       board_, clock_);
    base::value_of(replicas_->renew());
  }
  ops_ = ops_services::open(config_, database_, fence_);
  secrets_ = base::value_of(store::open_secrets(config_.store));
}

void node::open() {
  open_database();
  check_last_protections();
  if (config_.store.url.empty())
    for (const auto& hazard : store::hazards_of(config_.store.data_dir))
      base::log(base::log_event::store_hazard, "{}", hazard);
  open_objects();
  open_housekeeping();
  signing_keys_ = base::value_of(store::secret_ring::open(secrets_));
  first_catalog_ = std::make_shared<const model::catalog>(
      base::value_of(base::value_of(database_->catalog())->load()));
  first_tokens_ = base::value_of(base::value_of(database_->access())->load_tokens());
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
  open_geoip();
}

void node::open_objects() {
  const auto descriptors = raise_descriptor_limit();
  objects_ = base::value_of(store::open_objects(config_.store));
  if (config_.store.has_bucket()) {
    bucket_ = objects_;
  } else {
    // A disk that cannot be written to is noticed now.
    const auto aside = store::temporary_folder::make(config_.store.data_dir);
    store::adopt_former_exports(config_.store.data_dir, *database_, clock_.unix_ms());
  }
  open_images(media_descriptors(descriptors));
  open_exports(app::open_exports(descriptors));
}

void node::open_housekeeping() {
  store::housekeeper_settings settings;
  settings.objects = objects_;
  settings.exports = exports_.get();
  settings.owner = replica_id_;
  settings.clock = &clock_;
  housekeeping_ = housekeeping::open(config_, database_, fence_, std::move(settings));
}

void node::open_images(std::size_t open_limit) {
  const auto by = [&](store::objects_delivery delivery, base::byte_budget& budget) {
    return std::make_shared<store::referred_images>(
        std::make_shared<store::stored_images>(objects_, delivery, budget, open_limit), database_,
        config_.retention.replaced_images);
  };
  images_ = by(config_.store.delivery, bounds_.budget);
  ops_images_ =
      objects_->is_local() ? images_ : by(store::objects_delivery::through, ops_bounds_.budget);
}

void node::open_exports(std::size_t open_limit) {
  store::export_objects_settings settings;
  settings.objects = objects_;
  settings.records = database_;
  settings.owner = replica_id_;
  settings.delivery = config_.store.delivery;
  settings.budget = &bounds_.budget;
  settings.clock = &clock_;
  settings.limit_bytes = config_.exports.files_limit_bytes;
  settings.game_share_percent = config_.exports.game_share_percent;
  settings.timeout = config_.limits.export_timeout;
  settings.open_limit = open_limit;
  exports_ = std::make_unique<store::export_objects>(std::move(settings));
}

void node::open_tls() {
  const auto is_tls = [](const data_listener& each) { return each.kind.tls; };
  if (config_.ops_tls || std::ranges::any_of(config_.listen, is_tls))
    tls_ = base::value_of(tls_renewal::open(config_.tls, clock_));
}

void node::open_geoip() {
  if (config_.geoip_files.empty())
    base::log(base::log_event::geoip_missing,
              "no GeoIP file: players cannot be located, so all of them get the same order of "
              "regions; pass --geoip FILE");
  if (config_.geoip_files.empty() && config_.geoip_asn_file.empty()) return;
  geoip_files_ =
      base::value_of(store::geoip_files::open(config_.geoip_files, config_.geoip_asn_file));
  geoip_metrics_.last_taken_s.set(base::machine_clock().unix_ms() / 1'000);
}

node::loop_part node::make_loop(http::shared_bounds& bounds,
                                const std::shared_ptr<const http::front_settings>& front,
                                http::transport_metrics& metrics) {
  loop_part part;
  part.gate = std::make_shared<http::access_gate>(front, rate_limits_, &metrics, clock_);
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

void node::know_store(http::access_gate& gate) const {
  gate.set_tokens(first_tokens_);
  gate.set_catalog(first_catalog_);
}

void node::run(loop_part& part) {
  part.thread = std::thread{[loop = part.loop.get()] {
    actors::notes_only_sampled = true;
    loop->run();
  }};
}

void node::start_owners() {
  for (std::size_t i = 0; i < data_loops(config_); ++i) {
    auto& metrics = transport_metrics_.emplace_back();
    metrics.kept = traces_.get();
    loops_.push_back(make_loop(bounds_, front_, metrics));
    know_store(*loops_.back().gate);
  }
  if (config_.transport == transport_kind::httplib)
    httplib_ = std::make_unique<http::httplib_transport>(
        base::machine_clock(), bounds_, transport_metrics_.front(), base::random_seed(),
        [this] { on_transport_empty(); });
  ranking_metrics_.resize(loops_.size());
  if (config_.ranking.counts_places) places_.resize(ranking_metrics_.size());
  listening_.open_for_loops(httplib_ ? 1 : loops_.size());
  for (const auto& line : exposure_warnings(config_, listening_.data()))
    base::log(base::log_event::service_exposed, "{}", line);
  children_ = std::make_shared<actors::child_table>(
      child_specs_of(parts()),
      actors::initial_state{first_catalog_, geoip_files_ ? geoip_files_->in_force() : nullptr,
                            first_tokens_, latencies_->publish(clock_.unix_ms())},
      config_.restarts.intensity, config_.restarts.window);
  report();
  for (auto& part : loops_) {
    run(part);
    pulse_.add(*part.loop);
  }
  pulse_.add(*ops_loop_.loop);
  end_first_front();
  // Before the next front is made, on another thread: it reads the catalog.
  std::binary_semaphore knows{0};
  ops_loop_.loop->post([&] {
    know_store(*ops_loop_.gate);
    knows.release();
  });
  knows.acquire();
  supervision_.start(children_);
}

void node::end_first_front() {
  if (!first_front_) return;
  caf::scoped_actor self{actors_};
  self->send_exit(first_front_, caf::exit_reason::user_shutdown);
  self->wait_for(first_front_);
  first_front_ = nullptr;
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
  made->public_url = public_url();
  // The loops keep images in at most half of the descriptors for files, or in an eighth of the
  // bytes for what is in memory; the rest is for other downloads.
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
  auto& ops = made->ops = ops_->parts(clock_);
  ops.loop = {ops_loop_.loop.get(), &ops_loop_.transport->exchanges(), ops_loop_.gate};
  ops.administration.images = objects_;
  ops.administration.history_kept = config_.retention.history;
  ops.images = ops_images_;
  ops.surveys.database = database_;
  ops.administration.forget_avatars = [images = images_, of_ops = ops_images_,
                                       lists = made->avatar_lists] {
    images->forget();
    of_ops->forget();
    lists->forget({.revision = 0, .games = {}, .all = true});
  };
  made->repeated.push_back({"housekeeping", housekeeping_->task()});
  if (tls_) made->repeated.push_back({"tls_watch", {[tls = tls_] { tls->reload(); }, store_work}});
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

std::string node::public_url() const {
  const auto base =
      config_.public_url.empty() ? url_of(listening_.data().front()) : config_.public_url;
  return base + config_.front.base_path;
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

void node::listen(const loop_part& on, base::file_descriptor socket, http::listener_kind kind) {
  // The posted task must be copyable, and the socket is not.
  auto shared = std::make_shared<base::file_descriptor>(std::move(socket));
  on.loop->post([transport = on.transport.get(), shared, kind] {
    transport->acceptor().listen(std::move(*shared), kind);
  });
}

void node::listen_on_ops() {
  listen(ops_loop_, std::move(listening_.ops_socket()), {false, config_.ops_tls});
}

void node::start_serving() {
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
}

void node::on_transport_empty() {
  signal(emptied_);
}

void node::tell(const loop_part& part, void (http::loop_transport::*what)()) {
  part.loop->post([transport = part.transport.get(), what] { (transport->*what)(); });
}

void node::tell_each(void (http::loop_transport::*what)()) {
  for (const auto& part : loops_)
    tell(part, what);
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
    eventfd_t emptied = 0;
    if (::eventfd_read(emptied_.get(), &emptied) == 0)
      transports_left_ -= std::min<std::size_t>(transports_left_, emptied);
  }
  return drained::all;
}

void node::announce_end(main_watch& watch) {
  if (config_.drain_delay.count() == 0) return;
  ready_.set_draining();
  tell_each(&http::loop_transport::accept_silent);
  watch.wait({listening_.handed_over_fd()}, config_.drain_delay);
}

void node::drain(main_watch& watch) {
  const auto whole = config_.drain_timeout;
  const auto end = base::machine_clock().now() + whole;
  // Before anything else: a process that starts as a replacement finds name and ports free
  // together.
  const bool handed_over = listening_.end_offer();
  transports_left_ = loops_.size() + (httplib_ ? 1 : 0);
  tell_each(handed_over ? &http::loop_transport::hand_over : &http::loop_transport::begin_drain);
  if (httplib_) httplib_->begin_drain();
  ready_.set_draining(); // last, so that the loops drain before anybody sees this state
  // Otherwise the ops plane stays up, so that operators can watch the rest drain.
  if (handed_over) {
    ++transports_left_;
    tell(ops_loop_, &http::loop_transport::hand_over);
    tell(ops_loop_, &http::loop_transport::close_idle); // watchers reconnect to the successor
  }
  const bool waits_for_idle = handed_over || config_.drain_delay.count() > 0;
  const auto until_idle_close =
      waits_for_idle ? whole * 2 / 3 : std::min(whole * 2 / 3, idle_grace);
  auto reached = wait_drained(until_idle_close, watch);
  if (reached == drained::late) {
    tell_each(&http::loop_transport::close_idle);
    if (httplib_) httplib_->close_idle();
    reached = wait_drained(whole - until_idle_close, watch);
  }
  if (reached == drained::all && !handed_over) {
    ++transports_left_;
    tell(ops_loop_, &http::loop_transport::begin_drain);
    tell(ops_loop_, &http::loop_transport::close_idle);
    const auto left = end - base::machine_clock().now();
    reached = wait_drained(std::chrono::ceil<std::chrono::milliseconds>(left), watch);
  }
  if (reached == drained::all) return;
  tell_each(&http::loop_transport::end_now);
  if (httplib_) httplib_->end_now();
  tell(ops_loop_, &http::loop_transport::end_now);
}

node::~node() {
  opening_.reset();
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
  end_first_front();
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
