#include "app/faults/fault_listing.hpp"

#include "app/reports/text_table.hpp"
#include "base/characters.hpp"
#include "model/json/members.hpp"

#include <algorithm>
#include <initializer_list>

namespace matchcloud::app {

namespace {

using json_value = rapidjson::Value;

std::string text(const json_value& of, const char* name) {
  return std::string{model::member_text(of, name)};
}

tl::unexpected<base::error> no_listing() {
  return base::fail(
      base::errc::io_failed,
      "the answer is not a list of faults; is this the ops plane of a matchcloud service?");
}

/// `5..20 ms`, or `5 ms`.
std::string span_of(const json_value& delay) {
  if (!delay.IsArray() || delay.Size() != 2) return model::as_json(delay) + " ms";
  const auto least = model::as_json(delay[0]);
  const auto most = model::as_json(delay[1]);
  return (least == most ? least : least + ".." + most) + " ms";
}

/// Whether one of these members has `part`, in any case.
bool has(const json_value& of, std::initializer_list<const char*> members, std::string_view part) {
  const auto same = [](char a, char b) { return base::to_lower(a) == base::to_lower(b); };
  return std::ranges::any_of(members, [&](const char* member) {
    const auto text = model::member_text(of, member);
    return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
  });
}

bool is_injected(const json_value& point) {
  return model::member_object(point, "rule") != nullptr;
}

bool is_chosen(const json_value& point, const listing_choice& by) {
  if (by.search.empty()) return by.all || is_injected(point);
  return has(point, {"point", "what", "group"}, by.search);
}

bool is_chosen_preset(const json_value& preset, const listing_choice& by) {
  return by.search.empty() ? by.all : has(preset, {"name", "effect", "point"}, by.search);
}

/// In whole minutes, rounded up, or in seconds.
std::string time_left(const std::optional<std::int64_t>& seconds) {
  if (!seconds) return "";
  if (*seconds < 120) return std::to_string(*seconds) + " s";
  return std::to_string((*seconds + 59) / 60) + " min";
}

std::optional<std::int64_t> healing_time(const json_value& point) {
  const auto* const heals = model::member_of(point, "heals_in_s");
  if (heals == nullptr || !heals->IsInt64()) return std::nullopt;
  return heals->GetInt64();
}

std::string described_rule(const json_value& rule) {
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
      shown += set.IsString() ? std::string{set.GetString()} : model::as_json(set);
    }
  }
  return shown;
}

text_table injected_table(const json_value& from) {
  text_table table{{{"POINT"}, {"FAULT", true}, {"HIT"}, {"OF"}, {"HEALS IN"}}, {}};
  for (const auto& each : model::member_elements(from, "points"))
    if (is_injected(each))
      table.rows.push_back({text(each, "point"), described_rule(each["rule"]),
                            std::to_string(model::member_count(each, "hits")),
                            std::to_string(model::member_count(each, "passes")),
                            time_left(healing_time(each))});
  return table;
}

text_table idle_table(const json_value& from) {
  text_table table{{{"GROUP"}, {"POINT"}, {"KINDS"}, {"WHAT HAPPENS THERE", true}}, {}};
  for (const auto& each : model::member_elements(from, "points")) {
    if (is_injected(each)) continue;
    std::string kinds;
    for (const auto& kind : model::member_elements(each, "kinds"))
      if (kind.IsString()) kinds.append(kinds.empty() ? "" : ", ").append(kind.GetString());
    table.rows.push_back({text(each, "group"), text(each, "point"), kinds, text(each, "what")});
  }
  return table;
}

text_table preset_table(const json_value& from) {
  text_table table{{{"PRESET"}, {"POINT"}, {"FAULT"}, {"EFFECT", true}}, {}};
  for (const auto& each : model::member_elements(from, "presets"))
    if (const auto* rule = model::member_object(each, "rule"))
      table.rows.push_back(
          {text(each, "name"), text(each, "point"), described_rule(*rule), text(each, "effect")});
  return table;
}

} // namespace

std::string describe_rule(std::string_view json) {
  const auto rule = model::parse_members(json);
  return rule.IsObject() ? described_rule(rule) : std::string{};
}

base::expected<fault_point_state> read_fault_point(std::string_view json) {
  const auto point = model::parse_members(json);
  if (model::member_text(point, "point").empty()) return no_listing();
  return fault_point_state{model::member_count(point, "hits"), healing_time(point),
                           text(point, "note"), is_injected(point),
                           model::member_count(point, "passes")};
}

base::expected<rapidjson::Document> read_fault_listing(std::string_view json,
                                                       const listing_choice& by) {
  auto listing = model::parse_members(json);
  const auto reduce = [&](const char* name, auto keeps) {
    if (model::member_array(listing, name) == nullptr) return false;
    auto& all = listing[name];
    for (auto* each = all.Begin(); each != all.End();)
      each = keeps(*each, by) ? each + 1 : all.Erase(each);
    return true;
  };
  if (!reduce("points", is_chosen) || !reduce("presets", is_chosen_preset)) return no_listing();
  return listing;
}

std::string text_of(const rapidjson::Document& listing, std::size_t width) {
  std::string all;
  for (const auto& each : {injected_table(listing), idle_table(listing), preset_table(listing)})
    if (!each.rows.empty()) all.append(all.empty() ? "" : "\n").append(each.render(width));
  return all;
}

} // namespace matchcloud::app
