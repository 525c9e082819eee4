#include "store/replica_lease.hpp"

#include <spdlog/spdlog.h>

namespace matchcloud::store {

namespace {

/// Clocks that differ by less are not worth a line in the log.
constexpr std::chrono::milliseconds offset_told_from{1'000};

} // namespace

base::expected<void> replica_lease::renew() {
  const auto in = in_->replicas();
  if (!in) return tl::unexpected(in.error());
  if (auto measured = measure(**in); !measured) return measured;
  const auto serving = (*in)->renew_replica(replica_id_, replica_lease_time);
  if (!serving) return tl::unexpected(serving.error());
  count_->note(*serving);
  return {};
}

base::expected<void> replica_lease::measure(replica_registry& in) {
  const auto begun = clock_->now();
  const auto time = in.store_time();
  if (!time) return tl::unexpected(time.error());
  clock_->note(*time, std::chrono::duration_cast<std::chrono::milliseconds>(clock_->now() - begun));
  const auto offset = clock_->offset();
  if (std::chrono::abs(offset - told_offset_) < offset_told_from) return {};
  told_offset_ = offset;
  spdlog::warn("this machine's clock is {} ms {} the database's, whose time counts for all that "
               "expires; set it right (NTP)",
               std::chrono::abs(offset).count(), offset.count() < 0 ? "ahead of" : "behind");
  return {};
}

} // namespace matchcloud::store
