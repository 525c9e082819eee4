#pragma once

#include "base/second_chance_cache.hpp"
#include "store/database.hpp"
#include "store/media/image_source.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace matchcloud::store {

/// Those images of another source that avatars have, or had until less than `replaced_for` ago. The
/// image of an avatar that was removed, or whose game is erased, is not found even while it still
/// exists. While the store cannot be reached, all images are served. One per source; any thread.
class referred_images final : public image_source {
public:
  referred_images(std::shared_ptr<image_source> all, std::shared_ptr<database> in,
                  std::chrono::milliseconds replaced_for);

  base::expected<opened_image> open(const image_key& key) override;
  void forget() noexcept override;
  std::uint64_t forgotten() const noexcept override { return forgotten_; }
  std::size_t known() const override { return all_->known(); }

private:
  bool is_referred(const image_key& key);

  std::shared_ptr<image_source> all_;
  std::shared_ptr<database> in_;
  std::chrono::milliseconds replaced_for_;
  std::atomic<std::uint64_t> forgotten_{0};
  std::mutex mutex_;
  /// Images found to belong to avatars since the last call of `forget`. Each costs 1.
  base::second_chance_cache<image_key, std::uint64_t, image_key_hash> referred_;
};

} // namespace matchcloud::store
