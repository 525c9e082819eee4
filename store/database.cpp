#include "store/database.hpp"

namespace matchcloud::store {

base::expected<database::idle_session> database::acquire() {
  if (fence_)
    if (auto why = fence_->why()) return tl::unexpected(*std::move(why));
  std::vector<idle_session> gone; // closed outside the lock
  {
    std::unique_lock lock{mutex_};
    if (!left_.wait_for(lock, limits_.patience, [this] { return lent_ < limits_.at_once; })) {
      ++timeouts_;
      return base::fail(base::errc::overloaded, "Too many requests wait for the store; ask again.");
    }
    ++lent_;
    while (!idle_.empty()) {
      auto taken = std::move(idle_.back());
      idle_.pop_back();
      // It may have ended while nobody used it.
      if (taken.held->is_reusable()) return taken;
      gone.push_back(std::move(taken));
    }
  }
  // Outside the lock, because opening a session may take long.
  auto opened = open_();
  {
    const std::lock_guard lock{mutex_};
    ++(opened ? opened_ : open_failures_);
  }
  if (!opened) leave();
  return std::move(opened).map([this](std::unique_ptr<session> made) {
    const auto until = limits_.lifetime.count() > 0 ? base::machine_clock().now() + limits_.lifetime
                                                    : base::steady_time::max();
    return idle_session{std::move(made), until};
  });
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

session_counts database::count() const {
  const std::lock_guard lock{mutex_};
  return {limits_.at_once, lent_, idle_.size(), opened_, open_failures_, timeouts_};
}

void database::leave() {
  {
    const std::lock_guard lock{mutex_};
    --lent_;
  }
  left_.notify_one();
}

} // namespace matchcloud::store
