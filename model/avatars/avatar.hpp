#pragma once

#include "model/avatars/image_name.hpp"
#include "model/text/uuid.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// A custom avatar of a game: an upload, complete or not.
struct avatar {
  uuid game_id;
  /// Unique over all games.
  uuid upload_id;
  std::string display_name;
  /// Milliseconds since 1970-01-01T00:00:00Z, years 1970 to 9999.
  std::int64_t create_ts_ms = 0;
  /// Bytes of the upload, as its uploader declared them: the whole unsigned range.
  std::uint64_t content_length = 0;
  bool complete = false;
  /// Set if the upload is complete.
  std::optional<image_name> image;

  friend bool operator==(const avatar&, const avatar&) = default;
};

/// The path of an avatar's image below the public URL: `/media/avatars/{upload_id}/{file_name}`.
std::string image_path(const uuid& upload_id, const image_name& image);

/// Makes the URL of an image.
using image_url_maker = std::function<std::string(const uuid& upload_id, const image_name& image)>;

/// The URL of an image at the service itself, below its public URL.
image_url_maker image_urls_below(std::string public_url);

/// Writes the response body of an avatar listing, one avatar after the other.
class avatar_list_writer {
public:
  explicit avatar_list_writer(image_url_maker url_of);

  void add(const avatar& each);
  std::size_t size_bytes() const noexcept { return out_.size(); }
  /// The whole document, without spare capacity.
  std::string take();

private:
  image_url_maker url_of_;
  std::string out_;
  bool first_ = true;
};

} // namespace matchcloud::model
