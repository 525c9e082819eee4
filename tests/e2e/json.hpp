#pragma once

#include <rapidjson/document.h>

#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::e2e {

/// Null where `text` is not JSON.
inline rapidjson::Document parse_json(std::string_view text) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseFullPrecisionFlag>(text.data(), text.size());
  if (document.HasParseError()) document.SetNull();
  return document;
}

/// The string member `name`; empty where there is none.
inline std::string text_at(const rapidjson::Value& object, const char* name) {
  if (!object.IsObject()) return {};
  const auto found = object.FindMember(name);
  if (found == object.MemberEnd() || !found->value.IsString()) return {};
  return {found->value.GetString(), found->value.GetStringLength()};
}

inline std::vector<std::string> member_names(const rapidjson::Value& object) {
  std::vector<std::string> names;
  if (object.IsObject())
    for (const auto& member : object.GetObject())
      names.emplace_back(member.name.GetString());
  return names;
}

/// Each finding of a validation as `CODE a/b/c`, in order.
inline std::vector<std::string> findings(std::string_view body) {
  std::vector<std::string> all;
  const auto document = parse_json(body);
  if (!document.IsObject() || !document.HasMember("errors")) return {"no errors member"};
  for (const auto& entry : document["errors"].GetArray()) {
    auto text = text_at(entry, "code") + " ";
    for (const auto& step : entry["path"].GetArray())
      text.append(text.back() == ' ' ? "" : "/").append(step.GetString());
    all.push_back(text);
  }
  return all;
}

} // namespace matchcloud::e2e
