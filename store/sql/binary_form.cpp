#include "store/sql/binary_form.hpp"

#include <bit>
#include <variant>

namespace matchcloud::store {

namespace {

struct type_ids {
  std::uint32_t one;
  std::uint32_t array;
};

/// By `sql_type`.
constexpr type_ids all_types[]{{20, 1016}, {701, 1022}, {25, 1009}, {17, 1001}, {2950, 2951}};

constexpr const type_ids& ids_of(sql_type type) noexcept {
  return all_types[static_cast<std::size_t>(type)];
}

/// `escape` and '0' replace a NUL, `escape` and '1' an escape.
constexpr char escape = '\x01';

struct writer {
  std::string& to;

  void operator()(std::monostate) const {}
  void operator()(std::int64_t number) const { append_number(to, number); }
  void operator()(double number) const { append_number(to, std::bit_cast<std::int64_t>(number)); }
  void operator()(sql_value::blob bytes) const { append_bytes(to, bytes); }
  void operator()(const model::uuid& id) const { append_bytes(to, id.bytes); }
  void operator()(const sql_array* array) const { to.append(array->bytes()); }
  void operator()(std::string_view text) const {
    for (const char c : text) {
      if (c != '\0' && c != escape) {
        to.push_back(c);
        continue;
      }
      to.push_back(escape);
      to.push_back(c == '\0' ? '0' : '1');
    }
  }
};

struct type_finder {
  std::uint32_t operator()(std::monostate) const { return 0; }
  std::uint32_t operator()(std::int64_t) const { return ids_of(sql_type::integer).one; }
  std::uint32_t operator()(double) const { return ids_of(sql_type::real).one; }
  std::uint32_t operator()(std::string_view) const { return ids_of(sql_type::text).one; }
  std::uint32_t operator()(sql_value::blob) const { return ids_of(sql_type::blob).one; }
  std::uint32_t operator()(const model::uuid&) const { return ids_of(sql_type::uuid).one; }
  std::uint32_t operator()(const sql_array* array) const { return array->type(); }
};

constexpr std::size_t size_at = 12;

/// Writes a number over bytes.
void put_number(std::string& to, std::size_t at, std::int32_t number) {
  std::string bytes;
  append_number(bytes, number);
  to.replace(at, bytes.size(), bytes);
}

} // namespace

std::uint32_t type_of(const sql_value& value) {
  return std::visit(type_finder{}, value.get());
}

void append_binary(std::string& to, const sql_value& value) {
  std::visit(writer{to}, value.get());
}

bool has_escapes(std::string_view text) noexcept {
  return text.find(escape) != text.npos;
}

std::string unescaped(std::string_view text) {
  std::string made;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != escape || at + 1 == text.size())
      made.push_back(text[at]);
    else
      made.push_back(text[++at] == '0' ? '\0' : escape);
  }
  return made;
}

sql_array::sql_array(sql_type of) : of_{of} {
  append_number<std::int32_t>(bytes_, 1); // dimensions
  append_number<std::int32_t>(bytes_, 1); // may have nulls
  append_number<std::uint32_t>(bytes_, ids_of(of).one);
  append_number<std::int32_t>(bytes_, 0); // the size, see `add`
  append_number<std::int32_t>(bytes_, 1); // the first index
}

std::uint32_t sql_array::type() const noexcept {
  return ids_of(of_).array;
}

void sql_array::add(const sql_value& value) {
  put_number(bytes_, size_at, ++size_);
  const auto length_at = bytes_.size();
  append_number<std::int32_t>(bytes_, -1); // a null
  if (std::holds_alternative<std::monostate>(value.get())) return;
  append_binary(bytes_, value);
  put_number(bytes_, length_at,
             static_cast<std::int32_t>(bytes_.size() - length_at - sizeof(std::int32_t)));
}

} // namespace matchcloud::store
