#include "store/postgres/binary.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace matchcloud::store {

namespace {

// Object ids of PostgreSQL's types (src/include/catalog/pg_type.dat).
constexpr std::uint32_t int8_oid = 20;
constexpr std::uint32_t uuid_oid = 2950;

template <class Number>
void append_number(std::string& to, Number number) {
  for (int shift = 8 * (static_cast<int>(sizeof number) - 1); shift >= 0; shift -= 8)
    to.push_back(static_cast<char>(static_cast<std::make_unsigned_t<Number>>(number) >> shift));
}

void append_bytes(std::string& to, const model::uuid& id) {
  to.append(reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size());
}

/// The head of an array with one dimension (src/backend/utils/adt/arrayfuncs.c, array_send).
std::string array_head(std::size_t size, std::uint32_t type, bool has_nulls, std::size_t room) {
  std::string head;
  head.reserve(20 + size * room);
  append_number<std::int32_t>(head, 1);
  append_number<std::int32_t>(head, has_nulls ? 1 : 0);
  append_number<std::uint32_t>(head, type);
  append_number<std::int32_t>(head, static_cast<std::int32_t>(size));
  append_number<std::int32_t>(head, 1);
  return head;
}

} // namespace

binary_value binary_value::array(std::span<const model::uuid> ids) {
  binary_value made;
  made.bytes_ = array_head(ids.size(), uuid_oid, false, 4 + sizeof(model::uuid));
  for (const auto& id : ids) {
    append_number<std::int32_t>(made.bytes_, sizeof id.bytes);
    append_bytes(made.bytes_, id);
  }
  return made;
}

binary_value binary_value::array(std::span<const std::optional<std::int64_t>> numbers) {
  binary_value made;
  made.bytes_ = array_head(numbers.size(), int8_oid, true, 4 + sizeof(std::int64_t));
  for (const auto& number : numbers) {
    append_number<std::int32_t>(made.bytes_, number ? sizeof *number : -1);
    if (number) append_number(made.bytes_, *number);
  }
  return made;
}

void binary_rows::clearer::operator()(pg_result* rows) const noexcept {
  PQclear(rows);
}

int binary_rows::size() const noexcept {
  return PQntuples(rows_.get());
}

bool binary_rows::is_null(int row, int column) const noexcept {
  return PQgetisnull(rows_.get(), row, column) != 0;
}

std::int64_t binary_rows::integer(int row, int column) const noexcept {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(PQgetvalue(rows_.get(), row, column));
  std::uint64_t number = 0;
  for (int at = 0; at < PQgetlength(rows_.get(), row, column); ++at)
    number = number << 8 | bytes[at];
  return std::bit_cast<std::int64_t>(number);
}

model::uuid binary_rows::uuid(int row, int column) const noexcept {
  model::uuid id;
  const auto length = static_cast<std::size_t>(PQgetlength(rows_.get(), row, column));
  std::memcpy(id.bytes.data(), PQgetvalue(rows_.get(), row, column),
              std::min(length, id.bytes.size()));
  return id;
}

} // namespace matchcloud::store
