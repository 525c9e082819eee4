#include "store/media/referred_images.hpp"

#include <utility>

namespace matchcloud::store {

namespace {

/// How many images are remembered to be referred to.
constexpr std::size_t referred_limit = 65'536;

} // namespace

referred_images::referred_images(std::shared_ptr<image_source> all, std::shared_ptr<database> in,
                                 std::chrono::milliseconds replaced_for)
    : all_{std::move(all)},
      in_{std::move(in)},
      replaced_for_{replaced_for},
      referred_{referred_limit} {}

base::expected<opened_image> referred_images::open(const image_key& key) {
  if (!is_referred(key)) return tl::unexpected{image_not_found()};
  return all_->open(key);
}

bool referred_images::is_referred(const image_key& key) {
  const auto now = forgotten_.load();
  {
    const std::lock_guard lock{mutex_};
    // What was noted before the last call of `forget` does not count.
    if (const auto* noted = referred_.get(key); noted != nullptr && *noted == now) return true;
  }
  const auto found =
      in_->erasures().and_then([&](const auto& in) { return in->has_image(key, replaced_for_); });
  // While the store cannot be reached, images are served as before.
  if (!found) return true;
  if (!*found) return false;
  const std::lock_guard lock{mutex_};
  referred_.put(key, now, 1);
  return true;
}

void referred_images::forget() noexcept {
  ++forgotten_;
  all_->forget();
}

} // namespace matchcloud::store
