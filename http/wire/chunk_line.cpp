#include "http/wire/chunk_line.hpp"

#include "http/wire/header_characters.hpp"
#include "http/wire/request_errors.hpp"

namespace matchcloud::http {

namespace {

constexpr std::size_t size_limit_digits = 16;

base::expected<void> check_extensions(std::string_view text) {
  if (text.empty()) return {};
  const auto trimmed = trim_blanks(text);
  if (trimmed.empty() || trimmed.front() != ';')
    return malformed(byte_name(text.front()) + " after the chunk size; only ';' may follow");
  const auto length = value_characters.span(trimmed);
  if (length == trimmed.size()) return {};
  return malformed(byte_name(trimmed[length]) + " in a chunk extension");
}

} // namespace

base::expected<std::uint64_t> parse_chunk_line(std::string_view line) {
  std::uint64_t size = 0;
  std::size_t digits = 0;
  for (; digits < line.size() && hex_value(line[digits]) >= 0; ++digits) {
    if (digits == size_limit_digits) return malformed("the chunk size has more than 16 digits");
    size = size << 4 | static_cast<std::uint64_t>(hex_value(line[digits]));
  }
  if (digits == 0) return malformed(in_quotes(line) + " is not a chunk size in hexadecimal digits");
  if (auto checked = check_extensions(line.substr(digits)); !checked)
    return tl::unexpected(checked.error());
  return size;
}

} // namespace matchcloud::http
