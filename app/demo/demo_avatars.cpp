#include "app/demo/demo_avatars.hpp"

#include "app/demo/demo_lobbies.hpp"
#include "app/demo/demo_pictures.hpp"
#include "model/avatars/image_content.hpp"
#include "model/catalog/catalog_document.hpp"
#include "store/media/put_image.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace matchcloud::app {

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

base::expected<bool> seed_demo_avatars(store::avatar_store& into, store::object_store& images,
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
      if (auto put = store::put_image(images, {each.upload_id, *each.image}, image); !put)
        return tl::unexpected(put.error());
    }
    all.push_back(std::move(each));
  }
  const auto outcomes = into.put(all);
  if (!outcomes) return tl::unexpected(outcomes.error());
  return std::ranges::any_of(*outcomes, [](store::put_outcome outcome) {
    return outcome == store::put_outcome::added || outcome == store::put_outcome::changed;
  });
}

} // namespace matchcloud::app
