#include "app/demo/demo_avatars.hpp"

#include "app/demo/demo_image.hpp"
#include "model/avatars/image_content.hpp"
#include "model/catalog/catalog_document.hpp"
#include "store/media/put_image.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace matchcloud::app {

namespace {

struct demo_avatar {
  const char* display_name;
  std::int64_t create_ts_ms;
  /// The declared length of an incomplete upload; unused for complete ones.
  std::uint64_t content_length;
  bool complete;
};

constexpr std::array<demo_avatar, 5> avatars{{
    {"Red Panda", 1'767'225'600'000, 0, true},           // 2026-01-01T00:00:00Z
    {"Snow Owl", 1'767'614'400'250, 0, true},            // 2026-01-05T12:00:00.250Z
    {"Night Fox", 1'768'003'200'500, 48'213, false},     // 2026-01-10T00:00:00.500Z
    {"Tide Turtle", 1'768'521'600'750, 0, true},         // 2026-01-16T00:00:00.750Z
    {"Ember Lynx", 1'769'126'400'001, 1'999'999, false}, // 2026-01-23T00:00:00.001Z
}};

/// The id 00000000-0000-4000-8000-0000000001NN.
model::uuid demo_upload_id(std::size_t index) {
  auto id = model::demo_catalog().games.front().game_id;
  id.bytes[14] = 1;
  id.bytes[15] = static_cast<std::uint8_t>(index + 1);
  return id;
}

} // namespace

base::expected<bool> seed_demo_avatars(store::avatar_store& into, store::object_store& images) {
  std::vector<model::avatar> all;
  for (std::size_t i = 0; i < avatars.size(); ++i) {
    const auto& from = avatars[i];
    model::avatar each;
    each.game_id = model::demo_catalog().games.front().game_id;
    each.upload_id = demo_upload_id(i);
    each.display_name = from.display_name;
    each.create_ts_ms = from.create_ts_ms;
    each.content_length = from.content_length;
    each.complete = from.complete;
    if (each.complete) {
      const auto image = draw_demo_avatar(static_cast<std::uint32_t>(i + 1));
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
