#include "tests/faults/busy_clients.hpp"

#include <utility>

namespace matchcloud::faults {

void busy_clients::add(std::function<void()> turn) {
  threads_.emplace_back([this, turn = std::move(turn)] { work(turn); });
}

void busy_clients::work(const std::function<void()>& turn) {
  try {
    while (!finishing_)
      turn();
  } catch (const wrong_answer& wrong) {
    note(wrong.what());
  } catch (const std::exception& gone) {
    if (!may_be_gone_) note(gone.what());
  }
}

void busy_clients::note(const std::string& what) {
  const std::lock_guard lock{mutex_};
  if (wrong_.empty()) wrong_ = what;
}

bool busy_clients::is_wrong() {
  const std::lock_guard lock{mutex_};
  return !wrong_.empty();
}

std::string busy_clients::finish() {
  finishing_ = true;
  for (auto& each : threads_)
    each.join();
  threads_.clear();
  return wrong_;
}

} // namespace matchcloud::faults
