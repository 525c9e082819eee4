#include "store/copy/table_rows.hpp"

#include "base/crypto/sha256.hpp"
#include "base/hexadecimal.hpp"

#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace matchcloud::store {

namespace {

/// A part of a row's key that outlives the row.
using key_part = std::variant<std::int64_t, std::string, model::uuid>;

sql_value column_value(sql_row& row, int column, sql_type type) {
  if (row.is_null(column)) return std::nullopt;
  switch (type) {
  case sql_type::integer: return row.integer(column);
  case sql_type::real: return row.real(column);
  case sql_type::text: return row.text(column);
  case sql_type::blob: return row.blob(column);
  case sql_type::uuid: return row.uuid(column);
  }
  return std::nullopt;
}

key_part key_part_of(sql_row& row, int column, sql_type type) {
  if (type == sql_type::integer) return row.integer(column);
  if (type == sql_type::uuid) return row.uuid(column);
  return std::string{row.text(column)};
}

void append_number(std::string& to, char type, std::uint64_t number) {
  to.push_back(type);
  for (int shift = 56; shift >= 0; shift -= 8)
    to.push_back(static_cast<char>(number >> shift));
}

void append_bytes(std::string& to, std::span<const std::uint8_t> bytes) {
  to.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// A letter for the type, the length if it is not fixed, then the value.
void append_value(std::string& to, const sql_value& value) {
  std::visit(
      [&](const auto& is) {
        using type = std::decay_t<decltype(is)>;
        if constexpr (std::is_same_v<type, std::int64_t>) {
          append_number(to, 'i', static_cast<std::uint64_t>(is));
        } else if constexpr (std::is_same_v<type, double>) {
          // Removes the sign of zero: SQLite stores a real that is a whole number as an integer.
          append_number(to, 'r', std::bit_cast<std::uint64_t>(is + 0.0));
        } else if constexpr (std::is_same_v<type, std::string_view>) {
          append_number(to, 't', is.size());
          to.append(is);
        } else if constexpr (std::is_same_v<type, sql_value::blob>) {
          append_number(to, 'b', is.size());
          append_bytes(to, is);
        } else if constexpr (std::is_same_v<type, model::uuid>) {
          to.push_back('u');
          append_bytes(to, is.bytes);
        } else {
          to.push_back('n');
        }
      },
      value.get());
}

} // namespace

void read_along_keys(sql_connection& on) {
  static constexpr sql_command query{
      "SELECT set_config('enable_seqscan', 'off', false), set_config('enable_sort', 'off', false), "
      "set_config('enable_bitmapscan', 'off', false), "
      "set_config('idle_in_transaction_session_timeout', '0', false)",
      "configure the connection"};
  if (on.dialect() == sql_dialect::postgres) on.has(query, {});
}

table_facts read_table(sql_connection& on, const copied_table& table, const copy_watch& watch,
                       std::string_view doing, const std::function<void(sql_row&)>& take) {
  const auto& statements = statements_of(table, on.dialect());
  const auto step = std::string{table.name}.append(" ").append(doing);
  table_facts facts{std::string{table.name}, 0, {}};
  base::sha256_stream hash;
  std::string bytes;
  std::vector<key_part> last; // the key of the last row
  bool has_more = true;
  while (has_more) {
    watch.go_on();
    const auto before = facts.rows;
    const auto key = last; // the parameters are views of it
    std::vector<sql_value> after;
    for (const auto& part : key)
      std::visit([&](const auto& value) { after.emplace_back(value); }, part);
    const sql_command page{key.empty() ? statements.first_page : statements.next_page,
                           statements.reading};
    on.each(page, sql_values{after}, [&](sql_row& row) {
      bytes.clear();
      last.clear();
      int column = 0;
      for (const auto& each : table.columns) {
        append_value(bytes, column_value(row, column, each.type));
        if (last.size() < table.key_size) last.push_back(key_part_of(row, column, each.type));
        ++column;
      }
      hash.add(bytes);
      ++facts.rows;
      if (take) take(row);
    });
    has_more = facts.rows - before == copy_page_rows;
    watch.tell(step, facts.rows);
  }
  facts.sha256 = base::hexadecimal(hash.digest());
  return facts;
}

row_writer::row_writer(sql_connection& into, const copied_table& table)
    : into_{&into}, table_{&table} {
  begin_arrays();
}

void row_writer::begin_arrays() {
  bytes_ = 0;
  arrays_.clear();
  if (into_->dialect() != sql_dialect::postgres) return;
  for (const auto& each : table_->columns)
    if (!each.is_generated) arrays_.emplace_back(each.type);
}

void row_writer::put(sql_row& row) {
  values_.clear();
  bytes_ = 0;
  int column = 0;
  auto array = arrays_.begin();
  for (const auto& each : table_->columns) {
    const auto value = column_value(row, column++, each.type);
    if (arrays_.empty()) {
      values_.push_back(value);
    } else if (!each.is_generated) {
      array->add(value);
      bytes_ += array++->size_bytes();
    }
  }
  if (arrays_.empty()) {
    const auto& statements = statements_of(*table_, into_->dialect());
    into_->run({statements.insert, statements.writing}, sql_values{values_});
  } else if (bytes_ >= collected_rows_limit_bytes) {
    flush();
  }
}

void row_writer::flush() {
  if (bytes_ == 0) return;
  const auto& statements = statements_of(*table_, into_->dialect());
  values_.clear();
  for (const auto& each : arrays_)
    values_.emplace_back(each);
  into_->run({statements.insert, statements.writing}, sql_values{values_});
  begin_arrays();
}

} // namespace matchcloud::store
