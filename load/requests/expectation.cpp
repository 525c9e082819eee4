#include "load/requests/expectation.hpp"

#include "base/characters.hpp"
#include "http/wire/message_lines.hpp"
#include "model/json/members.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

namespace matchcloud::load {

namespace {

constexpr std::string_view body_line_end = "\r\n";
constexpr std::size_t shown_bytes = 100;

const rapidjson::Value* step_at(const rapidjson::Value& in, const json_place::Token& token) {
  if (in.IsObject()) {
    const auto found =
        in.FindMember(rapidjson::Value{rapidjson::StringRef(token.name, token.length)});
    return found == in.MemberEnd() ? nullptr : &found->value;
  }
  return in.IsArray() && token.index < in.Size() ? &in[token.index] : nullptr;
}

std::string shown(std::string_view text) {
  return "`" + std::string{text.substr(0, shown_bytes)} +
         (text.size() > shown_bytes ? " ..`" : "`");
}

/// The limit on the nesting of a value that is written as text, because each level uses stack.
constexpr int levels_limit = 64;

bool is_nested_within(const rapidjson::Value& of, int levels) {
  if (levels == 0) return !of.IsObject() && !of.IsArray();
  if (of.IsArray())
    return std::ranges::all_of(
        of.GetArray(), [levels](const auto& each) { return is_nested_within(each, levels - 1); });
  return !of.IsObject() || std::ranges::all_of(of.GetObject(), [levels](const auto& each) {
    return is_nested_within(each.value, levels - 1);
  });
}

std::string as_json(const rapidjson::Value& of) {
  if (!is_nested_within(of, levels_limit)) return "(more than 64 levels of JSON)";
  return model::as_json(of);
}

using condition = expectation::json_condition;

/// What is wrong with the value at one place, or nothing (empty). `last`: the number before it.
std::string judge_value(const rapidjson::Value& found, const condition& by, double& last) {
  const auto at = " at `" + by.pointer + "`";
  switch (by.by) {
  case condition::check::any: return {};
  case condition::check::equal:
    return found == *by.value ? ""
                              : "has " + shown(as_json(found)) + at + " where " +
                                    shown(as_json(*by.value)) + " was expected";
  case condition::check::count: {
    const auto count = found.IsArray() ? found.Size() : found.IsObject() ? found.MemberCount() : 0;
    return count == by.value->GetUint64()
               ? ""
               : "has " + std::to_string(count) + " elements" + at + " where " +
                     std::to_string(by.value->GetUint64()) + " were expected";
  }
  case condition::check::rises:
    if (!found.IsNumber()) return "has no number" + at;
    if (found.GetDouble() < last) return "has numbers that fall" + at;
    last = found.GetDouble();
  }
  return {};
}

/// Judges each value that the condition is about, from the token `next` of its place on.
std::string judge_places(const rapidjson::Value& in, const condition& by, std::size_t next,
                         double& last) {
  if (next == by.place.GetTokenCount()) return judge_value(in, by, last);
  const auto& token = by.place.GetTokens()[next];
  if (std::string_view{token.name, token.length} == "*" && in.IsArray()) {
    for (const auto& each : in.GetArray())
      if (auto wrong = judge_places(each, by, next + 1, last); !wrong.empty()) return wrong;
    return {};
  }
  const auto* const found = step_at(in, token);
  return found == nullptr ? "has no `" + by.pointer + "`"
                          : judge_places(*found, by, next + 1, last);
}

} // namespace

std::optional<json_place> parse_json_pointer(std::string_view text) {
  if (!text.empty() && text.front() != '/') return std::nullopt;
  json_place place{text.data(), text.size()};
  return place.IsValid() ? std::optional{std::move(place)} : std::nullopt;
}

std::string json_text(const rapidjson::Value& of) {
  return of.IsString() ? std::string{of.GetString(), of.GetStringLength()} : as_json(of);
}

std::optional<std::string_view> find_header(std::string_view head, std::string_view name) {
  while (!head.empty()) {
    const auto line = head.substr(0, head.find(body_line_end));
    if (const auto field = http::parse_field_line(line);
        field && base::equal_ignoring_case(field->name, name))
      return field->value;
    head.remove_prefix(std::min(line.size() + body_line_end.size(), head.size()));
  }
  return std::nullopt;
}

std::string expectation::judge_head(std::string_view head) const {
  for (const auto& each : headers) {
    const auto found = find_header(head, each.name);
    if (!found) return "has no header `" + each.name + "`";
    if (each.value && *found != *each.value)
      return "has the header `" + each.name + "` with " + shown(*found) + " where " +
             shown(*each.value) + " was expected";
  }
  return {};
}

std::string expectation::judge_body(std::string_view body) const {
  if (json.empty()) return {};
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(body.data(), body.size());
  if (document.HasParseError())
    return "is not JSON (byte " + std::to_string(document.GetErrorOffset()) + ")";
  for (const auto& each : json) {
    double last = std::numeric_limits<double>::lowest();
    if (auto wrong = judge_places(document, each, 0, last); !wrong.empty()) return wrong;
  }
  return {};
}

} // namespace matchcloud::load
