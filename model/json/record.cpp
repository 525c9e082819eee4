#include "model/json/record.hpp"

namespace matchcloud::model {

namespace {

std::string keywords_of(const schema_type& type) {
  const auto one = type.name.empty()
                       ? std::string{type.keywords}
                       : R"("$ref":"#/components/schemas/)" + std::string{type.name} + '"';
  switch (type.of) {
  case schema_type::form::list: return R"("type":"array","items":{)" + one + "}";
  case schema_type::form::or_null: return R"("oneOf":[{)" + one + R"(},{"type":"null"}])";
  case schema_type::form::one: break;
  }
  return one;
}

} // namespace

std::string schema_of(const schema_type& type, std::string_view meaning) {
  json_writer json;
  const auto keywords = keywords_of(type);
  json.object();
  if (!keywords.empty()) json.raw(keywords);
  if (!meaning.empty()) json.name("description").text(meaning);
  return json.end_object().take();
}

named_schema object(std::string_view name, std::initializer_list<property> members,
                    std::string_view meaning, bool is_open) {
  json_writer required;
  json_writer properties;
  for (const auto& each : members) {
    if (!each.type.may_be_absent) required.text(each.name);
    properties.name(each.name).raw(schema_of(each.type, each.meaning));
  }
  json_writer json;
  json.object().name("type").text("object");
  if (!is_open) json.name("additionalProperties").boolean(false);
  if (const auto names = required.take(); !names.empty())
    json.name("required").array().raw(names).end_array();
  if (!meaning.empty()) json.name("description").text(meaning);
  json.name("properties").object().raw(properties.take()).end_object();
  return {std::string{name}, json.end_object().take()};
}

named_schema one_of(std::string_view name, std::span<const std::string_view> words,
                    std::string_view meaning) {
  json_writer json;
  json.object().name("description").text(meaning).name("type").text("string").name("enum");
  write(json, words);
  return {std::string{name}, json.end_object().take()};
}

} // namespace matchcloud::model
