#include "store/latency_store.hpp"

#include <set>
#include <string_view>
#include <utility>

namespace matchcloud::store {

base::expected<void> check_learned(std::span<const model::learned_entry> learned) {
  if (learned.size() > latency_batch_limit)
    return base::fail(base::errc::internal, "A batch has " + std::to_string(learned.size()) +
                                                " learned latencies. The limit is " +
                                                std::to_string(latency_batch_limit) + ".");
  std::set<std::pair<std::uint64_t, std::string_view>> seen;
  for (const auto& each : learned)
    if (!seen.emplace(each.cell.key, each.region_id).second)
      return base::fail(base::errc::internal,
                        "A batch of learned latencies has the same cell twice for the region " +
                            each.region_id + ".");
  return {};
}

} // namespace matchcloud::store
