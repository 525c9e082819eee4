#include "actors/lobby_export/export_registry.hpp"

#include <caf/send.hpp>

namespace matchcloud::actors {

void export_registry::note_begin(std::uint64_t number, const store::history_snapshot& snapshot) {
  const std::lock_guard lock{mutex_};
  const auto found = running_.find(number);
  if (found == running_.end()) return;
  found->second.snapshot = snapshot;
  if (subscriber_) caf::anon_send(subscriber_, export_begun{number, snapshot});
}

void export_registry::note_progress(std::uint64_t number, std::uint64_t rows, std::uint64_t bytes) {
  const std::lock_guard lock{mutex_};
  const auto found = running_.find(number);
  if (found == running_.end()) return;
  found->second.rows = rows;
  found->second.bytes = bytes;
}

void export_registry::note_end(export_ended end) {
  const std::lock_guard lock{mutex_};
  const auto found = running_.find(end.job);
  if (found == running_.end()) return;
  found->second.end = std::make_shared<const export_ended>(std::move(end));
  if (subscriber_) caf::anon_send(subscriber_, *found->second.end);
}

std::map<std::uint64_t, export_registry::running_job> export_registry::subscribe(caf::actor who) {
  const std::lock_guard lock{mutex_};
  subscriber_ = std::move(who);
  return running_;
}

std::map<std::uint64_t, export_registry::running_job> export_registry::running() const {
  const std::lock_guard lock{mutex_};
  return running_;
}

void export_registry::unsubscribe(const caf::actor_addr& who) {
  const std::lock_guard lock{mutex_};
  if (subscriber_ && subscriber_.address() == who) subscriber_ = nullptr;
}

void export_registry::add(std::uint64_t number, const model::export_query& query) {
  const std::lock_guard lock{mutex_};
  running_[number].query = query;
}

void export_registry::remove(std::uint64_t number) {
  const std::lock_guard lock{mutex_};
  running_.erase(number);
}

std::int64_t export_registry::removal_ts(const base::clock& clock,
                                         std::chrono::milliseconds patience) {
  // More than a slewed clock can gain between two calls.
  constexpr std::int64_t jump_ms = 2'000;
  const auto now = clock.now();
  const auto ts = clock.unix_ms();
  const auto last = believed_.value_or(moment{now, ts});
  const auto expected =
      last.ts + std::chrono::duration_cast<std::chrono::milliseconds>(now - last.at).count();
  if (ts > expected + jump_ms) {
    if (!ahead_since_) ahead_since_ = now;
    if (now - *ahead_since_ < patience) return expected;
  }
  ahead_since_.reset();
  believed_ = moment{now, ts};
  return ts;
}

} // namespace matchcloud::actors
