#include "app/node/node.hpp"

#include "actors/fault_control/fault_control.hpp"
#include "actors/request/resident.hpp"
#include "app/node/exposure.hpp"
#include "app/node/resources.hpp"
#include "base/events/log.hpp"
#include "base/failure.hpp"
#include "base/randomness.hpp"
#include "http/front/front.hpp"

#include <caf/all.hpp>
#include <caf/thread_hook.hpp>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <semaphore>
#include <utility>

namespace matchcloud::app {

namespace {

constexpr int actors_nice = 5;
/// Messages that an actor handles before another actor gets the thread.
constexpr std::size_t actor_throughput = 64;
/// A drain without a preceding delay closes idle connections after this time. Until then, answers
/// have `Connection: close`, so that busy clients lose no request.
constexpr std::chrono::milliseconds idle_grace{250};

/// Gives the threads of the actors' pool the priority of blocking work: an event loop that wakes
/// up on a busy machine gets the processor at once, not after a large payload was validated.
class pool_priority final : public caf::thread_hook {
  void init(caf::actor_system&) override {}
  void thread_started() override {
    static_cast<void>(setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), actors_nice));
  }
  void thread_terminates() override {}
};

} // namespace

base::expected<std::unique_ptr<node>> node::start(const serve_config& config, main_watch& watch,
                                                  const base::metric_set& process_metrics) {
  std::unique_ptr<node> made{new node{config}};
  made->metrics_.add(process_metrics);
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
// and the ops plane drains last. `~node`: the offer and faults end; then the actors, while their
// loops run; then the loops' threads; then the threads for blocking work, of which exports are told
// to stop; then, by the order of declaration, the reports, the loops and what all of these used.
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
    static_cast<void>(services_.get().faults->inject(at, rule, base::machine_clock().now()));
  reports_->show_weaker(services_.weaker_protections());
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
      front_{std::make_shared<const http::front_settings>(settings_of(http::plane::data))},
      ops_front_{std::make_shared<const http::front_settings>(settings_of(http::plane::ops))},
      emptied_{eventfd(0, EFD_CLOEXEC)},
      listening_{config_},
      failed_{eventfd(0, EFD_CLOEXEC)},
      supervision_{actors_, [this](bool storms) { on_storm(storms); }} {
  limits_ = bounds_.limits;
}

void node::start_ops_plane() {
  access_log_->use(base::value_of(http::access_log::open(config_.access_log)));
  const auto is_tls = [](const data_listener& each) { return each.kind.tls; };
  if (config_.ops_tls || std::ranges::any_of(config_.listen, is_tls))
    tls_ = std::make_unique<tls_renewal>(config_.tls, *services_.get().clock);
  ops_loop_ = make_loop(ops_bounds_, ops_metrics_);
  ops_loop_.gate->wait_for_store();
  listening_.open_ops();
  ops_loop_.run();
  // It accepts requests once it knows the owners, and there are none.
  first_front_ = actors::spawn_resident<http::front>(
      actors_, *ops_loop_.loop, std::ref<http::exchange_sink>(ops_loop_.transport->exchanges()),
      ops_loop_.gate);
  caf::anon_send(first_front_, actors::owners{std::vector<caf::actor>(base::owner_count)});
  // The sockets belong to a predecessor until it hands them over.
  if (!listening_.has_predecessor()) listen_on_ops();
}

void node::start_owners() {
  for (std::size_t i = 0; i < data_loops(config_); ++i) {
    loops_.push_back(make_loop(bounds_, counts_.emplace_back().transport));
    know_store(*loops_.back().gate);
  }
  if (config_.transport == transport_kind::httplib)
    httplib_ = std::make_unique<http::httplib_transport>(
        base::machine_clock(), bounds_, counts_.front().transport, base::random_seed(),
        [this] { ::eventfd_write(emptied_.get(), 1); });
  listening_.open_for_loops(httplib_ ? 1 : loops_.size());
  for (const auto& line : exposure_warnings(config_, listening_.data()))
    base::log(base::log_event::service_exposed, "{}", line);
  const auto seen = layout();
  children_ = std::make_shared<actors::child_table>(
      child_specs_of(seen), services_.first(), config_.restarts.intensity, config_.restarts.window);
  report();
  seen->reports = reports_->sources();
  for (auto& part : loops_)
    part.run();
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

void node::on_storm(bool storms) {
  ready_.set_storming(storms);
  if (storms && config_.restarts.ends_process) ::eventfd_write(failed_.get(), 1);
}

main_watch::wake node::wait_drained(std::chrono::milliseconds at_most, main_watch& watch) {
  const auto deadline = base::machine_clock().now() + at_most;
  while (transports_left_ > 0) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - base::machine_clock().now());
    if (left.count() <= 0) return main_watch::wake::late;
    const auto woken = watch.wait({emptied_.get()}, left);
    if (woken == main_watch::wake::ending) return woken;
    if (woken == main_watch::wake::late) continue;
    eventfd_t emptied = 0;
    if (::eventfd_read(emptied_.get(), &emptied) == 0)
      transports_left_ -= std::min<std::size_t>(transports_left_, emptied);
  }
  return main_watch::wake::event;
}

void node::announce_end(main_watch& watch) {
  ready_.set_draining();
  tell_each(&http::loop_transport::accept_silent);
  watch.wait({listening_.handed_over_fd()}, config_.drain_delay);
}

void node::drain(main_watch& watch) {
  using wake = main_watch::wake;
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
    ops_loop_.tell(&http::loop_transport::hand_over);
    ops_loop_.tell(&http::loop_transport::close_idle); // watchers reconnect to the successor
  }
  const bool waits_for_idle = handed_over || config_.drain_delay.count() > 0;
  const auto until_idle_close =
      waits_for_idle ? whole * 2 / 3 : std::min(whole * 2 / 3, idle_grace);
  auto reached = wait_drained(until_idle_close, watch);
  if (reached == wake::late) {
    tell_each(&http::loop_transport::close_idle);
    if (httplib_) httplib_->close_idle();
    reached = wait_drained(whole - until_idle_close, watch);
  }
  if (reached == wake::event && !handed_over) {
    ++transports_left_;
    ops_loop_.tell(&http::loop_transport::begin_drain);
    ops_loop_.tell(&http::loop_transport::close_idle);
    const auto left = end - base::machine_clock().now();
    reached = wait_drained(std::chrono::ceil<std::chrono::milliseconds>(left), watch);
  }
  if (reached == wake::event) return;
  tell_each(&http::loop_transport::end_now);
  if (httplib_) httplib_->end_now();
  ops_loop_.tell(&http::loop_transport::end_now);
}

node::~node() {
  listening_.end();
  if (const auto& faults = services_.get().faults) faults->end();
  if (httplib_) {
    httplib_->begin_drain();
    httplib_->end_now();
  }
  // Resident actors end first, while their loops still run; afterwards nothing uses the transports.
  supervision_.end();
  end_first_front();
  httplib_.reset();
  for (auto& part : loops_)
    part.stop();
  ops_loop_.stop();
  services_.end();
}

} // namespace matchcloud::app
