#include "tests/simulation/latency_table.hpp"

#include <algorithm>
#include <tuple>

namespace matchcloud::simulation {

base::expected<void> latency_table::add(std::span<const model::learned_entry> learned) {
  if (auto checked = store::check_learned(learned); !checked || learned.empty()) return checked;
  const std::scoped_lock alone{mutex_};
  ++revision_;
  for (const auto& each : learned) {
    const auto [at, is_new] =
        rows_.try_emplace({each.cell.key, each.region_id}, row{each, revision_});
    if (is_new) continue;
    model::merge(at->second.entry, each);
    at->second.revision = revision_;
  }
  return {};
}

store::latency_page latency_table::read(const store::latency_position& after,
                                        std::size_t limit) const {
  const std::scoped_lock alone{mutex_};
  std::map<std::tuple<std::int64_t, std::uint64_t, std::string>, const model::learned_entry*> all;
  for (const auto& [key, each] : rows_)
    all[{each.revision, key.first, key.second}] = &each.entry;
  store::latency_page page{{}, after};
  auto at = all.upper_bound({after.revision, after.cell.key, after.region_id});
  for (auto left = std::min(limit, store::latency_batch_limit); left > 0 && at != all.end();
       --left, ++at) {
    page.entries.push_back(*at->second);
    page.last = {std::get<0>(at->first), at->second->cell, at->second->region_id};
  }
  return page;
}

std::size_t latency_table::expire(std::uint32_t before_minute, std::size_t most) {
  const std::scoped_lock alone{mutex_};
  std::multimap<std::uint32_t, decltype(rows_)::iterator> by_minute;
  for (auto at = rows_.begin(); at != rows_.end(); ++at)
    by_minute.emplace(at->second.entry.minute(), at);
  std::size_t gone = 0;
  for (const auto& [minute, at] : by_minute) {
    if (gone == store::latency_expiry_limit || (minute >= before_minute && rows_.size() <= most))
      break;
    rows_.erase(at);
    ++gone;
  }
  return gone;
}

} // namespace matchcloud::simulation
