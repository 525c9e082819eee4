#include "actors/ingestion/merge_gathering.hpp"

#include <iterator>
#include <utility>

namespace matchcloud::actors {

base::expected<store::lobby_merge> merge_gathering::merge(store::merge_part part) {
  entry mine{std::move(part)};
  std::unique_lock lock{mutex_};
  waiting_.push_back(&mine);
  choose();
  mine.wake.wait(lock, [&] { return mine.is_done || !mine.group.empty(); });
  if (mine.is_done) {
    base::faults::add_holds(mine.holds);
    return std::move(mine.part.merged);
  }
  const bool was_small = is_small(mine);
  lock.unlock();
  perform(mine.group);
  lock.lock();
  --running_;
  if (was_small) --small_running_;
  // Once an entry is done and the lock is free, its thread may destroy it.
  for (auto* each : mine.group) {
    each->is_done = true;
    if (each != &mine) each->wake.notify_one();
  }
  choose();
  return std::move(mine.part.merged);
}

std::size_t merge_gathering::waiting() const {
  const std::lock_guard lock{mutex_};
  return waiting_.size();
}

void merge_gathering::choose() {
  for (auto next = waiting_.begin(); next != waiting_.end() && running_ < limits_.at_once;) {
    auto& leader = **next;
    if (is_small(leader) && small_running_ == limits_.small_at_once) {
      ++next;
      continue;
    }
    const auto position = std::distance(waiting_.begin(), next);
    waiting_.erase(next);
    leader.group.push_back(&leader);
    ++running_;
    if (is_small(leader)) {
      ++small_running_;
      gather(leader);
    }
    leader.wake.notify_one();
    // The other gathered entries came after it: earlier small ones would have been chosen already.
    next = waiting_.begin() + position;
  }
}

void merge_gathering::gather(entry& into) {
  auto lobbies = into.part.records.size();
  std::erase_if(waiting_, [&](entry* each) {
    const auto more = each->part.records.size();
    if (!is_small(*each) || into.group.size() == limits_.together_batches ||
        lobbies + more > limits_.together_lobbies)
      return false;
    lobbies += more;
    into.group.push_back(each);
    return true;
  });
}

void merge_gathering::perform(std::vector<entry*>& group) const {
  std::vector<store::merge_part> parts;
  parts.reserve(group.size());
  for (auto* each : group)
    parts.push_back(std::move(each->part));
  const auto earlier = base::faults::take_holds();
  merge_(parts);
  const auto holds = base::faults::take_holds();
  base::faults::add_holds(earlier);
  base::faults::add_holds(holds);
  for (std::size_t i = 0; i < group.size(); ++i) {
    group[i]->part = std::move(parts[i]);
    group[i]->holds = holds;
  }
}

} // namespace matchcloud::actors
