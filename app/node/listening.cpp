#include "app/node/listening.hpp"

#include "app/node/take_over.hpp"
#include "base/events/log.hpp"
#include "http/takeover/local_socket.hpp"
#include "store/files/data_directory.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <utility>

namespace matchcloud::app {

listening::listening(const serve_config& config)
    : config_{&config}, handed_over_{eventfd(0, EFD_CLOEXEC)} {}

base::expected<void> listening::find_predecessor() {
  if (!config_->take_over) return {};
  auto found = app::find_predecessor(*config_);
  if (!found) return tl::unexpected(found.error());
  predecessor_ = *std::move(found);
  if (predecessor_)
    predecessor_pid_ = predecessor_->pid();
  else
    base::log(base::log_event::predecessor_missing,
              "--take-over: no process serves these listeners from data-dir {}; starting as "
              "usual",
              config_->store.data_dir);
  return {};
}

base::expected<void> listening::open_for_loops(std::size_t loops) {
  for (const auto& wanted : config_->listen) {
    auto bound = bind({wanted.where, wanted.kind, false, {}}, loops);
    if (!bound) return tl::unexpected(advised(std::move(bound).error()));
    data_.push_back({bound->where, wanted.kind});
    sockets_.push_back(*std::move(bound));
  }
  return {};
}

base::expected<void> listening::open_ops() {
  if (ops_socket_.get() >= 0) return {};
  auto bound = bind({config_->ops_listen, {false, config_->ops_tls}, true, {}}, 1);
  if (!bound) return tl::unexpected(advised(std::move(bound).error()));
  ops_ = bound->where;
  ops_socket_ = std::move(bound->sockets.front());
  return {};
}

base::expected<http::listeners> listening::bind(http::handed_listener wanted, std::size_t loops) {
  const auto backlog = config_->limits.listen_backlog;
  base::expected<http::listeners> bound;
  if (predecessor_)
    bound = http::listeners{wanted.where, take_sockets(predecessor_->listeners(), wanted)};
  else
    bound = http::listen_on(wanted.where, loops, backlog);
  if (!bound) return bound;
  auto duplicates = http::duplicates_of(bound->sockets);
  if (!duplicates) return tl::unexpected(duplicates.error());
  wanted.where = bound->where;
  wanted.sockets = *std::move(duplicates);
  offered_.push_back(std::move(wanted));
  // Each loop gets at least one socket; sockets of a predecessor with more loops share loops.
  if (auto enough = spread(bound->sockets, loops, backlog); !enough)
    return tl::unexpected(enough.error());
  return bound;
}

void listening::warn() const {
  for (const auto& line : exposure_warnings(*config_, data_))
    base::log(base::log_event::service_exposed, "{}", line);
}

base::error listening::advised(base::error why) const {
  const bool asked_nobody = config_->take_over && !predecessor_;
  if (why.code == base::errc::address_unavailable && asked_nobody)
    why.detail +=
        "; --take-over found no process that serves it from data-dir " + config_->store.data_dir +
        ". Use the data-dir and the --listen of the process to be replaced, or end it first";
  return why;
}

base::expected<void> listening::take_over() {
  if (!predecessor_) return {};
  return predecessor_->take_over();
}

void listening::offer() {
  const auto name = http::take_over_name(data_.front().where);
  auto local = predecessor_ ? predecessor_->take_local() : std::nullopt;
  predecessor_.reset();
  if (!local) {
    // Under the lock, processes create and remove names one at a time.
    const auto alone = store::directory_lock::acquire(config_->store.data_dir);
    if (alone) http::remove_dead_sockets(config_->store.data_dir, "take-over-", ".sock");
    auto fresh = http::listen_local(config_->store.data_dir, name);
    if (!fresh) {
      base::log(base::log_event::take_over_unfindable, "--take-over cannot find this process: {}",
                fresh.error().detail);
      return offered_.clear();
    }
    local = *std::move(fresh);
  }
  http::handover_settings settings;
  if (config_->transport == transport_kind::httplib)
    settings.refusal = httplib_cannot_be_taken_over;
  handover_ = std::make_unique<http::handover>(
      *std::move(local), std::exchange(offered_, {}), settings, [this] {
        const std::uint64_t one = 1;
        static_cast<void>(!::write(handed_over_.get(), &one, sizeof one));
      });
}

bool listening::end_offer() {
  if (!handover_) return false;
  handover_->stop();
  return handover_->successor().has_value();
}

} // namespace matchcloud::app
