#include "store/copy/table_pages.hpp"

#include <bit>
#include <span>
#include <type_traits>

namespace matchcloud::store {

namespace {

void append_number(std::string& to, std::uint64_t number) {
  for (int shift = 56; shift >= 0; shift -= 8)
    to.push_back(static_cast<char>(number >> shift));
}

void append_bytes(std::string& to, std::span<const std::uint8_t> bytes) {
  to.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// A letter for the type, the length if it is not fixed, then the value.
void append_value(std::string& to, sql_row& row, int column, column_type type) {
  if (row.is_null(column)) {
    to.push_back('n');
    return;
  }
  switch (type) {
  case column_type::integer:
    to.push_back('i');
    append_number(to, static_cast<std::uint64_t>(row.integer(column)));
    return;
  case column_type::real:
    to.push_back('r');
    // Removes the sign of zero: SQLite stores a real that is a whole number as an integer.
    append_number(to, std::bit_cast<std::uint64_t>(row.real(column) + 0.0));
    return;
  case column_type::text: {
    const auto text = row.text(column);
    to.push_back('t');
    append_number(to, text.size());
    to.append(text);
    return;
  }
  case column_type::blob: {
    const auto bytes = row.blob(column);
    to.push_back('b');
    append_number(to, bytes.size());
    append_bytes(to, bytes);
    return;
  }
  case column_type::uuid:
    to.push_back('u');
    append_bytes(to, row.uuid(column).bytes);
    return;
  }
}

} // namespace

void read_along_keys(sql_connection& on) {
  static constexpr sql_command query{
      "SELECT set_config('enable_seqscan', 'off', false), set_config('enable_sort', 'off', false), "
      "set_config('enable_bitmapscan', 'off', false)",
      "configure the connection"};
  if (on.dialect() == sql_dialect::postgres) on.has(query, {});
}

std::size_t table_pages::next(const sql_connection::take_row& take, std::size_t limit) {
  const auto& statements = statements_of(*table_, on_->dialect());
  const sql_command page{key_.empty() ? statements.first_page : statements.next_page,
                         statements.reading};
  const auto key = key_; // the parameters are views of it
  std::vector<sql_value> after;
  for (const auto& part : key)
    std::visit([&](const auto& value) { after.emplace_back(value); }, part);
  const bool is_numbered = table_->columns.front().type == column_type::integer;
  std::size_t taken = 0;
  on_->select(page, sql_values{after}, [&](sql_row& row) {
    if (taken == limit || (is_numbered && row.integer(0) > last_number_) || !take(row))
      return false;
    keep_key(row);
    ++taken;
    return true;
  });
  return taken;
}

void table_pages::keep_key(sql_row& row) {
  key_.resize(table_->key_size);
  for (std::size_t part = 0; part < key_.size(); ++part) {
    const auto column = static_cast<int>(part);
    const auto type = table_->columns[part].type;
    if (type == column_type::integer)
      key_[part] = row.integer(column);
    else if (type == column_type::uuid)
      key_[part] = row.uuid(column);
    else
      key_[part] = std::string{row.text(column)};
  }
}

void row_digest::add(sql_row& row) {
  bytes_.clear();
  int column = 0;
  for (const auto& each : table_->columns)
    append_value(bytes_, row, column++, each.type);
  hash_.add(bytes_);
  ++rows_;
}

} // namespace matchcloud::store
