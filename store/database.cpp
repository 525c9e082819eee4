#include "store/database.hpp"

namespace matchcloud::store {

base::expected<std::unique_ptr<session>> database::take() {
  {
    std::unique_lock lock{mutex_};
    if (!left_.wait_for(lock, limits_.patience, [this] { return lent_ < limits_.at_once; }))
      return base::fail(base::errc::overloaded, "Too many requests wait for the store; ask again.");
    ++lent_;
    if (!idle_.empty()) {
      auto taken = std::move(idle_.back());
      idle_.pop_back();
      return taken;
    }
  }
  // Outside the lock, because opening a session may take long.
  auto opened = open_();
  if (!opened) leave();
  return opened;
}

void database::give_back(std::unique_ptr<session> taken) {
  taken->attribute(nullptr);
  const bool reusable = taken->is_reusable();
  {
    const std::lock_guard lock{mutex_};
    if (reusable && idle_.size() < limits_.idle) idle_.push_back(std::move(taken));
  }
  taken.reset(); // close it before another session takes its slot
  leave();
}

void database::leave() {
  {
    const std::lock_guard lock{mutex_};
    --lent_;
  }
  left_.notify_one();
}

} // namespace matchcloud::store
