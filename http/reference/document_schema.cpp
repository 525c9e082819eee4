#include "http/reference/document_schema.hpp"

#include "base/check.hpp"
#include "model/json/rapidjson.hpp"

#include <cstdint>
#include <limits>

namespace matchcloud::http {

namespace {

using value = rapidjson::Value;
using pool = rapidjson::Document::AllocatorType;

value copy_of(std::string_view from, pool& in) {
  return value{from.data(), static_cast<rapidjson::SizeType>(from.size()), in};
}

bool is_integer(const value& schema) {
  const auto type = schema.FindMember("type");
  if (type == schema.MemberEnd()) return false;
  if (!type->value.IsArray()) return type->value == "integer";
  for (const auto& each : type->value.GetArray())
    if (each == "integer") return true;
  return false;
}

const value* find(const value& schema, const char* name) {
  const auto found = schema.FindMember(name);
  return found == schema.MemberEnd() ? nullptr : &found->value;
}

/// The smallest format that holds all integers of a schema.
std::string_view format_of(const value& schema) {
  const auto* least = find(schema, "minimum");
  const auto* most = find(schema, "maximum");
  if (most != nullptr && !most->IsInt64()) return "uint64";
  return least != nullptr && most != nullptr && least->IsInt() && most->IsInt() ? "int32" : "int64";
}

/// Recurses as deep as the schemas of this program are nested.
void add_formats(value& in, bool is_condition, pool& memory) {
  if (in.IsArray())
    for (auto& each : in.GetArray())
      add_formats(each, is_condition, memory);
  if (!in.IsObject()) return;
  for (auto member = in.MemberBegin(); member < in.MemberEnd(); ++member)
    add_formats(member->value,
                is_condition || member->name == "allOf" || member->name == "anyOf" ||
                    member->name == "not",
                memory);
  const bool is_declared = !is_condition || find(in, "description") != nullptr;
  if (is_declared && is_integer(in) && !in.HasMember("format"))
    in.AddMember("format", copy_of(format_of(in), memory), memory);
}

} // namespace

std::string document_schema(std::string_view schema) {
  rapidjson::Document document;
  document.Parse(schema.data(), schema.size());
  base::check(!document.HasParseError(), "a schema of the tables is JSON");
  auto& memory = document.GetAllocator();
  add_formats(document, false, memory);
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer{buffer};
  document.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

} // namespace matchcloud::http
