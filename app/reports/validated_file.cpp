#include "app/reports/validated_file.hpp"

#include "cli/bounded_input.hpp"
#include "model/text/suggestion.hpp"
#include "model/validation/schema.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::app {

namespace {

/// Advances `place` past one byte.
void pass(model::text_position& place, char c) noexcept {
  if (c == '\n')
    place = {place.line + 1, 1};
  else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80) // continuation bytes of UTF-8
    ++place.column;
}

} // namespace

text_places::text_places(std::string_view text) : text_{text} {
  marks_.reserve(text.size() / stride_bytes + 1);
  model::text_position place;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at % stride_bytes == 0) marks_.push_back(place);
    pass(place, text[at]);
  }
  if (text.size() % stride_bytes == 0) marks_.push_back(place);
}

model::text_position text_places::at(std::size_t offset) const noexcept {
  const auto end = std::min(offset, text_.size());
  auto place = marks_[end / stride_bytes];
  for (auto at = end - end % stride_bytes; at < end; ++at)
    pass(place, text_[at]);
  return place;
}

namespace {

using model::json_document;
using model::json_kind;

/// The frame that turns a bare `config` into a version.
constexpr std::string_view frame_begin = R"({"display_name":"v","config":)";
constexpr std::string_view frame_end = "}";

file_kind kind_of(model::payload_kind kind) noexcept {
  switch (kind) {
  case model::payload_kind::version: return file_kind::version;
  case model::payload_kind::game: return file_kind::game;
  case model::payload_kind::group: return file_kind::group;
  }
  return file_kind::version;
}

/// Whether `name` looks like one of the shape's members.
bool resembles_member(const model::object_shape& shape, std::string_view name) {
  // Names of one or two letters resemble every name of that length.
  constexpr std::size_t telling_bytes = 3;
  if (name.size() < telling_bytes) return false;
  return std::ranges::any_of(shape.members, [name](const model::member_rule& member) {
    return !model::closest_name(name, {&member.name, 1}).empty();
  });
}

/// Whether the root has members of a config, or names similar to them, and none of a version.
bool is_config_alone(const json_document& document, const model::validation_rules& rules) {
  const auto& version = *model::body_rule(model::payload_kind::version).shape;
  const auto& config = *model::find_member(version, "config", rules)->value->shape;
  bool has_any = false;
  bool is_like_config = false;
  bool is_like_version = false;
  for (std::uint32_t at = 1; at < document.root().next; at = document.node(at).next) {
    const auto name = document.name(document.node(at));
    if (model::find_member(version, name, rules) != nullptr) return false;
    has_any = has_any || model::find_member(config, name, rules) != nullptr;
    is_like_config = is_like_config || resembles_member(config, name);
    is_like_version = is_like_version || resembles_member(version, name);
  }
  return has_any || (is_like_config && !is_like_version);
}

/// Index of a member that is an object with members; 0 if there is none.
std::uint32_t object_within(const json_document& document, std::uint32_t object,
                            std::string_view name) {
  for (auto at = object + 1; at < document.node(object).next; at = document.node(at).next) {
    const auto& node = document.node(at);
    if (node.kind == json_kind::object && node.count > 0 && document.name(node) == name) return at;
  }
  return 0;
}

/// Whether the matchmaker or one of its game modes has an entry in its `regions`.
bool has_regions(const json_document& document, file_kind kind) {
  if (kind != file_kind::config && kind != file_kind::version) return false;
  const auto config = kind == file_kind::config ? 0 : object_within(document, 0, "config");
  if (kind == file_kind::version && config == 0) return false;
  const auto matchmaker = object_within(document, config, "matchmaker");
  if (matchmaker == 0) return false;
  if (object_within(document, matchmaker, "regions") != 0) return true;
  const auto modes = object_within(document, matchmaker, "game_modes");
  if (modes == 0) return false;
  for (auto at = modes + 1; at < document.node(modes).next; at = document.node(at).next)
    if (document.node(at).kind == json_kind::object && object_within(document, at, "regions") != 0)
      return true;
  return false;
}

/// What must be known about a file before it is validated.
struct file_shape {
  file_kind kind;
  bool names_regions;
};

/// Determines the shape of a text. Fails if the text is not a body of that kind.
tl::expected<file_shape, model::json_error> look_at(std::string_view text, model::payload_kind kind,
                                                    const model::validation_rules& rules) {
  const auto document = json_document::read_object(text, rules.limits.depth);
  if (!document) return tl::unexpected(document.error());
  if (kind != model::payload_kind::version || !is_config_alone(*document, rules))
    return file_shape{kind_of(kind), has_regions(*document, kind_of(kind))};
  // The version that is put around the config takes one level.
  const auto within = json_document::read_object(text, rules.limits.depth - 1);
  if (!within) return tl::unexpected(within.error());
  return file_shape{file_kind::config, has_regions(*within, file_kind::config)};
}

/// Validates a bare `config` inside a version; paths and offsets refer to the `config`.
base::expected<std::vector<model::finding>> validate_config(std::string_view config,
                                                            const payload_rules& rules) {
  std::string framed{frame_begin};
  framed.append(config).append(frame_end);
  auto found = model::validate(model::payload_kind::version, framed, rules.rules, rules.names);
  if (!found) return found;
  for (auto& each : *found) {
    if (!each.path.empty() && each.path.front() == "config") each.path.erase(each.path.begin());
    each.offset -= std::min(each.offset, frame_begin.size());
  }
  return found;
}

} // namespace

