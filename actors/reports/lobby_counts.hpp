#pragma once

#include "model/lobbies/export_query.hpp"
#include "model/lobbies/lobby.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace matchcloud::actors {

// What a survey counts about lobbies. A lobby runs from its start to just before its stop, so one
// with equal start and stop never runs. Times are milliseconds since 1970. One thread.

/// When a lobby ran. A running one counts as running until just after `now_ts`.
model::time_span time_of(const model::lobby_times& times, std::int64_t now_ts);

/// How many lobbies start in each bucket of a span, and how many run when the bucket begins.
class bucket_counts {
public:
  /// At most `buckets` parts of equal length; fewer if the span is short.
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
  /// The change in running lobbies from the previous bucket's beginning to this one's.
  std::vector<std::int64_t> changes_;
};

/// The most lobbies that run at once at any instant of a span. The number rises only when a lobby
/// starts, so it is enough to check then. Holds 8 bytes for each lobby that runs at that time.
class peak_count {
public:
  /// The most lobbies running at once that are counted. They take 32 MB.
  static constexpr std::size_t lobbies_limit = 4'000'000;

  explicit peak_count(const model::time_span& span, std::size_t limit = lobbies_limit)
      : span_{span}, limit_{limit} {}

  /// Call it in the order of the lobbies' starts. Returns false if more run at once than can be
  /// counted.
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
  /// The stops of running lobbies, the next one first.
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> stops_;
};

} // namespace matchcloud::actors
