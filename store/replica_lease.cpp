#include "store/replica_lease.hpp"

#include "base/events/log.hpp"

namespace matchcloud::store {

namespace {

/// Smaller differences of the clocks are not logged.
constexpr std::chrono::milliseconds offset_told_from{1'000};

} // namespace

base::expected<void> replica_lease::renew() {
  auto renewed = in_->replicas().and_then([this](const auto& in) { return renew_in(*in); });
  if (!renewed) count_->note_failure();
  return renewed;
}

base::expected<void> replica_lease::renew_in(replica_registry& in) {
  if (auto measured = measure(in); !measured) return measured;
  const auto serving = in.renew_replica(replica_id_, replica_lease_time);
  if (!serving) return tl::unexpected(serving.error());
  count_->note(*serving);
  return renewals_++ % renewals_per_word == 0 ? exchange_words(in) : base::expected<void>{};
}

base::expected<void> replica_lease::exchange_words(replica_registry& in) {
  if (const auto summary = board_->summary();
      !summary.empty() && summary.size() <= replica_summary_limit_bytes)
    if (auto told = in.tell_replicas(replica_id_, summary); !told) return told;
  return in.hear_replicas().map([this](auto heard) { board_->note(std::move(heard)); });
}

base::expected<void> replica_lease::measure(replica_registry& in) {
  const auto begun = clock_->now();
  const auto time = in.store_time();
  if (!time) return tl::unexpected(time.error());
  clock_->note(*time, std::chrono::duration_cast<std::chrono::milliseconds>(clock_->now() - begun));
  const auto offset = clock_->offset();
  if (std::chrono::abs(offset - told_offset_) < offset_told_from) return {};
  told_offset_ = offset;
  base::log(base::log_event::store_clock,
            "this machine's clock is {} ms {} the database's, whose time decides what expires; "
            "synchronize it (NTP)",
            std::chrono::abs(offset).count(), offset.count() < 0 ? "ahead of" : "behind");
  return {};
}

} // namespace matchcloud::store
