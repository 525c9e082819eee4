#include "store/housekeeping/retention.hpp"

namespace matchcloud::store {

base::expected<std::vector<game_retention>>
retentions_at(retention_store& in, std::chrono::days overall, std::int64_t now_ms) {
  return in.kept_histories().map([&](const auto& kept) {
    std::vector<game_retention> all;
    for (const auto& each : kept) {
      game_retention made{each.game_id, each.retention_days.value_or(overall.count()),
                          each.retention_days, each.complete_from_ts};
      if (made.retention_days > 0)
        made.horizon_ts =
            now_ms - std::chrono::milliseconds{std::chrono::days{made.retention_days}}.count();
      all.push_back(made);
    }
    return all;
  });
}

base::expected<void> count_due(const count_expired& count, std::vector<game_retention>& all) {
  for (auto& each : all) {
    if (!each.horizon_ts) continue;
    auto due = count(each.game_id, *each.horizon_ts, due_count_limit);
    // If a server cannot count this many within its time limit, it counts fewer.
    if (!due && due.error().code == base::errc::store_failed)
      due = count(each.game_id, *each.horizon_ts, hurried_count_limit);
    if (!due) return tl::unexpected(due.error());
    each.due = *due;
  }
  return {};
}

std::string json_of(const std::vector<game_retention>& all, std::chrono::days overall) {
  model::json_writer json;
  json.object().name("retention_days").number(overall.count());
  model::write(json.name("games"), all);
  return json.end_object().take();
}

} // namespace matchcloud::store
