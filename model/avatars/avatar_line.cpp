#include "model/avatars/avatar_line.hpp"

#include "model/records/record_values.hpp"
#include "model/text/exact_integer.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace matchcloud::model {

namespace {

enum avatar_member : std::size_t {
  game_id,
  upload_id,
  display_name,
  create_ts,
  content_length,
  complete,
  file,
  avatar_member_count
};

constexpr std::array<record_member, avatar_member_count> avatar_members{{{"game_id"},
                                                                         {"upload_id"},
                                                                         {"display_name"},
                                                                         {"create_ts"},
                                                                         {"content_length"},
                                                                         {"complete"},
                                                                         {"file", false}}};

using avatar_field_list = std::array<record_field, avatar_member_count>;

/// Whether a path stays in its starting folder, judged by its text alone.
bool stays_below(std::string_view path) noexcept {
  if (path.empty() || path.front() == '/' || path.find('\0') != std::string_view::npos)
    return false;
  while (true) {
    const auto slash = path.find('/');
    if (path.substr(0, slash) == "..") return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

std::uint64_t read_length(record_values& values, const record_field& field) {
  const auto length =
      field.what == record_field::kind::number ? read_integer(field.text) : std::nullopt;
  if (length && !length->negative && !length->too_large) return length->magnitude;
  const bool number = field.what == record_field::kind::number;
  values.refuse(number ? line_errc::invalid : line_errc::wrong_type, "content_length", field,
                "an integer from 0 to 18446744073709551615");
  return 0;
}

std::string read_file(record_values& values, const record_field& field, bool complete) {
  if (!complete) {
    if (field.given())
      values.refuse(line_errc::invalid, "file", field,
                    "no file, because the avatar is not complete; add it once complete is true");
    return {};
  }
  const bool text = field.what == record_field::kind::string;
  if (text && stays_below(field.text)) return std::string{field.text};
  values.refuse(text ? line_errc::invalid : line_errc::wrong_type, "file", field,
                "the image's path relative to the import file, without .. in it; a complete avatar "
                "needs it");
  return {};
}

} // namespace

avatar_line_reader::avatar_line_reader(std::vector<std::string> ignored)
    : reader_{avatar_members, std::move(ignored)} {}

base::expected<void> avatar_line_reader::check_ignored(std::span<const std::string> names) {
  return model::check_ignored(avatar_members, names);
}

std::variant<avatar_line, line_finding> avatar_line_reader::read(const input_line& line) {
  avatar_field_list fields;
  if (auto finding = reader_.read(line, fields)) return *std::move(finding);
  record_values values;
  avatar_line result;
  auto& made = result.avatar;
  made.game_id = values.id("game_id", fields[game_id]);
  made.upload_id = values.id("upload_id", fields[upload_id]);
  made.display_name = values.label("display_name", fields[display_name]);
  made.create_ts_ms = values.time("create_ts", fields[create_ts]);
  made.content_length = read_length(values, fields[content_length]);
  made.complete = values.flag("complete", fields[complete]);
  if (!values.finding()) result.file = read_file(values, fields[file], made.complete);
  if (values.finding()) return *values.finding();
  return result;
}

} // namespace matchcloud::model
