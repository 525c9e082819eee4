#include "load/requests/expectation.hpp"

#include "base/characters.hpp"
#include "base/decimal.hpp"
#include "http/wire/field_line.hpp"

#include <algorithm>

namespace matchcloud::load {

namespace {

constexpr std::string_view body_line_end = "\r\n";
constexpr std::size_t shown_bytes = 100;

const rapidjson::Value* step_at(const rapidjson::Value& in, const std::string& token) {
  if (in.IsObject()) {
    const rapidjson::Value name{rapidjson::StringRef(token.data(), token.size())};
    const auto found = in.FindMember(name);
    return found == in.MemberEnd() ? nullptr : &found->value;
  }
  if (!in.IsArray() || (token.size() > 1 && token.front() == '0')) return nullptr;
  const auto index = base::parse_decimal<rapidjson::SizeType>(token);
  return index && *index < in.Size() ? &in[*index] : nullptr;
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
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer{buffer};
  of.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

} // namespace

std::optional<json_place> parse_json_pointer(std::string_view text) {
  json_place place;
  if (!text.empty() && text.front() != '/') return std::nullopt;
  while (!text.empty()) {
    text.remove_prefix(1);
    const auto token = text.substr(0, text.find('/'));
    std::string read;
    for (std::size_t i = 0; i < token.size(); ++i) {
      if (token[i] != '~') {
        read += token[i];
        continue;
      }
      if (++i == token.size() || (token[i] != '0' && token[i] != '1')) return std::nullopt;
      read += token[i] == '0' ? '~' : '/';
    }
    place.push_back(std::move(read));
    text.remove_prefix(token.size());
  }
  return place;
}

const rapidjson::Value* find_json(const rapidjson::Value& in, const json_place& place) {
  const auto* at = &in;
  for (const auto& token : place)
    if (at = step_at(*at, token); at == nullptr) return nullptr;
  return at;
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
    const auto* found = find_json(document, each.place);
    if (found == nullptr) return "has no `" + each.pointer + "`";
    if (each.value && *found != *each.value)
      return "has " + shown(as_json(*found)) + " at `" + each.pointer + "` where " +
             shown(as_json(*each.value)) + " was expected";
  }
  return {};
}

} // namespace matchcloud::load
