#include "store/media/put_image.hpp"

#include <string>

namespace matchcloud::store {

base::expected<void> put_image(object_store& into, const image_key& key, std::string_view bytes) {
  const auto name = object_of(key);
  const std::string type{model::media_type(key.name.type)};
  const auto outcome = into.put_new(name, bytes, type);
  if (!outcome) return tl::unexpected(outcome.error());
  if (*outcome == object_outcome::stored) return {};
  const auto found = into.stat(name);
  if (!found) return tl::unexpected(found.error());
  if (*found && (*found)->size_bytes == bytes.size()) return {};
  if (auto removed = into.remove(name); !removed) return removed;
  const auto again = into.put_new(name, bytes, type);
  if (!again) return tl::unexpected(again.error());
  if (*again == object_outcome::stored) return {};
  return base::fail(base::errc::store_failed,
                    name.text() + ": something other than an image has this name; remove it");
}

} // namespace matchcloud::store
