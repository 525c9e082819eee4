#pragma once

#include "model/json/json_writer.hpp"
#include "model/text/timestamp.hpp"

#include <concepts>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

namespace matchcloud::model {

/// A type of JSON Schema 2020-12.
struct schema_type {
  /// Its keywords with their values; empty for a named schema. Has static storage duration.
  std::string_view keywords = {};
  std::string_view name = {};
  enum class form : char { one, list, or_null } of = form::one;
  /// Whether a member of this type may be absent.
  bool may_be_absent = false;

  constexpr bool empty() const noexcept { return keywords.empty() && name.empty(); }
};

/// The usual types.
namespace types {

inline constexpr schema_type text{R"("type":"string")"};
inline constexpr schema_type some_text{R"("type":"string","minLength":1)"};
inline constexpr schema_type text_or_null{R"("type":["string","null"])"};
inline constexpr schema_type flag{R"("type":"boolean")"};
inline constexpr schema_type uuid{R"("type":"string","format":"uuid")"};
inline constexpr schema_type moment{R"("type":"string","format":"date-time")"};
inline constexpr schema_type moment_or_null{R"("type":["string","null"],"format":"date-time")"};
inline constexpr schema_type url{R"("type":"string","format":"uri")"};
inline constexpr schema_type integer_or_null{R"("type":["integer","null"])"};
inline constexpr schema_type count{R"("type":"integer","minimum":0)"};
inline constexpr schema_type count_or_null{R"("type":["integer","null"],"minimum":0)"};
inline constexpr schema_type positive{R"("type":"integer","minimum":1)"};
inline constexpr schema_type unsigned_64{
    R"("type":"integer","minimum":0,"maximum":18446744073709551615)"};
inline constexpr schema_type amount{R"("type":"number","minimum":0)"};
inline constexpr schema_type share{R"("type":"number","minimum":0,"maximum":1)"};
inline constexpr schema_type latitude{R"("type":"number","minimum":-90,"maximum":90)"};
inline constexpr schema_type longitude{R"("type":"number","minimum":-180,"maximum":180)"};

/// The named schema `name`.
constexpr schema_type a(std::string_view name) {
  return {{}, name};
}
constexpr schema_type list_of(schema_type type) {
  type.of = schema_type::form::list;
  return type;
}
constexpr schema_type or_null(schema_type type) {
  type.of = schema_type::form::or_null;
  return type;
}
constexpr schema_type maybe(schema_type type) {
  type.may_be_absent = true;
  return type;
}

} // namespace types

/// A member of an object: how it is documented and, in a record, where its value is, as
/// `std::invoke` takes it.
template <class From>
struct field {
  std::string_view name;
  schema_type type;
  std::string_view meaning;
  From from;

  constexpr field(std::string_view its_name, schema_type its_type, std::string_view its_meaning,
                  From its_value = {})
      : name{its_name}, type{its_type}, meaning{its_meaning}, from{its_value} {}
};
using property = field<std::nullptr_t>;

/// Where a member's value is, if it is null for an empty text, which the struct has.
constexpr auto unless_empty(auto from) {
  return [from](const auto& of) {
    const std::string_view text = std::invoke(from, of);
    return text.empty() ? std::nullopt : std::optional{text};
  };
}

/// Where a member's value is, if it is a time from `from`: milliseconds since 1970, or nothing.
constexpr auto moment_from(auto from) {
  return [from](const auto& of) { return format_timestamp(std::invoke(from, of)); };
}

/// A value that is JSON already.
struct raw_json {
  std::string text;
};

/// A named schema of the OpenAPI documents. No two names differ by case alone, because generators
/// of clients make types and files of them.
struct named_schema {
  std::string name;
  std::string schema;
};

std::string schema_of(const schema_type& type, std::string_view meaning = {});
/// An object, which has no other members unless `is_open`.
named_schema object(std::string_view name, std::initializer_list<property> members,
                    std::string_view meaning = {}, bool is_open = false);
/// A string that is one of `words`.
named_schema one_of(std::string_view name, std::span<const std::string_view> words,
                    std::string_view meaning);

/// A struct that answers contain, described once, next to it: `constexpr auto describe(const T*)`
/// returns its record, from which its JSON and its schema follow.
template <class... Fields>
struct record {
  std::string_view name;
  std::tuple<Fields...> fields;
  std::string_view meaning = {};
  /// Whether it may have further members.
  bool is_open = false;

  constexpr explicit record(std::string_view its_name, Fields... its_fields)
      : name{its_name}, fields{its_fields...} {}
  constexpr explicit record(std::string_view its_name, std::tuple<Fields...> its_fields)
      : name{its_name}, fields{its_fields} {}

  constexpr record about(std::string_view its_meaning) const {
    auto made = *this;
    made.meaning = its_meaning;
    return made;
  }
  constexpr record open() const {
    auto made = *this;
    made.is_open = true;
    return made;
  }
};

namespace types {
using model::field;
using model::record;
} // namespace types

template <class T>
concept described = requires(const T* one) {
  describe(one);
};
template <described T>
inline constexpr auto record_of = describe(static_cast<const T*>(nullptr));

template <class... Fields>
named_schema schema_of(const record<Fields...>& as) {
  return std::apply(
      [&](const auto&... each) {
        return object(as.name, {property{each.name, each.type, each.meaning}...}, as.meaning,
                      as.is_open);
      },
      as.fields);
}
template <described T>
named_schema schema_of() {
  return schema_of(record_of<T>);
}

/// Writes a value: a number as the shortest that reads back the same, what has a name by its name,
/// pairs as the members of an object, null for an empty optional.
template <class T>
void write(json_writer& json, const T& value) {
  if constexpr (std::same_as<T, bool>) {
    json.boolean(value);
  } else if constexpr (std::integral<T>) {
    json.number(value);
  } else if constexpr (std::floating_point<T>) {
    std::string text;
    append_shortest(text, value);
    json.raw(text);
  } else if constexpr (std::same_as<T, raw_json>) {
    json.raw(value.text);
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    json.text(value);
  } else if constexpr (described<T>) {
    write_members(json.object(), value);
    json.end_object();
  } else if constexpr (requires { name_of(value); }) {
    json.text(name_of(value));
  } else if constexpr (requires { to_string(value); }) {
    json.text(to_string(value));
  } else if constexpr (requires { value.begin()->second; }) {
    json.object();
    for (const auto& [name, each] : value)
      write(json.name(name), each);
    json.end_object();
  } else if constexpr (requires { value.begin(); }) {
    json.array();
    for (const auto& each : value)
      write(json, each);
    json.end_array();
  } else if (value) {
    write(json, *value);
  } else {
    json.null();
  }
}

/// Writes the members of a record, without those that may be absent and have no value.
template <class T, class... Fields>
void write_members(json_writer& json, const T& of, const record<Fields...>& as) {
  const auto write_one = [&](const auto& each) {
    const auto& value = std::invoke(each.from, of);
    if constexpr (requires { value.has_value(); })
      if (each.type.may_be_absent && !value) return;
    write(json.name(each.name), value);
  };
  std::apply([&](const auto&... each) { (write_one(each), ...); }, as.fields);
}
template <described T>
void write_members(json_writer& json, const T& of) {
  write_members(json, of, record_of<T>);
}

template <described T>
std::string to_json(const T& of) {
  json_writer json;
  write(json, of);
  return json.take();
}

/// An object with one member.
std::string to_json(std::string_view name, const auto& value) {
  json_writer json;
  write(json.object().name(name), value);
  return json.end_object().take();
}

} // namespace matchcloud::model
