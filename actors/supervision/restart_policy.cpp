#include "actors/supervision/restart_policy.hpp"

#include <algorithm>
#include <limits>

namespace matchcloud::actors {

namespace {

std::chrono::milliseconds backoff_of(std::size_t in_a_row, std::uint32_t random) {
  // The first fruitless failure in a row is restarted at once.
  if (in_a_row < 2) return std::chrono::milliseconds{0};
  const auto doublings = std::min<std::size_t>(in_a_row - 2, 16);
  const auto whole =
      std::min(restart_policy::first_backoff * (1 << doublings), restart_policy::longest_backoff);
  const auto spread = 0.5 + static_cast<double>(random) / std::numeric_limits<std::uint32_t>::max();
  return std::chrono::milliseconds{
      static_cast<std::int64_t>(static_cast<double>(whole.count()) * spread)};
}

} // namespace

restart_policy::verdict restart_policy::next(base::steady_time now, bool fruitful,
                                             std::uint32_t random) {
  if (fruitful) {
    in_a_row_ = 0;
    return {};
  }
  ++in_a_row_;
  recent_.push_back(now);
  // Failures older than the last `intensity` + 1 cannot change the verdict.
  while (recent_.size() > intensity_ + 1 || now - recent_.front() > window_)
    recent_.pop_front();
  return {backoff_of(in_a_row_, random), recent_.size() > intensity_};
}

} // namespace matchcloud::actors