std::string_view name_of(file_kind kind) noexcept {
  switch (kind) {
  case file_kind::version: return "version";
  case file_kind::game: return "game";
  case file_kind::group: return "group";
  case file_kind::config: return "config";
  }
  return {};
}

validated_file validate_text(std::string name, std::string text, model::payload_kind kind,
                             const payload_rules& rules) {
  validated_file judged{std::move(name), kind_of(kind), std::move(text), {}, {}, false};
  const auto whole = [&judged](base::errc code, std::string why) {
    judged.error = unusable_file{code, std::move(why), std::nullopt, {}};
  };
  if (judged.text.size() > rules.body_limit_bytes) {
    whole(base::errc::body_too_large,
          "the file has more than " + std::to_string(rules.body_limit_bytes) +
              " bytes, the most that the service accepts (body-limit-bytes)");
    return judged;
  }
  const text_places places{judged.text};
  const auto shape = look_at(judged.text, kind, rules.rules);
  if (!shape) {
    const auto& violation = shape.error();
    judged.error = unusable_file{violation.code, violation.sentence, violation.offset,
                                 places.at(violation.offset)};
    return judged;
  }
  judged.kind = shape->kind;
  judged.names_regions = shape->names_regions;
  auto found = shape->kind == file_kind::config
                   ? validate_config(judged.text, rules)
                   : model::validate(kind, judged.text, rules.rules, rules.names);
  if (!found) {
    whole(found.error().code, found.error().detail);
    return judged;
  }
  judged.findings.reserve(found->size());
  for (auto& each : *found) {
    const auto at = places.at(each.offset);
    judged.findings.push_back({std::move(each), at});
  }
  return judged;
}

validated_file validate_file(const std::string& file, model::payload_kind kind,
                             const payload_rules& rules) {
  const bool is_stdin = file == "-";
  auto name = is_stdin ? std::string{"stdin"} : file;
  auto text = is_stdin ? cli::read_bounded_stdin(rules.body_limit_bytes)
                       : cli::read_bounded_file(file, rules.body_limit_bytes);
  if (text) return validate_text(std::move(name), *std::move(text), kind, rules);
  validated_file judged;
  judged.name = std::move(name);
  judged.kind = kind_of(kind);
  judged.error = unusable_file{text.error().code, text.error().detail, std::nullopt, {}};
  return judged;
}

} // namespace matchcloud::app
