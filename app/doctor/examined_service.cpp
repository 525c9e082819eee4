#include "app/doctor/examined_service.hpp"

#include "app/node/thread_counts.hpp"
#include "http/takeover/predecessor.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace matchcloud::app {

namespace {

/// How long to wait for a process that does not accept.
constexpr std::chrono::milliseconds connect_patience{1'000};
/// How long a read-only statement may take.
constexpr std::chrono::milliseconds statement_limit{5'000};

/// The process that listens under the name that successors connect to. It only sees the connection
/// end.
std::optional<http::local_peer> find_running(const serve_config& config) {
  for (const auto& each : config.listen) {
    if (each.where.port == 0) continue;
    const auto connected = http::connect_local(config.store.data_dir,
                                               http::take_over_name(each.where), connect_patience);
    if (!connected || !*connected) continue;
    const auto peer = http::peer_of((*connected)->get());
    if (peer && (peer->user == ::geteuid() || ::geteuid() == 0)) return peer;
  }
  return std::nullopt;
}

} // namespace

examined_service::examined_service(base::expected<serve_config> configuration,
                                   std::vector<std::string> unknown_variables)
    : configuration_{std::move(configuration)}, unknown_variables_{std::move(unknown_variables)} {
  if (!configuration_) return;
  configuration_->store.is_for_service = true;
  served_by_ = choose_loops(*configuration_, serving());
}

const base::expected<store::store_examination>& examined_service::store() {
  if (!store_) {
    auto place = config().store;
    place.statement_timeout = std::min(place.statement_timeout, statement_limit);
    store_ = store::examine_store(place);
  }
  return *store_;
}

const std::optional<http::local_peer>& examined_service::running() {
  if (!running_) running_ = find_running(config());
  return *running_;
}

pid_t examined_service::serving() {
  return configuration_ && running() ? running()->pid : 0;
}

std::string name_of_process(pid_t pid) {
  return pid == 0 ? "a process of another container" : "process " + std::to_string(pid);
}

} // namespace matchcloud::app
