#pragma once

#include "model/avatars/avatar.hpp"
#include "model/records/line_error.hpp"
#include "model/records/record_line.hpp"

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace matchcloud::model {

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
