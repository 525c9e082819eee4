#include "tests/model/validation/schema_evaluator.hpp"

#include "model/text/unicode.hpp"
#include "tests/fixtures/json.hpp"

#include <rapidjson/pointer.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <regex>
#include <stdexcept>

namespace matchcloud::model {

namespace {

using json = rapidjson::Value;

std::string_view view(const json& text) {
  return {text.GetString(), text.GetStringLength()};
}

bool is_integer(const json& value) {
  return value.IsInt64() || value.IsUint64() ||
         (value.IsDouble() && std::trunc(value.GetDouble()) == value.GetDouble());
}

/// Exact for all 64-bit integers if long double has a 64-bit significand.
long double number(const json& value) {
  if (value.IsInt64()) return static_cast<long double>(value.GetInt64());
  if (value.IsUint64()) return static_cast<long double>(value.GetUint64());
  return value.GetDouble();
}

bool is_of(std::string_view type, const json& value) {
  if (type == "string") return value.IsString();
  if (type == "integer") return is_integer(value);
  if (type == "boolean") return value.IsBool();
  if (type == "object") return value.IsObject();
  if (type == "array") return value.IsArray();
  if (type == "null") return value.IsNull();
  throw std::logic_error("there is no type " + std::string{type});
}

bool check_type(const json& types, const json& value) {
  if (types.IsString()) return is_of(view(types), value);
  return std::ranges::any_of(types.GetArray(),
                             [&](const json& each) { return is_of(view(each), value); });
}

bool is_listed(const json& list, const json& value) {
  return std::ranges::any_of(list.GetArray(), [&](const json& each) { return each == value; });
}

std::wstring wide(std::string_view text) {
  std::wstring code_points;
  while (!text.empty()) {
    const auto c = decode_utf8(text);
    code_points.push_back(static_cast<wchar_t>(c.value));
    text.remove_prefix(std::max<std::size_t>(c.bytes, 1));
  }
  return code_points;
}

constexpr std::array annotations{"$schema", "$id", "title", "$comment", "description", "$defs"};

void turn_into_integers(json& value) {
  constexpr double limit = 9.0e18;
  if (value.IsDouble() && is_integer(value) && std::abs(value.GetDouble()) < limit)
    value.SetInt64(static_cast<std::int64_t>(value.GetDouble()));
  if (value.IsArray())
    for (auto& each : value.GetArray())
      turn_into_integers(each);
  if (value.IsObject())
    for (auto& each : value.GetObject())
      turn_into_integers(each.value);
}

} // namespace

bool matches(const std::string& pattern, std::string_view text) {
  return std::regex_search(wide(text), std::wregex{wide(pattern), std::regex::ECMAScript});
}

rapidjson::Document parse_instance(std::string_view text) {
  rapidjson::Document document;
  if (fixtures::parse_exactly(document, text).IsError()) document.SetNull();
  turn_into_integers(document);
  return document;
}

schema_evaluator::schema_evaluator(std::string_view schema) {
  document_.Parse(schema.data(), schema.size());
  if (!document_.IsObject()) throw std::invalid_argument("the schema is no JSON object");
}

bool schema_evaluator::accepts(std::string_view body) const {
  const auto instance = parse_instance(body);
  return accepts(document_, instance);
}

bool schema_evaluator::accepts(const json& schema, const json& instance) const {
  if (schema.IsBool()) return schema.GetBool();
  return std::ranges::all_of(schema.GetObject(), [&](const auto& member) {
    return check(schema, view(member.name), member.value, instance);
  });
}

const json& schema_evaluator::resolved(const json& schema) const {
  const auto reference = schema.FindMember("$ref");
  if (reference == schema.MemberEnd()) return schema;
  // Skips the `#`, because RapidJSON requires `$` in a URI fragment to be percent-encoded.
  const auto pointer = view(reference->value).substr(1);
  const auto* target = rapidjson::Pointer{pointer.data(), pointer.size()}.Get(document_);
  if (!target) throw std::logic_error("nothing at " + std::string{view(reference->value)});
  return resolved(*target);
}

bool schema_evaluator::check(const json& schema, std::string_view keyword, const json& operand,
                             const json& instance) const {
  if (std::ranges::find(annotations, keyword) != annotations.end()) return true;
  if (keyword == "$ref") return accepts(resolved(schema), instance);
  if (keyword == "type") return check_type(operand, instance);
  if (keyword == "enum") return is_listed(operand, instance);
  if (keyword == "not") return !accepts(operand, instance);
  if (keyword == "allOf") return count_accepting(operand, instance) == operand.Size();
  if (keyword == "anyOf") return count_accepting(operand, instance) > 0;
  if (keyword == "oneOf") return count_accepting(operand, instance) == 1;
  if (keyword == "minimum") return !instance.IsNumber() || number(instance) >= number(operand);
  if (keyword == "maximum") return !instance.IsNumber() || number(instance) <= number(operand);
  if (keyword == "maxItems") return !instance.IsArray() || instance.Size() <= operand.GetUint();
  if (keyword == "items")
    return !instance.IsArray() || std::ranges::all_of(instance.GetArray(), [&](const json& each) {
      return accepts(operand, each);
    });
  if (keyword == "minLength" || keyword == "maxLength" || keyword == "pattern")
    return !instance.IsString() || check_string(keyword, operand, instance);
  return !instance.IsObject() || check_object(schema, keyword, operand, instance);
}

bool schema_evaluator::check_string(std::string_view keyword, const json& operand,
                                    const json& instance) const {
  const auto text = view(instance);
  if (keyword == "minLength") return count_code_points(text) >= operand.GetUint();
  if (keyword == "maxLength") return count_code_points(text) <= operand.GetUint();
  return matches(std::string{view(operand)}, text);
}

bool schema_evaluator::check_object(const json& schema, std::string_view keyword,
                                    const json& operand, const json& instance) const {
  const auto members = instance.GetObject();
  if (keyword == "required")
    return std::ranges::all_of(operand.GetArray(),
                               [&](const json& name) { return instance.HasMember(name); });
  if (keyword == "minProperties") return instance.MemberCount() >= operand.GetUint();
  if (keyword == "maxProperties") return instance.MemberCount() <= operand.GetUint();
  if (keyword == "propertyNames")
    return std::ranges::all_of(members,
                               [&](const auto& member) { return accepts(operand, member.name); });
  if (keyword == "properties")
    return std::ranges::all_of(members, [&](const auto& member) {
      const auto known = operand.FindMember(member.name);
      return known == operand.MemberEnd() || accepts(known->value, member.value);
    });
  if (keyword == "additionalProperties") return accepts_additional(schema, operand, instance);
  throw std::logic_error("the evaluator does not know " + std::string{keyword});
}

bool schema_evaluator::accepts_additional(const json& schema, const json& operand,
                                          const json& instance) const {
  const auto properties = schema.FindMember("properties");
  return std::ranges::all_of(instance.GetObject(), [&](const auto& member) {
    const bool is_known =
        properties != schema.MemberEnd() && properties->value.HasMember(member.name);
    return is_known || accepts(operand, member.value);
  });
}

std::size_t schema_evaluator::count_accepting(const json& schemas, const json& instance) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      schemas.GetArray(), [&](const json& each) { return accepts(each, instance); }));
}

} // namespace matchcloud::model
