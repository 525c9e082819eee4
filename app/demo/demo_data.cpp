#include "app/demo/demo_data.hpp"

#include "app/demo/demo_pictures.hpp"
#include "model/avatars/image_content.hpp"
#include "model/catalog/catalog_document.hpp"
#include "model/lobbies/lobby.hpp"
#include "store/media/images.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <span>
#include <string_view>
#include <vector>

namespace matchcloud::app {

namespace {

constexpr std::size_t lobby_count = 10'000;
constexpr std::int64_t minute_ms = 60'000;

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

model::lobby_times next_times(generator& random, std::int64_t until_ms) {
  const auto start = until_ms - demo_span_ms + below(random, demo_span_ms);
  // Of a hundred lobbies, one is a persistent world and one was created and never joined.
  const auto sort = below(random, 100);
  const auto lasted = sort == 0   ? day_ms + below(random, 20 * day_ms)
                      : sort == 1 ? 0
                                  : 3 * minute_ms + below(random, 42 * minute_ms);
  if (start + lasted >= until_ms) return {start, std::nullopt};
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

struct demo_lobbies {
  std::vector<model::lobby_record> records;
  model::lobby_attributes_table attributes;
};

/// Those that are running are first: the first of all never expires.
demo_lobbies make_lobbies(std::int64_t until_ms) {
  generator random{20'260'101};
  demo_lobbies made;
  made.records.reserve(lobby_count);
  for (std::size_t i = 0; i < lobby_count; ++i) {
    const auto id = next_id(random);
    const auto times = next_times(random, until_ms);
    made.records.push_back({id, times, made.attributes.number_of(next_attributes(random))});
  }
  std::ranges::stable_partition(made.records, [](const auto& each) { return !each.times.stop_ts; });
  return made;
}

} // namespace

std::int64_t moment_of_demo(store::lobby_history& in, std::int64_t wanted_ms) {
  const auto lobbies = make_lobbies(wanted_ms);
  const auto& first = lobbies.records.front();
  const auto found =
      base::value_of(in.find_lobby(model::demo_catalog().games.front().game_id, first.lobby_id));
  return found ? wanted_ms + found->times.start_ts - first.times.start_ts : wanted_ms;
}

bool seed_demo_lobbies(store::lobby_sink& into, std::int64_t until_ms) {
  const auto lobbies = make_lobbies(until_ms);
  bool news = false;
  for (std::span<const model::lobby_record> left{lobbies.records}; !left.empty();) {
    const auto merged = base::value_of(into.merge(left, lobbies.attributes));
    news = news || merged.accepted > 0;
    left = left.subspan(merged.taken);
  }
  return news;
}

namespace {

struct demo_avatar {
  const char* display_name;
  /// How long before the moment of the demo data it was created.
  std::int64_t age_ms;
  /// Null: its upload is incomplete.
  std::string_view (*picture)() noexcept;
  /// The declared length of an incomplete upload; unused for complete ones.
  std::uint64_t content_length = 0;
};

constexpr std::int64_t hour_ms = 3'600'000;

constexpr std::array<demo_avatar, 5> avatars{{
    {"Red Panda", 31 * day_ms, red_panda_png},
    {"Snow Owl", 26 * day_ms + 12 * hour_ms - 250, snow_owl_png},
    {"Night Fox", 22 * day_ms - 500, nullptr, 48'213},
    {"Tide Turtle", 16 * day_ms - 750, tide_turtle_png},
    {"Ember Lynx", 9 * day_ms - 1, nullptr, 1'999'999},
}};

/// The id 00000000-0000-4000-8000-0000000001NN.
model::uuid demo_upload_id(std::size_t index) {
  auto id = model::demo_catalog().games.front().game_id;
  id.bytes[14] = 1;
  id.bytes[15] = static_cast<std::uint8_t>(index + 1);
  return id;
}

} // namespace

bool seed_demo_avatars(store::avatar_store& into, store::object_store& images,
                       std::int64_t until_ms) {
  std::vector<model::avatar> all;
  for (std::size_t i = 0; i < avatars.size(); ++i) {
    const auto& from = avatars[i];
    model::avatar each;
    each.game_id = model::demo_catalog().games.front().game_id;
    each.upload_id = demo_upload_id(i);
    each.display_name = from.display_name;
    each.create_ts_ms = until_ms - from.age_ms;
    each.content_length = from.content_length;
    each.complete = from.picture != nullptr;
    if (each.complete) {
      const auto image = from.picture();
      each.content_length = image.size();
      each.image = model::name_image(image, model::image_type::png);
      base::value_of(store::put_image(images, {each.upload_id, *each.image}, image));
    }
    all.push_back(std::move(each));
  }
  return std::ranges::any_of(base::value_of(into.put(all)), [](store::put_outcome outcome) {
    return outcome == store::put_outcome::added || outcome == store::put_outcome::changed;
  });
}

} // namespace matchcloud::app
