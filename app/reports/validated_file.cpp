#include "app/reports/validated_file.hpp"

#include "cli/bounded_input.hpp"
#include "model/text/suggestion.hpp"
#include "model/validation/schema.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::app {

namespace {

using model::json_document;

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

/// Determines what a text is. Fails if it is not a body of that kind.
tl::expected<file_kind, model::json_error> look_at(std::string_view text, model::payload_kind kind,
                                                   const model::validation_rules& rules) {
  const auto document = json_document::read_object(text, rules.limits.depth);
  if (!document) return tl::unexpected(document.error());
  if (kind != model::payload_kind::version || !is_config_alone(*document, rules))
    return kind_of(kind);
  // The version that is put around the config takes one level.
  const auto within = json_document::read_object(text, rules.limits.depth - 1);
  if (!within) return tl::unexpected(within.error());
  return file_kind::config;
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
  validated_file judged{std::move(name), kind_of(kind), std::move(text), {}, {}};
  const auto whole = [&judged](base::errc code, std::string why) {
    judged.error = unusable_file{code, std::move(why), std::nullopt, {}};
  };
  if (judged.text.size() > rules.body_limit_bytes) {
    whole(base::errc::body_too_large,
          "the file has more than " + std::to_string(rules.body_limit_bytes) +
              " bytes, the most that the service accepts (body-limit-bytes)");
    return judged;
  }
  const auto found_kind = look_at(judged.text, kind, rules.rules);
  if (!found_kind) {
    const auto& violation = found_kind.error();
    judged.error = unusable_file{violation.code, violation.sentence, violation.offset,
                                 model::position_of(judged.text, violation.offset)};
    return judged;
  }
  judged.kind = *found_kind;
  auto found = judged.kind == file_kind::config
                   ? validate_config(judged.text, rules)
                   : model::validate(kind, judged.text, rules.rules, rules.names);
  if (!found) {
    whole(found.error().code, found.error().detail);
    return judged;
  }
  judged.findings.reserve(found->size());
  for (auto& each : *found) {
    const auto at = model::position_of(judged.text, each.offset);
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
