#include "tests/model/validation/case_notation.hpp"

#include <optional>
#include <stdexcept>
#include <string>

namespace matchcloud::model {

namespace {

using json = rapidjson::Value;
using allocator_type = rapidjson::Document::AllocatorType;
using count = std::optional<std::uint64_t>;

std::string notation_text(const json& value) {
  if (!value.IsString()) throw std::invalid_argument("a notation lacks its text");
  return {value.GetString(), value.GetStringLength()};
}

std::uint64_t number_at(const json& object, const char* name) {
  const auto found = object.FindMember(name);
  if (found == object.MemberEnd() || !found->value.IsUint64())
    throw std::invalid_argument(std::string("a notation lacks the number ") + name);
  return found->value.GetUint64();
}

json string_from(const std::string& text, allocator_type& allocator) {
  return {text.data(), static_cast<rapidjson::SizeType>(text.size()), allocator};
}

std::string counted(std::string text, count at) {
  if (!at) return text;
  for (auto mark = text.find('#'); mark != text.npos; mark = text.find('#', mark + 1))
    text.replace(mark, 1, std::to_string(*at));
  return text;
}

json written_out(const json& from, count at, allocator_type& allocator);

json repeated_text(const json& from, count at, allocator_type& allocator) {
  auto text = from.HasMember("first") ? notation_text(from["first"]) : std::string{};
  const auto piece = counted(notation_text(from["$repeat"]), at);
  for (auto left = number_at(from, "times"); left > 0; --left)
    text += piece;
  return string_from(text, allocator);
}

void add(json& to, json name, json value, allocator_type& allocator) {
  if (to.IsArray())
    to.PushBack(value, allocator);
  else
    to.AddMember(name, value, allocator);
}

void add_rest(json& to, const json& from, const char* name, allocator_type& allocator) {
  const auto found = from.FindMember(name);
  if (found == from.MemberEnd()) return;
  auto rest = written_out(found->value, {}, allocator);
  if (rest.GetType() != to.GetType())
    throw std::invalid_argument(std::string(name) + " is of another type than what it is added to");
  if (rest.IsArray()) {
    for (auto& each : rest.GetArray())
      add(to, {}, std::move(each), allocator);
  } else {
    for (auto& each : rest.GetObject())
      add(to, std::move(each.name), std::move(each.value), allocator);
  }
}

json many(const json& from, allocator_type& allocator) {
  const bool is_object = from.HasMember("name");
  json all{is_object ? rapidjson::kObjectType : rapidjson::kArrayType};
  if (!from.HasMember("of")) throw std::invalid_argument("$times without of");
  const auto begin = from.HasMember("from") ? number_at(from, "from") : 0;
  const auto end = begin + number_at(from, "$times");
  add_rest(all, from, "first", allocator);
  for (auto i = begin; i < end; ++i)
    add(all, is_object ? written_out(from["name"], i, allocator) : json{},
        written_out(from["of"], i, allocator), allocator);
  add_rest(all, from, "then", allocator);
  return all;
}

json written_out(const json& from, count at, allocator_type& allocator) {
  if (from.IsString()) return string_from(counted(notation_text(from), at), allocator);
  if (from.IsArray()) {
    json all{rapidjson::kArrayType};
    for (const auto& each : from.GetArray())
      all.PushBack(written_out(each, at, allocator), allocator);
    return all;
  }
  if (!from.IsObject()) return {from, allocator};
  if (from.HasMember("$repeat")) return repeated_text(from, at, allocator);
  if (from.HasMember("$times")) return many(from, allocator);
  if (from.HasMember("$count")) return json{number_at(from, "$count") + at.value_or(0)};
  json all{rapidjson::kObjectType};
  for (const auto& each : from.GetObject())
    all.AddMember(written_out(each.name, at, allocator), written_out(each.value, at, allocator),
                  allocator);
  return all;
}

} // namespace

void write_out(json& value, allocator_type& allocator) {
  value = written_out(value, {}, allocator);
}

} // namespace matchcloud::model
