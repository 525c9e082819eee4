#include "store/database.hpp"

namespace matchcloud::store {

base::expected<database::idle_session> database::acquire() {
  if (fence_)
    if (auto why = fence_->why()) return tl::unexpected(*std::move(why));
  {
    std::unique_lock lock{mutex_};
    if (!left_.wait_for(lock, limits_.patience, [this] { return lent_ < limits_.at_once; })) {
      timeouts_.add();
      return base::fail(
          base::errc::overloaded,
          "Every session of the store is in use, and none became free in time. Retry.");
    }
    ++lent_;
  }
  // Outside the lock, because an engine may look at a file to tell whether a session is reusable.
  while (auto taken = take_idle())
    // It may have ended while it was idle.
    if (taken->held->is_reusable()) return *std::move(taken);
  // Outside the lock, because opening a session may take a long time.
  auto opened = open_();
  (opened ? opened_ : open_failures_).add();
  if (!opened) leave();
  return std::move(opened).map([this](std::unique_ptr<session> made) {
    const auto until = limits_.lifetime.count() > 0 ? base::machine_clock().now() + limits_.lifetime
                                                    : base::steady_time::max();
    return idle_session{std::move(made), until};
  });
}

std::optional<database::idle_session> database::take_idle() {
  const std::lock_guard lock{mutex_};
  if (idle_.empty()) return std::nullopt;
  std::optional taken{std::move(idle_.back())};
  idle_.pop_back();
  return taken;
}

void database::release(idle_session taken) {
  taken.held->attribute(nullptr);
  std::vector<idle_session> gone; // closed outside the lock
  const bool failed = taken.held->has_failed();
  const bool reusable = taken.held->is_reusable() && base::machine_clock().now() < taken.until;
  {
    const std::lock_guard lock{mutex_};
    // What ended one session may have ended them all.
    if (failed) gone.swap(idle_);
    auto& to = reusable && idle_.size() < limits_.idle ? idle_ : gone;
    to.push_back(std::move(taken));
  }
  gone.clear(); // close them before another session takes the slot
  leave();
}

void database::show(base::metric_set& in) const {
  in.add_gauge(
      {"matchcloud_store_sessions_limit", "Limit on store sessions in use at the same time."},
      [this] { return limits_.at_once; });
  in.add_gauge({"matchcloud_store_sessions_used", "Store sessions in use."}, [this] {
    const std::lock_guard lock{mutex_};
    return lent_;
  });
  in.add_gauge(
      {"matchcloud_store_sessions_idle", "Idle store sessions, kept open for later requests."},
      [this] {
        const std::lock_guard lock{mutex_};
        return idle_.size();
      });
  in.add(metrics_);
}

void database::leave() {
  {
    const std::lock_guard lock{mutex_};
    --lent_;
  }
  left_.notify_one();
}

} // namespace matchcloud::store
