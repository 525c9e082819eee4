#include "model/avatars/avatar.hpp"

#include "model/json/json_writer.hpp"
#include "model/records/record_line.hpp"
#include "model/text/exact_integer.hpp"
#include "model/text/timestamp.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace matchcloud::model {

std::string image_path(const uuid& upload_id, const image_name& image) {
  return "/media/avatars/" + to_string(upload_id) + "/" + to_string(image);
}

image_url_maker image_urls_below(std::string public_url) {
  return [base = std::move(public_url)](const uuid& upload_id, const image_name& image) {
    return base + image_path(upload_id, image);
  };
}

avatar_list_writer::avatar_list_writer(image_url_maker url_of)
    : url_of_{std::move(url_of)}, out_{R"({"custom_avatars":[)"} {}

void avatar_list_writer::add(const avatar& each) {
  if (!std::exchange(first_, false)) out_ += ',';
  out_.append(R"({"upload_id":")").append(to_string(each.upload_id));
  out_.append(R"(","display_name":)");
  append_json_string(out_, each.display_name);
  out_.append(R"(,"create_ts":")");
  out_.append(format_timestamp(each.create_ts_ms));
  out_.append(R"(","content_length":)").append(std::to_string(each.content_length));
  out_.append(R"(,"complete":)").append(each.complete ? "true" : "false");
  if (each.complete && each.image) {
    out_.append(R"(,"url":)");
    append_json_string(out_, url_of_(each.upload_id, *each.image));
  }
  out_ += '}';
}

std::string avatar_list_writer::take() {
  out_.append("]}");
  out_.shrink_to_fit();
  return std::move(out_);
}

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

constexpr std::array<json_field, avatar_member_count> avatar_members{{{"game_id"},
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
  const auto length = field.what == json_kind::number ? read_integer(field.text) : std::nullopt;
  if (length && !length->negative && !length->too_large) return length->magnitude;
  values.refuse_unless(json_kind::number, "content_length", field,
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
  if (field.what == json_kind::string && stays_below(field.text)) return std::string{field.text};
  values.refuse_unless(
      json_kind::string, "file", field,
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
