#include "store/exports/signing_key_ring.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace matchcloud::store {

base::expected<std::unique_ptr<signing_key_ring>> signing_key_ring::open(std::string data_dir) {
  auto keys = signing_keys::load(data_dir);
  if (!keys) return tl::unexpected(std::move(keys).error());
  return std::unique_ptr<signing_key_ring>{
      new signing_key_ring{std::move(data_dir), *std::move(keys)}};
}

signing_key_ring::signing_key_ring(std::string data_dir, signing_keys keys)
    : data_dir_{std::move(data_dir)},
      keys_{std::make_shared<const signing_keys>(std::move(keys))} {}

std::shared_ptr<const signing_keys> signing_key_ring::current() const {
  const std::lock_guard lock{mutex_};
  return keys_;
}

void signing_key_ring::refresh() {
  auto found = signing_keys::load(data_dir_);
  const std::lock_guard lock{mutex_};
  if (!found) {
    if (!std::exchange(failing_, true))
      spdlog::error("signing keys: {}; the known ones stay in force",
                    base::to_string(found.error()));
    return;
  }
  failing_ = false;
  if (found->keys() == keys_->keys()) return;
  keys_ = std::make_shared<const signing_keys>(*std::move(found));
  spdlog::info("signing keys: {} in force", keys_->keys().size());
}

} // namespace matchcloud::store
