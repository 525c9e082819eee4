// Properties: no input crashes the parser of a group; an accepted group is within its limits; and a
// refusal has a message that can be sent.
#include "model/catalog/catalog.hpp"
#include "model/regions/group_ranking.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>
#include <cstdlib>

using namespace matchcloud;

namespace {

void require(bool law) {
  if (!law) std::abort();
}

bool is_refusal(base::errc code) {
  return code == base::errc::body_malformed || code == base::errc::body_too_deep ||
         code == base::errc::body_not_object || code == base::errc::query_invalid;
}

void require_valid(const model::group_player& player) {
  require(!player.id || player.id->size() <= model::player_id_limit_bytes);
  require(!player.where || model::is_on_earth(*player.where));
  require(player.latencies.size() <= model::measured_limit);
  require(std::ranges::is_sorted(player.latencies, {}, &model::measured_latency::region_id));
  for (const auto& each : player.latencies)
    require(each.milliseconds >= 0 && each.milliseconds <= model::latency_limit_ms);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto group = model::read_group_request({reinterpret_cast<const char*>(bytes), size});
  if (group) {
    require(!group->players.empty() && group->players.size() <= model::group_limit);
    require(group->fair_within_ms >= 0 && group->fair_within_ms <= model::latency_limit_ms);
    std::ranges::for_each(group->players, require_valid);
    return 0;
  }
  require(is_refusal(group.error().code));
  const auto& detail = group.error().detail;
  require(!detail.empty() && detail.size() < 16'384);
  require(model::find_malformed_utf8(detail) == std::string_view::npos);
  return 0;
}
