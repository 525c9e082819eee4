#include "store/replica_lease.hpp"

#include "base/events/log.hpp"
#include "base/failure.hpp"

namespace matchcloud::store {

namespace {

using base::value_of;

/// Smaller differences of the clocks are not logged.
constexpr std::chrono::milliseconds offset_told_from{1'000};

} // namespace

base::expected<void> replica_lease::renew() {
  auto renewed = base::attempt([this] { renew_in(*value_of(in_->replicas())); });
  if (!renewed) count_->note_failure();
  return renewed;
}

void replica_lease::renew_in(replica_registry& in) {
  measure(in);
  count_->note(value_of(in.renew_replica(replica_id_, replica_lease_time)));
  if (renewals_++ % renewals_per_word == 0) exchange_words(in);
}

void replica_lease::exchange_words(replica_registry& in) {
  if (const auto summary = board_->summary();
      !summary.empty() && summary.size() <= replica_summary_limit_bytes)
    value_of(in.tell_replicas(replica_id_, summary));
  board_->note(value_of(in.hear_replicas()));
}

void replica_lease::measure(replica_registry& in) {
  const auto begun = clock_->now();
  const auto time = value_of(in.store_time());
  clock_->note(time, std::chrono::duration_cast<std::chrono::milliseconds>(clock_->now() - begun));
  const auto offset = clock_->offset();
  if (std::chrono::abs(offset - told_offset_) < offset_told_from) return;
  told_offset_ = offset;
  base::log(base::log_event::store_clock,
            "this machine's clock is {} ms {} the database's, whose time decides what expires; "
            "synchronize it (NTP)",
            std::chrono::abs(offset).count(), offset.count() < 0 ? "ahead of" : "behind");
}

} // namespace matchcloud::store
