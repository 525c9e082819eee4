#pragma once

#include "model/json/rapidjson.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace matchcloud::model {

// Members of a value that another program wrote. The result is empty if a member is missing or of
// another kind. Pure; any thread. Results refer to the value.

/// Parses what another program wrote, with the double nearest to each number. Null if it is not one
/// JSON value in UTF-8, or nests deeper than 64 values, because readers recurse.
rapidjson::Document parse_members(std::string_view json);

/// The value as JSON, dense. It nests at most as deep as what `parse_members` returns.
std::string as_json(const rapidjson::Value& of);

/// The member `name`; null if there is none or `of` is not an object.
inline const rapidjson::Value* member_of(const rapidjson::Value& of, const char* name) {
  if (!of.IsObject()) return nullptr;
  const auto found = of.FindMember(name);
  return found == of.MemberEnd() ? nullptr : &found->value;
}

/// The member `name` if it is an object; else null.
inline const rapidjson::Value* member_object(const rapidjson::Value& of, const char* name) {
  const auto* const found = member_of(of, name);
  return found != nullptr && found->IsObject() ? found : nullptr;
}

/// The member `name` if it is an array; else null.
inline const rapidjson::Value* member_array(const rapidjson::Value& of, const char* name) {
  const auto* const found = member_of(of, name);
  return found != nullptr && found->IsArray() ? found : nullptr;
}

/// The elements of the array `name`; none if it is not an array.
inline std::span<const rapidjson::Value> member_elements(const rapidjson::Value& of,
                                                         const char* name) {
  const auto* const found = member_array(of, name);
  if (found == nullptr) return {};
  return {found->Begin(), found->Size()};
}

/// A number of any kind; 0 if it is not a number.
inline double member_number(const rapidjson::Value& of, const char* name) {
  const auto* const found = member_of(of, name);
  return found != nullptr && found->IsNumber() ? found->GetDouble() : 0;
}

/// A whole number from 0 on. Negative numbers count as 0, and fractions are cut off.
inline std::uint64_t member_count(const rapidjson::Value& of, const char* name) {
  constexpr double exact_limit = 9'007'199'254'740'992;
  const auto* const found = member_of(of, name);
  if (found == nullptr || !found->IsNumber()) return 0;
  if (found->IsUint64()) return found->GetUint64();
  return static_cast<std::uint64_t>(std::clamp(found->GetDouble(), 0.0, exact_limit));
}

/// A string, which may contain NULs; empty if it is not a string.
inline std::string_view member_text(const rapidjson::Value& of, const char* name) {
  const auto* const found = member_of(of, name);
  if (found == nullptr || !found->IsString()) return {};
  return {found->GetString(), found->GetStringLength()};
}

} // namespace matchcloud::model
