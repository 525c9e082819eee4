#include "store/postgres/text_form.hpp"

#include "base/characters.hpp"
#include "base/hexadecimal.hpp"

#include <libpq-fe.h>

#include <array>
#include <charconv>
#include <variant>

namespace matchcloud::store {

namespace {

template <class Number>
std::string text_of(Number number) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return {digits.data(), end};
}

std::string hex_of(std::span<const std::uint8_t> bytes) {
  std::string text = "\\x";
  base::append_hexadecimal(text, bytes);
  return text;
}

/// PostgreSQL's texts cannot have a NUL: `escape` and '0' replace it, `escape` and '1' an escape.
constexpr char escape = '\x01';

std::string escaped(std::string_view text) {
  std::string made;
  made.reserve(text.size());
  for (const char c : text) {
    if (c != '\0' && c != escape) {
      made.push_back(c);
      continue;
    }
    made.push_back(escape);
    made.push_back(c == '\0' ? '0' : '1');
  }
  return made;
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

template <class Number>
Number parse(std::string_view digits) {
  Number value{};
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

/// The text form of each type of value.
struct writer {
  std::optional<std::string> operator()(std::monostate) const { return std::nullopt; }
  std::optional<std::string> operator()(std::string_view text) const { return escaped(text); }
  std::optional<std::string> operator()(sql_value::blob bytes) const { return hex_of(bytes); }
  std::optional<std::string> operator()(const model::uuid& id) const { return to_string(id); }
  std::optional<std::string> operator()(std::int64_t number) const { return text_of(number); }
  std::optional<std::string> operator()(double number) const { return text_of(number); }
};

} // namespace

std::optional<std::string> text_form(const sql_value& value) {
  return std::visit(writer{}, value.get());
}

std::string_view text_row::raw(int column) const noexcept {
  return {PQgetvalue(rows_, row_, column),
          static_cast<std::size_t>(PQgetlength(rows_, row_, column))};
}

bool text_row::is_null(int column) {
  return PQgetisnull(rows_, row_, column) != 0;
}

std::int64_t text_row::integer(int column) {
  return parse<std::int64_t>(raw(column));
}

double text_row::real(int column) {
  return parse<double>(raw(column));
}

std::string_view text_row::text(int column) {
  const auto stored = raw(column);
  if (stored.find(escape) == std::string_view::npos) return stored;
  return unescaped_.emplace_back(unescaped(stored));
}

std::span<const std::uint8_t> text_row::blob(int column) {
  const auto hex = raw(column);
  auto& bytes = blobs_.emplace_back();
  for (std::size_t at = 2; at + 1 < hex.size(); at += 2) // after "\x"
    bytes.push_back(
        static_cast<std::uint8_t>(base::hex_value(hex[at]) << 4 | base::hex_value(hex[at + 1])));
  return bytes;
}

model::uuid text_row::uuid(int column) {
  return model::parse_uuid(raw(column)).value_or(model::uuid{});
}

} // namespace matchcloud::store
