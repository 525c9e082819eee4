#include "store/housekeeping/retention_report.hpp"

namespace matchcloud::store {

base::expected<std::vector<game_retention>>
retentions_at(retention_store& in, std::chrono::days overall, std::int64_t now_ms) {
  const auto kept = in.kept_histories();
  if (!kept) return tl::unexpected(kept.error());
  std::vector<game_retention> all;
  for (const auto& each : *kept) {
    game_retention made{each.game_id, each.retention_days.value_or(overall.count()),
                        each.retention_days, each.complete_from_ts};
    if (made.retention_days > 0)
      made.horizon_ts =
          now_ms - std::chrono::milliseconds{std::chrono::days{made.retention_days}}.count();
    all.push_back(made);
  }
  return all;
}

base::expected<void> count_due(retention_store& in, std::vector<game_retention>& all) {
  for (auto& each : all) {
    if (!each.horizon_ts) continue;
    auto due = in.count_expired(each.game_id, *each.horizon_ts, due_count_limit);
    // If a server cannot count this many within its time limit, it counts fewer.
    if (!due && due.error().code == base::errc::store_failed)
      due = in.count_expired(each.game_id, *each.horizon_ts, hurried_count_limit);
    if (!due) return tl::unexpected(due.error());
    each.due = *due;
  }
  return {};
}

} // namespace matchcloud::store
