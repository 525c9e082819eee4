#include "http/wire/field_line.hpp"

#include "http/wire/list_elements.hpp"
#include "http/wire/request_errors.hpp"

#include <cstring>

namespace matchcloud::http {

namespace {

constexpr std::uint64_t in_each_byte(std::uint64_t byte) noexcept {
  return byte * 0x0101010101010101U;
}

/// Whether one of the eight bytes of `word` is below 0x20 or is 0x7f. A byte that is smaller than
/// the number subtracted from it borrows, which sets its top bit. True for HTAB too, which is
/// allowed: if the result is true, check byte by byte; if it is false, no byte is a control.
constexpr bool has_control(std::uint64_t word) noexcept {
  constexpr auto top = in_each_byte(0x80);
  const auto below_space = (word - in_each_byte(0x20)) & ~word & top;
  const auto deletes = word ^ in_each_byte(0x7f);
  return (below_space | ((deletes - in_each_byte(1)) & ~deletes & top)) != 0;
}

std::uint64_t load(const char* bytes) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

bool is_value(std::string_view value) noexcept {
  constexpr std::size_t step = sizeof(std::uint64_t);
  if (value.size() < step) return value_characters.contains_all(value);
  const char* const last = value.data() + value.size() - step;
  bool suspect = has_control(load(last));
  for (const char* at = value.data(); at < last && !suspect; at += step)
    suspect = has_control(load(at));
  return !suspect || value_characters.contains_all(value);
}

tl::unexpected<base::error> bad_name(std::string_view line, std::size_t length) {
  if (length == line.size()) return malformed(in_quotes(line) + " has no colon");
  const char found = line[length];
  if (length == 0 && is_blank(found))
    return malformed("it begins with white space; folded lines are refused, send one line");
  if (length == 0 && found == ':') return malformed("there is no name before the colon");
  const auto name = in_quotes(line.substr(0, length));
  if (is_blank(found)) return malformed("white space after " + name + "; the colon must follow");
  return malformed(byte_name(found) + " after " + name + "; a header name is a token");
}

tl::unexpected<base::error> bad_value(const field_line& field) {
  const auto at = value_characters.span(field.value);
  return malformed(byte_name(field.value[at]) + " at position " + std::to_string(at) +
                   " of the value of " + in_quotes(field.name) +
                   "; control characters are refused");
}

} // namespace

base::expected<field_line> parse_field_line(std::string_view line) {
  const auto length = token_characters.span(line);
  if (length == 0 || length == line.size() || line[length] != ':') return bad_name(line, length);
  const field_line field{line.substr(0, length), trim_blanks(line.substr(length + 1))};
  if (!is_value(field.value)) return bad_value(field);
  return field;
}

framing_field find_framing_field(std::string_view name) noexcept {
  const auto is = [name](std::string_view known, framing_field field) {
    return equal_ignoring_case(name, known) ? field : framing_field::none;
  };
  switch (name.size()) {
  case 6: return is("expect", framing_field::expect);
  case 10: return is("connection", framing_field::connection);
  case 14: return is("content-length", framing_field::content_length);
  case 16: return is("content-encoding", framing_field::content_encoding);
  case 17: return is("transfer-encoding", framing_field::transfer_encoding);
  default: return framing_field::none;
  }
}

base::expected<std::uint64_t> parse_content_length(std::string_view value) {
  if (value.empty()) return malformed("Content-Length is empty; send a number of bytes");
  if (const auto number = read_digits(value)) return *number;
  return malformed("Content-Length " + in_quotes(value) + " is not a single number made of digits");
}

bool list_has(std::string_view list, std::string_view token) noexcept {
  while (const auto element = take_element(list))
    if (equal_ignoring_case(*element, token)) return true;
  return false;
}

bool list_has_only(std::string_view list, std::string_view token) noexcept {
  while (const auto element = take_element(list))
    if (!equal_ignoring_case(*element, token)) return false;
  return true;
}

bool list_ends_with(std::string_view list, std::string_view token) noexcept {
  const auto comma = list.rfind(',');
  return comma != list.npos && equal_ignoring_case(trim_blanks(list.substr(comma + 1)), token);
}

bool hides_line_end(std::string_view value) noexcept {
  for (auto at = value.find('%'); at != value.npos; at = value.find('%', at + 1)) {
    const auto code = value.substr(at + 1, 2);
    if (code == "00" || equal_ignoring_case(code, "0d") || equal_ignoring_case(code, "0a"))
      return true;
  }
  return false;
}

} // namespace matchcloud::http
