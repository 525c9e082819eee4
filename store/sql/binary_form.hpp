#pragma once

#include "store/sql/sql.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

/// PostgreSQL's binary form of values (src/backend/utils/adt, the functions whose names end in
/// `send`). Its texts cannot have a NUL: an escape replaces it.
namespace matchcloud::store {

enum class sql_type : std::uint8_t { integer, real, text, blob, uuid };

/// The object id of the type of a value (src/include/catalog/pg_type.dat); 0 for a null.
std::uint32_t type_of(const sql_value& value);

/// Appends the bytes of a number, the highest first.
template <class Number>
void append_number(std::string& to, Number number) {
  for (int shift = 8 * (static_cast<int>(sizeof number) - 1); shift >= 0; shift -= 8)
    to.push_back(static_cast<char>(static_cast<std::make_unsigned_t<Number>>(number) >> shift));
}

inline void append_bytes(std::string& to, std::span<const std::uint8_t> bytes) {
  to.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// Appends the bytes of a value that is no null.
void append_binary(std::string& to, const sql_value& value);

/// A text without the escapes of `append_binary`.
std::string unescaped(std::string_view text);
/// Whether a text may have such escapes.
bool has_escapes(std::string_view text) noexcept;

/// An array of values of one type, or nulls, as a parameter of PostgreSQL.
class sql_array {
public:
  explicit sql_array(sql_type of);

  void add(const sql_value& value);
  /// The bytes so far.
  std::size_t size_bytes() const noexcept { return bytes_.size(); }

  std::uint32_t type() const noexcept;
  /// In binary form, with one dimension (arrayfuncs.c, array_send).
  const std::string& bytes() const noexcept { return bytes_; }

private:
  sql_type of_;
  std::int32_t size_ = 0;
  std::string bytes_;
};

} // namespace matchcloud::store
