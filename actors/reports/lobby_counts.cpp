#include "actors/reports/lobby_counts.hpp"

#include <algorithm>

namespace matchcloud::actors {

model::time_span time_of(const model::lobby_times& times, std::int64_t now_ts) {
  const auto start = static_cast<std::uint64_t>(std::max<std::int64_t>(0, times.start_ts));
  const auto stop = static_cast<std::uint64_t>(times.stop_ts.value_or(now_ts + 1));
  return {start, std::max(start, stop)};
}

bucket_counts::bucket_counts(const model::time_span& span, std::size_t buckets)
    : begin_{span.begin},
      bucket_ms_{std::max<std::uint64_t>(1, (span.end - span.begin + buckets - 1) / buckets)},
      // Rounded up, so a short span has fewer buckets than requested.
      started_((span.end - span.begin + bucket_ms_ - 1) / bucket_ms_),
      // One more, for lobbies that outlive the span.
      changes_(started_.size() + 1) {}

void bucket_counts::add(const model::time_span& lobby) {
  if (lobby.begin >= begin_ && (lobby.begin - begin_) / bucket_ms_ < started_.size())
    ++started_[(lobby.begin - begin_) / bucket_ms_];
  // It is counted at the beginning of each bucket, from the first that does not begin before its
  // start.
  ++changes_[first_begin_from(lobby.begin)];
  --changes_[first_begin_from(lobby.end)];
}

std::vector<std::int64_t> bucket_counts::running() const {
  std::vector<std::int64_t> all;
  all.reserve(started_.size());
  std::int64_t running = 0;
  for (std::size_t i = 0; i < started_.size(); ++i)
    all.push_back(running += changes_[i]);
  return all;
}

std::size_t bucket_counts::first_begin_from(std::uint64_t time) const noexcept {
  if (time <= begin_) return 0;
  return static_cast<std::size_t>(
      std::min<std::uint64_t>((time - begin_ + bucket_ms_ - 1) / bucket_ms_, started_.size()));
}

bool peak_count::add(const model::time_span& lobby) {
  const auto from = std::max(lobby.begin, span_.begin);
  if (from >= std::min(lobby.end, span_.end)) return true;
  while (!stops_.empty() && stops_.top() <= from)
    stops_.pop();
  if (stops_.size() >= limit_) return false;
  stops_.push(lobby.end);
  if (stops_.size() > running_) {
    running_ = stops_.size();
    at_ = from;
  }
  return true;
}

} // namespace matchcloud::actors
