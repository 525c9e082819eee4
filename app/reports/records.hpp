#pragma once

#include "app/reports/text_table.hpp"
#include "model/json/record.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace matchcloud::app {

/// A member of a record that commands print, described once for JSON and for tables: a tuple of
/// these describes the record.
template <class Value>
struct record_member {
  /// In JSON.
  std::string_view name;
  /// Of its column.
  std::string_view heading;
  /// A member, or a function of the record: a number, text or text that may be missing.
  Value value;
  /// How many characters a table shows of it.
  std::size_t shown = std::string::npos;
};
template <class Value>
record_member(std::string_view, std::string_view, Value, std::size_t = 0) -> record_member<Value>;

/// Writes an array of objects.
template <class Records, class Members>
void write_records(model::json_writer& json, const Records& records, const Members& members) {
  json.array();
  for (const auto& record : records) {
    json.object();
    std::apply(
        [&](const auto&... member) {
          (model::write(json.name(member.name), std::invoke(member.value, record)), ...);
        },
        members);
    json.end_object();
  }
  json.end_array();
}

/// The cell of a value, a dash if it is missing, of which a table shows `shown` characters.
template <class Value>
std::string cell_of(const Value& value, std::size_t shown) {
  if constexpr (std::is_same_v<Value, std::optional<std::string>>)
    return value ? value->substr(0, shown) : "-";
  else if constexpr (std::is_arithmetic_v<Value>)
    return std::to_string(value);
  else
    return std::string{value}.substr(0, shown);
}

/// A table with a row for each record.
template <class Records, class Members>
text_table table_of_records(const Records& records, const Members& members) {
  text_table table;
  std::apply(
      [&](const auto&... member) {
        table.columns = {{std::string{member.heading}}...};
        for (const auto& record : records)
          table.rows.push_back({cell_of(std::invoke(member.value, record), member.shown)...});
      },
      members);
  return table;
}

} // namespace matchcloud::app
