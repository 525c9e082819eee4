#include "actors/lobby_export/export_reports.hpp"

#include <caf/send.hpp>

#include <utility>

namespace matchcloud::actors {

void export_reports::note_begin(std::uint64_t job, const store::history_snapshot& snapshot) {
  const std::lock_guard lock{mutex_};
  kept_[job].snapshot = snapshot;
  if (subscriber_) caf::anon_send(subscriber_, export_begun{job, snapshot});
}

void export_reports::note_progress(std::uint64_t job, std::uint64_t rows, std::uint64_t bytes) {
  const std::lock_guard lock{mutex_};
  auto& known = kept_[job];
  known.rows = rows;
  known.bytes = bytes;
}

void export_reports::note_end(export_ended end) {
  const std::lock_guard lock{mutex_};
  auto& kept = kept_[end.job].end;
  kept = std::make_shared<const export_ended>(std::move(end));
  if (subscriber_) caf::anon_send(subscriber_, *kept);
}

void export_reports::subscribe(caf::actor who) {
  const std::lock_guard lock{mutex_};
  subscriber_ = std::move(who);
  if (!subscriber_) return;
  for (const auto& [job, each] : kept_) {
    if (each.snapshot) caf::anon_send(subscriber_, export_begun{job, *each.snapshot});
    if (each.end) caf::anon_send(subscriber_, *each.end);
  }
}

export_reports::report export_reports::of(std::uint64_t job) const {
  const std::lock_guard lock{mutex_};
  const auto known = kept_.find(job);
  return known == kept_.end() ? report{} : known->second;
}

void export_reports::forget(std::uint64_t job) {
  const std::lock_guard lock{mutex_};
  kept_.erase(job);
}

} // namespace matchcloud::actors
