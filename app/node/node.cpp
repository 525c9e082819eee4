#include "app/node/node.hpp"

#include "actors/request/resident.hpp"
#include "actors/request/traced_step.hpp"
#include "app/node/descriptors.hpp"
#include "app/node/embedded_console.hpp"
#include "app/node/exposure.hpp"
#include "app/node/thread_counts.hpp"
#include "base/events/log.hpp"
#include "base/failure.hpp"
#include "base/randomness.hpp"
#include "http/front/front.hpp"
#include "http/front/front_rules.hpp"
#include "http/front/static_content.hpp"
#include "http/reference/openapi.hpp"
#include "http/tls/tls_files.hpp"
#include "model/text/counts.hpp"
#include "store/media/images.hpp"

#include <caf/all.hpp>
#include <caf/thread_hook.hpp>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <semaphore>
#include <utility>

namespace matchcloud::app {

namespace {

/// The pauses between attempts to open a store that is out of reach, and between log lines about
/// it.
constexpr std::chrono::milliseconds waiting_pause{1'000};
constexpr std::chrono::minutes waiting_line_interval{1};

constexpr int actors_nice = 5;
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
    static_cast<void>(setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), actors_nice));
  }
  void thread_terminates() override {}
};

void signal(const base::file_descriptor& event) {
  ::eventfd_write(event.get(), 1);
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

// The order of a start:
//  1. The ops plane with a front that knows no owner. In a take-over nobody can connect to it yet.
//  2. The store and what is in it (`node_services`), on a thread of its own.
//  3. The loops and listeners of the data plane; the first front ends, and the owners start.
//  4. In a take-over, the predecessor stops accepting, and this is the main process from now on.
//  5. The data plane accepts, then readiness says so, then faults that the configuration names.
//  6. The audit log gets the protections in force; a successor may take over from now on.
// An end goes the other way. `drain`: no further offer, the data plane drains, readiness says so,
// and the ops plane drains last. `~node`: the offer, the supervisor's successors, faults and
// readiness end; then the actors, while their loops run; then the loops; then the threads for
// blocking work, of which exports are told to stop; then what all of these used.
void node::start(main_watch& watch) {
  listening_.find_predecessor();
  start_ops_plane();
  open_patiently(watch);
  start_owners();
  // A successor that receives a signal to end leaves the listeners with its predecessor.
  if (watch.wait({}, std::chrono::milliseconds{0}) == main_watch::wake::ending)
    throw base::failure{base::errc::cancelled, "interrupted before serving"};
  const bool replaces = listening_.has_predecessor();
  // From then on the predecessor ends in an orderly way. If this process fails after that, the
  // service has failed, and the service manager should see that.
  if (replaces) watch.replace(*listening_.predecessor(), [this] { listening_.take_over(); });
  start_serving();
  if (replaces) listen_on_ops();
  ready_.set_serving();
  // Errors must not prevent the start; the rules were checked when they were read.
  for (const auto& [at, rule] : config_.faults)
    static_cast<void>(services_.ops().faults()->inject(at, rule, base::machine_clock().now()));
  services_.record_protections(model::audit_action::service_start);
  listening_.offer();
}

node::node(const serve_config& config)
    : config_{config},
      documents_{documents_of(config)},
      traces_{std::make_shared<actors::trace_log>(config.trace_one_in, http::operation_count)},
      bounds_{prepared(config.limits), config.front.proxies},
      ops_bounds_{bounds_.limits, {}, http::plane::ops},
      rate_limits_{
          std::make_shared<base::rate_limit_table>(config.front.access.rate_limit_entries)},
      services_{config_, bounds_, ops_bounds_, ready_},
      actors_{actor_config_.add_thread_hook<pool_priority>()
                  .set("scheduler.policy", caf::atom("sharing"))
                  .set("scheduler.max-threads", thread_counts::actors)
                  .set("scheduler.max-throughput", actor_throughput)},
      front_{std::make_shared<const http::front_settings>(data_settings())},
      ops_front_{std::make_shared<const http::front_settings>(ops_settings())},
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
  settings.access.replicas = services_.replica_count();
  settings.documents = documents_;
  settings.store.contact = services_.get().contact;
  settings.traces = traces_;
  settings.configuration = nullptr;
  if (config_.latencies.learns_from_listings) settings.latency_gate = services_.get().latency_gate;
  return settings;
}

