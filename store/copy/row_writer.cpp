#include "store/copy/row_writer.hpp"

#include "store/copy/table_statements.hpp"
#include "store/sql/array_text.hpp"

namespace matchcloud::store {

namespace {

sql_value value_of(sql_row& row, int column, column_type type) {
  if (row.is_null(column)) return std::nullopt;
  switch (type) {
  case column_type::integer: return row.integer(column);
  case column_type::real: return row.real(column);
  case column_type::text: return row.text(column);
  case column_type::blob: return row.blob(column);
  case column_type::uuid: return row.uuid(column);
  }
  return std::nullopt;
}

} // namespace

row_writer::row_writer(sql_connection& into, const copied_table& table)
    : into_{&into}, table_{&table} {
  if (into.dialect() == sql_dialect::postgres) arrays_.resize(table.columns.size());
}

void row_writer::put(sql_row& row) {
  if (arrays_.empty()) return write(row);
  collect(row);
  if (bytes_ >= collected_rows_limit_bytes) flush();
}

void row_writer::write(sql_row& row) {
  const auto& statements = statements_of(*table_, into_->dialect());
  values_.clear();
  int column = 0;
  for (const auto& each : table_->columns)
    values_.push_back(value_of(row, column++, each.type));
  into_->run({statements.insert, statements.writing}, sql_values{values_});
}

void row_writer::collect(sql_row& row) {
  bytes_ = 0;
  for (std::size_t column = 0; column < arrays_.size(); ++column) {
    const auto& [name, type, is_generated] = table_->columns[column];
    if (is_generated) continue;
    append_element(arrays_[column], value_of(row, static_cast<int>(column), type));
    bytes_ += arrays_[column].size();
  }
}

void row_writer::flush() {
  if (bytes_ == 0) return;
  const auto& statements = statements_of(*table_, into_->dialect());
  values_.clear();
  for (auto& each : arrays_)
    if (!each.empty()) values_.emplace_back(each.append("}"));
  into_->run({statements.insert, statements.writing}, sql_values{values_});
  for (auto& each : arrays_)
    each.clear();
  bytes_ = 0;
}

} // namespace matchcloud::store
