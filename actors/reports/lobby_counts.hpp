#pragma once

#include "model/lobbies/export_query.hpp"
#include "model/lobbies/lobby.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace matchcloud::actors {

// What a survey counts of lobbies. A lobby runs from its start to just before its stop, so one that
// stops as it starts runs at no time. Times are milliseconds since 1970. One thread.

/// When a lobby ran. One that still runs does so until just after `now_ts`.
model::time_span time_of(const model::lobby_times& times, std::int64_t now_ts);

/// How many lobbies begin in each bucket of a span, and how many run at its begin.
class bucket_counts {
public:
  /// At most `buckets` parts of equal length; fewer where the span is short.
  bucket_counts(const model::time_span& span, std::size_t buckets);

  void add(const model::time_span& lobby);

  std::uint64_t bucket_ms() const noexcept { return bucket_ms_; }
  const std::vector<std::uint64_t>& started() const noexcept { return started_; }
  std::vector<std::int64_t> running() const;

private:
  std::size_t first_begin_from(std::uint64_t time) const noexcept;

  std::uint64_t begin_;
  std::uint64_t bucket_ms_;
  std::vector<std::uint64_t> started_;
  /// By how much more lobbies run at a bucket's begin than at that of the one before.
  std::vector<std::int64_t> changes_;
};

/// The most lobbies that run at once at any instant of a span. The number rises only where a lobby
/// starts, so it is enough to look there. Holds 8 bytes for each lobby that runs at that time.
class peak_count {
public:
  /// The most lobbies running at once that are counted. They take 32 MB.
  static constexpr std::size_t lobbies_limit = 4'000'000;

  explicit peak_count(const model::time_span& span, std::size_t limit = lobbies_limit)
      : span_{span}, limit_{limit} {}

  /// Lobbies come in the order of their starts. Returns false if more run at once than are counted.
  bool add(const model::time_span& lobby);

  /// 0: no lobby ran in the span.
  std::size_t running() const noexcept { return running_; }
  /// When that number was first reached.
  std::uint64_t at() const noexcept { return at_; }

private:
  model::time_span span_;
  std::size_t limit_;
  std::size_t running_ = 0;
  std::uint64_t at_ = 0;
  /// The stops of those that run, the next one first.
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> stops_;
};

} // namespace matchcloud::actors
