#include "app/node/node.hpp"

#include "app/node/embedded_console.hpp"
#include "app/node/resources.hpp"
#include "base/events/log.hpp"
#include "base/failure.hpp"
#include "http/front/static_content.hpp"
#include "http/reference/openapi.hpp"

#include <semaphore>
#include <utility>

// The settings of a node's fronts, and what a reload changes.
namespace matchcloud::app {

namespace {

/// How long a reload waits for the event loops to turn.
constexpr std::chrono::milliseconds loop_patience{2'000};

/// The console in the form that fronts serve; null if the program was built without it.
std::shared_ptr<const http::console_files> embedded_console() {
  const auto files = embedded_console_files();
  if (files.empty()) return nullptr;
  auto made = std::make_shared<http::console_files>();
  for (const auto& each : files)
    made->by_name.emplace(each.name, http::make_static_content(http::media_type_of(each.name),
                                                               std::string{each.bytes},
                                                               std::string{each.gzip}));
  return made;
}

} // namespace

http::served_documents node::documents_of(const serve_config& config) {
  const http::openapi_settings settings{config.rules, config.front.base_path};
  const auto make = [&](http::plane of) {
    return http::make_static_content(http::json_type, http::openapi(of, settings));
  };
  return {make(http::plane::data), make(http::plane::ops)};
}

http::front_settings node::settings_of(http::plane which) const {
  const auto& with = services_.get();
  http::front_settings settings;
  if (which == http::plane::data) {
    settings = config_.front;
    settings.configuration = nullptr;
    settings.traces = traces_;
    if (config_.latencies.learns_from_listings) settings.latency_gate = with.latency_gate;
  } else {
    settings.plane = which;
    settings.state = state_;
    settings.started_ms = started_ms_;
    settings.store = config_.front.store;
    settings.console = embedded_console();
    settings.has_faults = config_.fault_injection;
    settings.configuration = config_.front.configuration;
  }
  settings.documents = documents_;
  settings.store.contact = with.contact;
  auto& access = settings.access = config_.front.access;
  access.ipv6_client_prefix = config_.limits.ipv6_client_prefix;
  access.limits_loopback = config_.limits.limits_loopback;
  access.replicas = services_.replica_count();
  // Beyond loopback every client needs a token, even on this machine.
  access.ops_requires_tokens |= !config_.ops_listen.address.is_loopback();
  return settings;
}

http::limits node::limits() const {
  const std::lock_guard lock{limits_mutex_};
  return limits_;
}

void node::take_up(const serve_config& config) {
  if (httplib_)
    throw base::failure{base::errc::config_invalid,
                        "the transport httplib cannot reload while it serves; restart the service"};
  auto access = base::value_of(http::access_log::open(config.access_log));
  if (tls_) tls_->use(config.tls);
  access_log_->use(std::move(access));
  auto next = config;
  // The start filled in these.
  next.loops = config_.loops;
  next.store = config_.store;
  const bool protects_as_before = protections_of(next.given) == protections_of(config_.given);
  config_ = std::move(next);
  base::configure_log_levels(log_levels_of(config_));
  front_ = std::make_shared<const http::front_settings>(settings_of(http::plane::data));
  ops_front_ = std::make_shared<const http::front_settings>(settings_of(http::plane::ops));
  const auto limits = bounded_by_descriptors(config_.limits, raise_descriptor_limit());
  {
    const std::lock_guard lock{limits_mutex_};
    limits_ = limits;
  }
  const auto turns = std::make_shared<std::counting_semaphore<>>(0);
  const auto hand = [&](const loop_part& to,
                        const std::shared_ptr<const http::front_settings>& settings) {
    to.loop->post([transport = to.transport.get(), gate = to.gate, settings, turns,
                   changed = http::plane_limits{limits, settings->proxies, settings->plane},
                   log = access_log_, access = config_.access_log] {
      gate->set_settings(settings);
      transport->put_in_force(changed);
      transport->log_access(log, access);
      turns->release();
    });
  };
  for (const auto& part : loops_)
    hand(part, front_);
  hand(ops_loop_, ops_front_);
  // The caller gets its answer once the loops have applied it; a hanging loop applies it when it
  // turns again.
  const auto until = base::machine_clock().now() + loop_patience;
  for (std::size_t i = 0; i <= loops_.size(); ++i)
    static_cast<void>(turns->try_acquire_until(until));
  if (config_.access_log.mode == http::access_log_mode::off) access_log_->leave();
  if (protects_as_before) return;
  reports_->show_weaker(services_.weaker_protections());
  services_.record_protections(model::audit_action::service_reload);
}

} // namespace matchcloud::app
