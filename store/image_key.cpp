#include "store/image_key.hpp"

#include <cstdint>
#include <cstring>
#include <functional>

namespace matchcloud::store {

std::size_t image_key_hash::operator()(const image_key& key) const noexcept {
  std::uint64_t digest = 0;
  std::memcpy(&digest, key.name.digest.data(), sizeof digest);
  return std::hash<model::uuid>{}(key.upload_id) ^ static_cast<std::size_t>(digest);
}

object_name images_folder() {
  return *object_name::parse("media");
}

object_name object_of(const image_key& key) {
  const auto digest = model::digest_text(key.name);
  return *object_name::parse("media/" + digest.substr(digest.size() - 2) + "/" +
                             model::to_string(key.upload_id) + "." + model::to_string(key.name));
}

std::string image_disposition(const image_key& key) {
  return "inline; filename=\"avatar-" + model::to_string(key.upload_id) +
         std::string{model::extension(key.name.type)} + "\"";
}

} // namespace matchcloud::store
