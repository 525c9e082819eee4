#include "app/demo/demo_lobbies.hpp"

#include "model/catalog/catalog_document.hpp"
#include "model/lobbies/lobby_batch.hpp"

#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace matchcloud::app {

namespace {

constexpr std::size_t lobby_count = 10'000;
constexpr std::int64_t month_begin_ms = 1'767'225'600'000; // 2026-01-01T00:00:00Z
constexpr std::int64_t month_end_ms = 1'769'904'000'000;   // 2026-02-01T00:00:00Z
constexpr std::int64_t minute_ms = 60'000;
constexpr std::int64_t day_ms = 24 * 60 * minute_ms;

constexpr std::array version_names{"1.0.0", "1.0.1", "1.1.0"};
constexpr std::array game_modes{"duel", "squad", "battle-royale"};

/// The standard specifies the output of this engine, unlike that of its distributions.
using generator = std::mt19937_64;

std::int64_t below(generator& random, std::int64_t limit) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
}

/// A random UUID (RFC 9562, version 4).
model::uuid next_id(generator& random) {
  model::uuid id;
  for (auto& byte : id.bytes)
    byte = static_cast<std::uint8_t>(random());
  id.bytes[6] = static_cast<std::uint8_t>((id.bytes[6] & 0x0FU) | 0x40U);
  id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3FU) | 0x80U);
  return id;
}

model::lobby_times next_times(generator& random) {
  const auto start = month_begin_ms + below(random, month_end_ms - month_begin_ms);
  // Of a hundred lobbies, one is a persistent world and one was created and never joined.
  const auto sort = below(random, 100);
  const auto lasted = sort == 0   ? day_ms + below(random, 20 * day_ms)
                      : sort == 1 ? 0
                                  : 3 * minute_ms + below(random, 42 * minute_ms);
  if (start + lasted >= month_end_ms) return {start, std::nullopt};
  return {start, start + lasted};
}

model::lobby_attributes next_attributes(generator& random) {
  const auto& demo = model::demo_catalog();
  const auto any = [&random](const auto& list) -> const auto& {
    return list[random() % list.size()];
  };
  model::lobby_attributes attributes;
  attributes.namespace_id = demo.namespaces[below(random, 10) == 0 ? 1 : 0].namespace_id;
  const auto version = random() % version_names.size();
  attributes.version_id = demo.games.front().game_id;
  attributes.version_id.bytes[14] = 2;
  attributes.version_id.bytes[15] = static_cast<std::uint8_t>(version + 1);
  attributes.version_name = version_names[version];
  attributes.region_id = any(demo.regions).region_id;
  attributes.tier = any(demo.tiers);
  attributes.game_mode = any(game_modes);
  return attributes;
}

} // namespace

base::expected<bool> seed_demo_lobbies(store::lobby_sink& into) {
  generator random{20'260'101};
  model::lobby_attributes_table attributes;
  std::vector<model::lobby_record> lobbies;
  lobbies.reserve(lobby_count);
  for (std::size_t i = 0; i < lobby_count; ++i) {
    const auto id = next_id(random);
    const auto times = next_times(random);
    lobbies.push_back({id, times, attributes.number_of(next_attributes(random))});
  }
  bool news = false;
  for (std::span<const model::lobby_record> left{lobbies}; !left.empty();) {
    const auto merged = into.merge(left, attributes);
    if (!merged) return tl::unexpected(merged.error());
    news = news || merged->accepted > 0;
    left = left.subspan(merged->taken);
  }
  return news;
}

} // namespace matchcloud::app
