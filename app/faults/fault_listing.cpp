#include "app/faults/fault_listing.hpp"

#include "app/reports/text_table.hpp"
#include "base/characters.hpp"
#include "model/json/json_writer.hpp"
#include "model/json/members.hpp"
#include "model/text/joined.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>

namespace matchcloud::app {

namespace {

using json_value = rapidjson::Value;

constexpr std::size_t shown_limit = 400;

/// The text of a member, safe for terminals; empty if there is none.
std::string text(const json_value& of, const char* name) {
  return model::printable_excerpt(model::member_text(of, name), shown_limit);
}

std::string as_json(const json_value& of) {
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer{text};
  of.Accept(writer);
  return {text.GetString(), text.GetSize()};
}

std::vector<std::string> words(const json_value& of, const char* name) {
  std::vector<std::string> all;
  for (const auto& each : model::member_elements(of, name))
    if (each.IsString()) all.push_back(model::printable_excerpt(each.GetString(), shown_limit));
  return all;
}

listed_point point_of(const json_value& from) {
  listed_point made;
  made.name = text(from, "point");
  made.what = text(from, "what");
  made.group = text(from, "group");
  made.kinds = words(from, "kinds");
  if (const auto* rule = model::member_object(from, "rule")) made.rule = as_json(*rule);
  made.passes = model::member_count(from, "passes");
  made.hits = model::member_count(from, "hits");
  made.note = text(from, "note");
  const auto* const heals = model::member_of(from, "heals_in_s");
  if (heals != nullptr && heals->IsInt64()) made.heals_in_s = heals->GetInt64();
  return made;
}

listed_preset preset_of(const json_value& from) {
  const auto* rule = model::member_object(from, "rule");
  return {text(from, "name"), text(from, "effect"), text(from, "point"),
          rule != nullptr ? as_json(*rule) : "null"};
}

tl::unexpected<base::error> no_listing() {
  return base::fail(
      base::errc::io_failed,
      "the answer is not a list of faults; is this the ops plane of a matchcloud service?");
}

/// `5..20 ms`, or `5 ms`.
std::string span_of(const json_value& delay) {
  if (!delay.IsArray() || delay.Size() != 2) return as_json(delay) + " ms";
  const auto least = as_json(delay[0]);
  const auto most = as_json(delay[1]);
  return (least == most ? least : least + ".." + most) + " ms";
}

bool has(const std::string& text, std::string_view part) {
  const auto same = [](char a, char b) { return base::to_lower(a) == base::to_lower(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

/// In whole minutes, rounded up, or in seconds.
std::string time_left(const std::optional<std::int64_t>& seconds) {
  if (!seconds) return "";
  if (*seconds < 120) return std::to_string(*seconds) + " s";
  return std::to_string((*seconds + 59) / 60) + " min";
}

text_table injected_table(const fault_listing& from) {
  text_table table{{{"POINT"}, {"FAULT", true}, {"HIT"}, {"OF"}, {"HEALS IN"}}, {}};
  for (const auto& each : from.points)
    if (!each.rule.empty())
      table.rows.push_back({each.name, describe_rule(each.rule), std::to_string(each.hits),
                            std::to_string(each.passes), time_left(each.heals_in_s)});
  return table;
}

text_table idle_table(const fault_listing& from) {
  text_table table{{{"GROUP"}, {"POINT"}, {"KINDS"}, {"WHAT HAPPENS THERE", true}}, {}};
  for (const auto& each : from.points)
    if (each.rule.empty())
      table.rows.push_back({each.group, each.name, model::joined(each.kinds), each.what});
  return table;
}

text_table preset_table(const fault_listing& from) {
  text_table table{{{"PRESET"}, {"POINT"}, {"FAULT"}, {"EFFECT", true}}, {}};
  for (const auto& each : from.presets)
    table.rows.push_back({each.name, each.point, describe_rule(each.rule), each.effect});
  return table;
}

} // namespace

std::string describe_rule(std::string_view json) {
  rapidjson::Document document;
  document.Parse(json.data(), json.size());
  if (document.HasParseError() || !document.IsObject()) return {};
  const json_value& rule = document;
  auto shown = text(rule, "kind");
  for (const auto& [name, set] : rule.GetObject()) {
    const std::string_view member{name.GetString(), name.GetStringLength()};
    if (member == "kind") continue;
    if (member == "delay_ms") {
      shown.append(" ").append(span_of(set));
    } else if (set.IsBool()) {
      if (set.GetBool()) shown.append(", ").append(member);
    } else {
      shown.append(", ").append(member).append(" ");
      shown += set.IsString() ? std::string{set.GetString()} : as_json(set);
    }
  }
  return model::printable_excerpt(shown, shown_limit);
}

base::expected<listed_point> read_fault_point(std::string_view json) {
  rapidjson::Document document;
  document.Parse(json.data(), json.size());
  if (document.HasParseError() || !document.IsObject()) return no_listing();
  auto point = point_of(document);
  if (point.name.empty()) return no_listing();
  return point;
}

base::expected<fault_listing> read_fault_listing(std::string_view json) {
  rapidjson::Document document;
  document.Parse(json.data(), json.size());
  if (document.HasParseError() || !document.IsObject()) return no_listing();
  const json_value& all = document;
  fault_listing made{model::member_count(all, "seed"), {}, {}};
  if (model::member_array(all, "points") == nullptr) return no_listing();
  for (const auto& each : model::member_elements(all, "points"))
    if (each.IsObject()) made.points.push_back(point_of(each));
  for (const auto& each : model::member_elements(all, "presets"))
    if (each.IsObject()) made.presets.push_back(preset_of(each));
  return made;
}

fault_listing chosen_of(fault_listing all, const listing_choice& by) {
  const bool searches = !by.search.empty();
  std::erase_if(all.points, [&](const listed_point& each) {
    if (!searches) return !by.all && each.rule.empty();
    return !has(each.name, by.search) && !has(each.what, by.search) && !has(each.group, by.search);
  });
  std::erase_if(all.presets, [&](const listed_preset& each) {
    if (!searches) return !by.all;
    return !has(each.name, by.search) && !has(each.effect, by.search) &&
           !has(each.point, by.search);
  });
  return all;
}

std::string text_of(const fault_listing& shown, std::size_t width) {
  std::string all;
  for (const auto& each : {injected_table(shown), idle_table(shown), preset_table(shown)})
    if (!each.rows.empty()) all.append(all.empty() ? "" : "\n").append(each.render(width));
  return all;
}

std::string json_of(const fault_listing& shown) {
  model::json_writer json;
  json.object().name("seed").number(shown.seed).name("points").array();
  for (const auto& each : shown.points) {
    json.object().name("point").text(each.name).name("group").text(each.group);
    json.name("what").text(each.what).name("kinds").array();
    for (const auto& kind : each.kinds)
      json.text(kind);
    json.end_array().name("rule");
    if (each.rule.empty())
      json.null();
    else
      json.raw(each.rule);
    json.name("passes").number(each.passes).name("hits").number(each.hits).name("heals_in_s");
    if (each.heals_in_s)
      json.number(*each.heals_in_s);
    else
      json.null();
    if (!each.note.empty()) json.name("note").text(each.note);
    json.end_object();
  }
  json.end_array().name("presets").array();
  for (const auto& each : shown.presets)
    json.object()
        .name("name")
        .text(each.name)
        .name("effect")
        .text(each.effect)
        .name("point")
        .text(each.point)
        .name("rule")
        .raw(each.rule)
        .end_object();
  return json.end_array().end_object().take() + "\n";
}

} // namespace matchcloud::app
