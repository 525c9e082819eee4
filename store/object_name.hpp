#pragma once

#include "model/avatars/image_content.hpp"
#include "model/text/uuid.hpp"

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// The longest name of an object. Object storage services allow 1,024 bytes; the rest is left for a
/// prefix.
inline constexpr std::size_t object_name_limit_bytes = 512;

/// The name of an object, such as `media/ab/cd.png`: parts between slashes, each of 1 to 255 ASCII
/// letters, digits, `.`, `_` and `-`, but not `.` or `..`. It can therefore serve as a path below a
/// folder unchanged. Immutable.
class object_name {
public:
  /// Nothing if `text` is not a valid name.
  static std::optional<object_name> parse(std::string_view text);

  const std::string& text() const noexcept { return text_; }

  friend auto operator<=>(const object_name&, const object_name&) = default;

private:
  explicit object_name(std::string_view text) : text_{text} {}

  std::string text_;
};

/// Names one stored image.
struct image_key {
  model::uuid upload_id;
  model::image_name name;

  friend bool operator==(const image_key&, const image_key&) = default;
};

struct image_key_hash {
  std::size_t operator()(const image_key& key) const noexcept;
};

/// The folder that holds all images.
object_name images_folder();

/// The name of an image as an object: `media/XX/UPLOAD_ID.FILE_NAME`, where XX are the last two
/// digits of the digest. Built from the typed values alone, so no client-supplied text gets into
/// it.
object_name object_of(const image_key& key);

/// The path of an image in a data directory.
inline std::string media_path(const std::string& data_dir, const image_key& key) {
  return data_dir + "/" + object_of(key).text();
}

/// The `Content-Disposition` of an image's download.
std::string image_disposition(const image_key& key);

} // namespace matchcloud::store
