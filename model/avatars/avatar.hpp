#pragma once

#include "model/avatars/image_content.hpp"
#include "model/records/record_line.hpp"
#include "model/text/uuid.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

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

/// A line of an avatar import, checked as far as possible without other lines and files.
struct avatar_line {
  /// Its `image` is not set.
  model::avatar avatar;
  /// The path of the image, relative to the import file: not absolute, without `..`. Empty if the
  /// avatar is not complete.
  std::string file;
};

/// Reads lines of an avatar import: a JSON object with `game_id`, `upload_id`, `display_name`,
/// `create_ts`, `content_length`, `complete` and, if complete, `file`. One thread.
class avatar_line_reader {
public:
  /// Members with the names in `ignored` are skipped; `check_ignored` accepts the names.
  explicit avatar_line_reader(std::vector<std::string> ignored = {});

  /// Fails with `config_invalid` and says why if members of these names cannot be ignored.
  static base::expected<void> check_ignored(std::span<const std::string> names);

  std::variant<avatar_line, line_finding> read(const input_line& line);

private:
  record_reader reader_;
};

} // namespace matchcloud::model
