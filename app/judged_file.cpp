#include "app/judged_file.hpp"

#include "app/bounded_input.hpp"
#include "app/text_places.hpp"
#include "model/schema.hpp"

#include <utility>

namespace matchcloud::app {

namespace {

using model::json_document;
using model::json_kind;

/// A version around a `config` alone.
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

/// The root has members of a config and none of a version.
bool is_config_alone(const json_document& document, const model::validation_rules& rules) {
  const auto& version = *model::body_rule(model::payload_kind::version).shape;
  const auto& config = *model::find_member(version, "config", rules)->value->shape;
  bool has_any = false;
  for (std::uint32_t at = 1; at < document.root().next; at = document.node(at).next) {
    const auto name = document.name(document.node(at));
    if (model::find_member(version, name, rules) != nullptr) return false;
    has_any = has_any || model::find_member(config, name, rules) != nullptr;
  }
  return has_any;
}

/// Index of a member that is an object with members; 0 where there is none.
std::uint32_t object_within(const json_document& document, std::uint32_t object,
                            std::string_view name) {
  for (auto at = object + 1; at < document.node(object).next; at = document.node(at).next) {
    const auto& node = document.node(at);
    if (node.kind == json_kind::object && node.count > 0 && document.name(node) == name) return at;
  }
  return 0;
}

/// A matchmaker, or one of its modes, has an entry in its `regions`.
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

/// Brings findings of the framed text back to the text within.
void take_from_frame(model::finding& found) {
  if (!found.path.empty() && found.path.front() == "config") found.path.erase(found.path.begin());
  found.offset -= std::min(found.offset, frame_begin.size());
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

judged_file judge_text(std::string name, std::string text, model::payload_kind kind,
                       const payload_rules& rules) {
  judged_file judged{std::move(name), kind_of(kind), std::move(text), {}, {}, false};
  const auto& bytes = judged.text;
  const auto refuse = [&judged](base::errc code, std::string why) -> judged_file&& {
    judged.error = unusable_file{code, std::move(why), std::nullopt, {}};
    return std::move(judged);
  };
  if (bytes.size() > rules.body_limit_bytes)
    return refuse(base::errc::body_too_large,
                  "the file has more than " + std::to_string(rules.body_limit_bytes) +
                      " bytes, the most that the service takes (body-limit-bytes)");
  const auto places = text_places{bytes};
  const auto refuse_at = [&](const model::json_fault& fault) -> judged_file&& {
    judged.error = unusable_file{fault.code, fault.sentence, fault.offset, places.at(fault.offset)};
    return std::move(judged);
  };
  auto document = json_document::read_object(bytes, rules.rules.limits.depth);
  if (!document) return refuse_at(document.error());
  const bool alone =
      kind == model::payload_kind::version && is_config_alone(*document, rules.rules);
  if (alone) {
    judged.kind = file_kind::config;
    // One level is the version's.
    document = json_document::read_object(bytes, rules.rules.limits.depth - 1);
    if (!document) return refuse_at(document.error());
  }
  judged.names_regions = has_regions(*document, judged.kind);
  auto found =
      alone ? model::validate(kind, std::string{frame_begin} + bytes + std::string{frame_end},
                              rules.rules, rules.names)
            : model::validate(kind, bytes, rules.rules, rules.names);
  if (!found) return refuse(found.error().code, found.error().detail);
  judged.findings.reserve(found->size());
  for (auto& each : *found) {
    if (alone) take_from_frame(each);
    const auto at = places.at(each.offset);
    judged.findings.push_back({std::move(each), at});
  }
  return judged;
}

judged_file judge(const std::string& file, model::payload_kind kind, const payload_rules& rules) {
  auto name = file == "-" ? std::string{"stdin"} : file;
  auto text = read_bounded(file, rules.body_limit_bytes);
  if (text) return judge_text(std::move(name), *std::move(text), kind, rules);
  return {std::move(name),
          kind_of(kind),
          {},
          {},
          unusable_file{text.error().code, text.error().detail, std::nullopt, {}},
          false};
}

} // namespace matchcloud::app
