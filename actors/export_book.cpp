#include "actors/export_book.hpp"

#include <caf/send.hpp>

namespace matchcloud::actors {

void export_book::note_begin(std::uint64_t number, const store::history_snapshot& snapshot) {
  const std::lock_guard lock{mutex_};
  const auto found = running_.find(number);
  if (found == running_.end()) return;
  found->second.snapshot = snapshot;
  if (reader_) caf::anon_send(reader_, export_begun{number, snapshot});
}

void export_book::note_end(export_ended end) {
  const std::lock_guard lock{mutex_};
  const auto found = running_.find(end.job);
  if (found == running_.end()) return;
  found->second.end = std::make_shared<const export_ended>(std::move(end));
  if (reader_) caf::anon_send(reader_, *found->second.end);
}

std::map<std::uint64_t, export_book::running_job> export_book::hand_to(caf::actor who) {
  const std::lock_guard lock{mutex_};
  reader_ = std::move(who);
  return running_;
}

void export_book::take_from(const caf::actor_addr& who) {
  const std::lock_guard lock{mutex_};
  if (reader_ && reader_.address() == who) reader_ = nullptr;
}

void export_book::add(std::uint64_t number, const model::export_query& query) {
  const std::lock_guard lock{mutex_};
  running_[number].query = query;
}

void export_book::remove(std::uint64_t number) {
  const std::lock_guard lock{mutex_};
  running_.erase(number);
}

} // namespace matchcloud::actors
