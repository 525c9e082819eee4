#include "actors/administration/log_levels.hpp"

#include "base/events/log.hpp"
#include "model/json/json_document.hpp"
#include "model/json/json_writer.hpp"
#include "model/validation/object_reader.hpp"

#include <optional>

namespace matchcloud::actors {

namespace {

using base::log_level;
using base::log_subject;
using model::json_kind;
using model::json_node;

constexpr std::size_t depth_limit = 2;

void write_levels(model::json_writer& json, const base::log_levels& levels) {
  json.object();
  for (std::size_t i = 0; i < base::log_subject_count; ++i)
    json.name(base::log_subject_names[i]).text(base::name_of(levels.of[i]));
  json.end_object();
}

std::optional<log_level> read_level(model::object_reader& reader, std::string_view subject,
                                    const json_node& node) {
  const auto level =
      node.kind == json_kind::string ? base::find_log_level(reader.text(node)) : std::nullopt;
  if (level && *level != log_level::critical) return level;
  reader.add("`" + std::string{subject} +
             "` must be \"debug\", \"info\", \"warning\" or "
             "\"error\".");
  return std::nullopt;
}

} // namespace

std::string to_json(const base::log_levels& levels) {
  model::json_writer json;
  write_levels(json, levels);
  return json.take();
}

std::string render_log_levels() {
  model::json_writer json;
  json.object().name("in_force");
  write_levels(json, base::log_levels_in_force());
  json.name("configured");
  write_levels(json, base::configured_log_levels());
  return json.end_object().take();
}

base::expected<base::log_levels> parse_log_levels(std::string_view json, base::log_levels others) {
  const auto document = model::json_document::parse_object(json, depth_limit);
  if (!document) return tl::unexpected(document.error());
  model::object_reader reader{*document, "The body", base::log_subject_names};
  for (std::size_t i = 0; i < base::log_subject_count; ++i) {
    const auto name = base::log_subject_names[i];
    const auto level =
        reader.member(name, [&](const json_node& node) { return read_level(reader, name, node); });
    if (level) others.of[i] = *level;
  }
  reader.name_unknown();
  if (!reader.findings().empty()) return base::fail(base::errc::query_invalid, reader.findings());
  return others;
}

} // namespace matchcloud::actors
