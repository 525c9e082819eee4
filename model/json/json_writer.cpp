#include "model/json/json_writer.hpp"

#include "model/text/unicode.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace matchcloud::model {

namespace {

/// Up to this value, thousandths are exact in a double, with a bit to spare for the half.
constexpr double thousandths_limit = 1e12;

/// The smallest denormal without an exponent takes "0." and 324 digits, the largest double 309
/// digits.
constexpr std::size_t shortest_limit_bytes = 400;

/// The character after the backslash in the short escape of a byte; 0 if it has none.
constexpr char short_escape(char c) noexcept {
  switch (c) {
  case '"': return '"';
  case '\\': return '\\';
  case '\b': return 'b';
  case '\f': return 'f';
  case '\n': return 'n';
  case '\r': return 'r';
  case '\t': return 't';
  default: return 0;
  }
}

/// The number of bytes that each byte takes in a JSON string.
constexpr auto byte_widths = [] {
  std::array<std::uint8_t, 256> widths{};
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const bool is_short = short_escape(static_cast<char>(i)) != 0;
    widths[i] = is_short ? 2 : i < 0x20 ? 6 : 1;
  }
  return widths;
}();

std::uint8_t width(char c) noexcept {
  return byte_widths[static_cast<unsigned char>(c)];
}

/// Whether any of the eight bytes of `word` may need an escape, with rare false positives. Uses the
/// bit tricks of "Hacker's Delight" section 6-1: a byte below n borrows when n is subtracted.
constexpr bool may_need_escape(std::uint64_t word) noexcept {
  constexpr std::uint64_t ones = 0x0101'0101'0101'0101;
  constexpr std::uint64_t tops = ones * 0x80;
  const auto below = [](std::uint64_t bytes, std::uint64_t n) {
    return (bytes - ones * n) & ~bytes;
  };
  const auto found =
      below(word, 0x20) | below(word ^ (ones * '"'), 1) | below(word ^ (ones * '\\'), 1);
  return (found & tops) != 0;
}

/// The number of bytes at the beginning of `text` that need no escape.
std::size_t plain_bytes(std::string_view text) noexcept {
  std::size_t at = 0;
  for (std::uint64_t word = 0; text.size() - at >= sizeof word; at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    if (may_need_escape(word)) break;
  }
  while (at < text.size() && width(text[at]) == 1)
    ++at;
  return at;
}

void append_escape(std::string& out, char c) {
  constexpr std::string_view hex = "0123456789abcdef";
  out += '\\';
  if (const char escape = short_escape(c)) {
    out += escape;
    return;
  }
  const auto byte = static_cast<unsigned char>(c);
  out.append("u00");
  out += hex[byte >> 4];
  out += hex[byte & 0xf];
}

/// `value` rounded to thousandths, halves up; `value` must be from 0 to `thousandths_limit`.
std::uint64_t to_thousandths(double value) noexcept {
  // The product is rounded; `lost` is exactly the rounding error, so that the doubles 0.0005 (a
  // little above the half) and 0.0015 (a little below) are rounded to their own sides.
  const double product = value * 1000;
  const double lost = std::fma(value, 1000.0, -product);
  const double whole = std::floor(product);
  const bool up = (product - whole) - 0.5 >= -lost;
  return static_cast<std::uint64_t>(whole) + (up ? 1 : 0);
}

void append_integer(std::string& out, std::uint64_t value) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

} // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (;;) {
    const auto plain = plain_bytes(text);
    out.append(text.substr(0, plain));
    if (plain == text.size()) break;
    append_escape(out, text[plain]);
    text.remove_prefix(plain + 1);
  }
  out += '"';
}

void append_ascii_json_string(std::string& out, std::string_view text) {
  const auto append_unit = [&out](std::uint32_t unit) {
    constexpr std::string_view hex = "0123456789ABCDEF";
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4)
      out += hex[unit >> shift & 0xF];
  };
  out += '"';
  while (!text.empty()) {
    const auto decoded = decode_utf8(text);
    const auto point = decoded.bytes == 0 ? U'\uFFFD' : decoded.value;
    if (point < 0x80 && width(text.front()) == 1)
      out += text.front();
    else if (point < 0x80)
      append_escape(out, text.front());
    else if (point < 0x1'0000)
      append_unit(point);
    else { // a surrogate pair
      append_unit(0xD800 + ((point - 0x1'0000) >> 10));
      append_unit(0xDC00 + ((point - 0x1'0000) & 0x3FF));
    }
    text.remove_prefix(std::max<std::size_t>(1, decoded.bytes));
  }
  out += '"';
}

std::size_t json_string_bytes(std::string_view text) noexcept {
  std::size_t bytes = 2;
  for (;;) {
    const auto plain = plain_bytes(text);
    bytes += plain;
    if (plain == text.size()) return bytes;
    bytes += width(text[plain]);
    text.remove_prefix(plain + 1);
  }
}

void append_thousandths(std::string& out, double value) {
  if (std::isnan(value)) value = 0;
  const auto thousandths = to_thousandths(std::min(std::fabs(value), thousandths_limit));
  if (value < 0 && thousandths > 0) out += '-';
  append_integer(out, thousandths / 1000);
  const auto rest = static_cast<unsigned>(thousandths % 1000);
  if (rest == 0) return;
  const std::array<char, 4> decimals{'.', static_cast<char>('0' + rest / 100),
                                     static_cast<char>('0' + rest / 10 % 10),
                                     static_cast<char>('0' + rest % 10)};
  const std::size_t zeros = rest % 100 == 0 ? 2 : rest % 10 == 0 ? 1 : 0;
  out.append(decimals.data(), decimals.size() - zeros);
}

void append_shortest(std::string& out, double value) {
  if (!std::isfinite(value) || value == 0) value = 0;
  std::array<char, shortest_limit_bytes> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), std::fabs(value),
                                 std::chars_format::fixed)
                       .ptr;
  if (value < 0) out += '-';
  out.append(digits.data(), end);
}

} // namespace matchcloud::model