http::front_settings node::ops_settings() const {
  http::front_settings settings;
  settings.state = state_;
  settings.started_ms = started_ms_;
  settings.documents = documents_;
  settings.store = config_.front.store;
  settings.store.contact = services_.get().contact;
  settings.plane = http::plane::ops;
  settings.console = embedded_console();
  settings.has_faults = config_.fault_injection;
  settings.configuration = config_.front.configuration;
  settings.access = access_of(config_);
  settings.access.replicas = services_.replica_count();
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
  if (!protects_as_before) services_.record_protections(model::audit_action::service_reload);
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
    const auto attempt = std::make_shared<std::packaged_task<void()>>([this] { services_.open(); });
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

void node::open_tls() {
  const auto is_tls = [](const data_listener& each) { return each.kind.tls; };
  if (config_.ops_tls || std::ranges::any_of(config_.listen, is_tls))
    tls_ = base::value_of(tls_renewal::open(config_.tls, services_.clock()));
}

node::loop_part node::make_loop(http::shared_bounds& bounds,
                                const std::shared_ptr<const http::front_settings>& front,
                                http::transport_metrics& metrics) {
  loop_part part;
  part.gate = std::make_shared<http::access_gate>(front, rate_limits_, &metrics, services_.clock());
  const auto busy_poll =
      bounds.serves == http::plane::data ? config_.busy_poll : std::chrono::microseconds{};
  part.loop = std::make_unique<http::event_loop>(actors_, base::machine_clock(), busy_poll);
  part.transport = std::make_unique<http::loop_transport>(
      *part.loop, base::machine_clock(), services_.blocking(), bounds,
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
  gate.set_tokens(services_.first_tokens());
  gate.set_catalog(services_.first_catalog());
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
  const auto& with = services_.get();
  children_ = std::make_shared<actors::child_table>(
      child_specs_of(layout()),
      actors::initial_state{
          services_.first_catalog(), with.geoip_files ? with.geoip_files->in_force() : nullptr,
          services_.first_tokens(), with.latencies->publish(with.clock->unix_ms())},
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

std::shared_ptr<const node_layout> node::layout() {
  auto made = std::make_shared<node_layout>();
  made->system = &actors_;
  made->config = config_;
  made->public_url = public_url();
  services_.make_avatar_lists(made->public_url);
  const auto& with = services_.get();
  made->services = &with;
  made->look_at_store = services_.look_at_store();
  // The loops keep images in at most half of the descriptors for files, or in an eighth of the
  // bytes for what is in memory; the rest is for other downloads.
  const auto loops = loops_.size();
  made->images_are_in_memory = services_.is_in_bucket();
  made->images_kept_limit =
      services_.is_in_bucket()
          ? config_.limits.byte_budget_bytes / 8 / loops
          : std::clamp<std::size_t>(media_descriptors(raise_descriptor_limit()) / 2 / loops, 1,
                                    config_.media.open_files);
  for (std::size_t i = 0; i < loops; ++i)
    made->loops.push_back({loops_[i].loop.get(), &loops_[i].transport->exchanges(), loops_[i].gate,
                           &ranking_metrics_[i], places_.empty() ? nullptr : &places_[i]});
  if (httplib_) made->loops.front().transport = httplib_.get();
  made->ops = {ops_loop_.loop.get(), &ops_loop_.transport->exchanges(), ops_loop_.gate};
  made->fault_seed = fault_seed().value_or(0);
  made->reports = services_.ops().reports();
  made->administration = {with.administered, with.administering, with.clock, services_.objects()};
  made->administration.history_kept = config_.retention.history;
  made->administration.forget_avatars = [&with] {
    with.images->forget();
    with.ops_images->forget();
    with.avatar_lists->forget({.revision = 0, .games = {}, .all = true});
  };
  made->repeated = services_.repeated();
  if (tls_)
    made->repeated.push_back({"tls_watch", {[tls = tls_] { tls->reload(); }, with.store_work}});
  return made;
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
  services_.end_faults();
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
  services_.end();
  loops_.clear();
  ops_loop_.transport.reset(); // before its loop, from which it removes its listener
  ops_loop_.loop.reset();
}

} // namespace matchcloud::app
