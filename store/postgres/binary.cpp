#include "store/postgres/binary.hpp"

#include "store/sql/binary_form.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <bit>

namespace matchcloud::store {

void binary_rows::clearer::operator()(pg_result* rows) const noexcept {
  PQclear(rows);
}

int binary_rows::size() const noexcept {
  return PQntuples(rows_.get());
}

bool binary_rows::is_null(int row, int column) const noexcept {
  return PQgetisnull(rows_.get(), row, column) != 0;
}

std::span<const std::uint8_t> binary_rows::bytes(int row, int column) const noexcept {
  return {reinterpret_cast<const std::uint8_t*>(PQgetvalue(rows_.get(), row, column)),
          static_cast<std::size_t>(PQgetlength(rows_.get(), row, column))};
}

std::int64_t binary_rows::integer(int row, int column) const noexcept {
  const auto all = bytes(row, column);
  const bool is_negative = !all.empty() && all.front() >= 0x80;
  std::uint64_t number = is_negative ? ~std::uint64_t{0} : 0;
  for (const auto byte : all)
    number = number << 8 | byte;
  return std::bit_cast<std::int64_t>(number);
}

model::uuid binary_rows::uuid(int row, int column) const noexcept {
  const auto all = bytes(row, column);
  model::uuid id;
  std::copy_n(all.begin(), std::min(all.size(), id.bytes.size()), id.bytes.begin());
  return id;
}

double binary_row::real(int column) {
  return std::bit_cast<double>(integer(column));
}

std::string_view binary_row::text(int column) {
  const auto stored = rows_->bytes(row_, column);
  const std::string_view text{reinterpret_cast<const char*>(stored.data()), stored.size()};
  return has_escapes(text) ? unescaped_.emplace_back(unescaped(text)) : text;
}

} // namespace matchcloud::store
