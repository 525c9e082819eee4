#include "model/access/token_text.hpp"

#include <zlib.h>

#include <algorithm>
#include <optional>

namespace matchcloud::model {

namespace {

constexpr std::string_view digits =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

constexpr auto is_digit = [] {
  std::array<bool, 256> known{};
  for (const char c : digits)
    known[static_cast<unsigned char>(c)] = true;
  return known;
}();

constexpr bool is_base62(char c) noexcept {
  return is_digit[static_cast<unsigned char>(c)];
}

/// Appends a number as `length` digits, the most significant first. `bytes` is the number, most
/// significant byte first; it is overwritten.
template <std::size_t Size>
void append_base62(std::string& out, std::array<std::uint8_t, Size> bytes, std::size_t length) {
  const auto begin = out.size();
  for (std::size_t i = 0; i < length; ++i) {
    unsigned rest = 0;
    for (auto& byte : bytes) {
      const unsigned whole = rest << 8U | byte;
      byte = static_cast<std::uint8_t>(whole / digits.size());
      rest = whole % static_cast<unsigned>(digits.size());
    }
    out += digits[rest];
  }
  std::reverse(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end());
}

std::uint32_t checksum(std::string_view text) noexcept {
  return static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
}

void append_check(std::string& text) {
  const auto crc = checksum(text);
  append_base62(text,
                std::array{static_cast<std::uint8_t>(crc >> 24U),
                           static_cast<std::uint8_t>(crc >> 16U),
                           static_cast<std::uint8_t>(crc >> 8U), static_cast<std::uint8_t>(crc)},
                token_check_length);
}

/// The number that base 62 digits spell, modulo 2^64; six digits fit.
std::uint64_t read_base62(std::string_view text) noexcept {
  std::uint64_t number = 0;
  for (const char c : text) {
    const auto value = c <= '9' ? c - '0' : c <= 'Z' ? c - 'A' + 10 : c - 'a' + 36;
    number = number * digits.size() + static_cast<std::uint64_t>(value);
  }
  return number;
}

/// `parse_token_kind` in any case.
std::optional<token_kind> find_kind(std::string_view name) noexcept {
  for (std::size_t i = 0; i < token_kind_names.size(); ++i)
    if (std::ranges::equal(
            name, token_kind_names[i], {},
            [](char c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : +c; },
            [](char c) { return +c; }))
      return static_cast<token_kind>(i);
  return std::nullopt;
}

/// The kind that `text`, which begins with `token_prefix`, names. Removes prefix, kind and
/// underscore from its front.
std::optional<token_kind> take_kind(std::string_view& text) noexcept {
  auto rest = text.substr(token_prefix.size());
  const auto end = rest.find('_');
  if (end == std::string_view::npos) return std::nullopt;
  const auto kind = find_kind(rest.substr(0, end));
  if (kind) text = rest.substr(end + 1);
  return kind;
}

} // namespace

std::string make_token_text(token_kind kind, const std::array<std::uint8_t, 32>& random) {
  std::string text{token_prefix};
  text.append(name_of(kind)).append("_");
  append_base62(text, random, token_secret_length);
  append_check(text);
  return text;
}

tl::expected<token_kind, token_defect> check_token_text(std::string_view text) noexcept {
  auto rest = text;
  const auto kind = text.starts_with(token_prefix) ? take_kind(rest) : std::nullopt;
  if (!kind || name_of(*kind) != text.substr(token_prefix.size(), name_of(*kind).size()) ||
      rest.size() != token_secret_length + token_check_length ||
      !std::all_of(rest.begin(), rest.end(), is_base62))
    return tl::unexpected(token_defect::form);
  const auto check = text.substr(text.size() - token_check_length);
  if (checksum(text.substr(0, text.size() - token_check_length)) != read_base62(check))
    return tl::unexpected(token_defect::checksum);
  return *kind;
}

bool has_token(std::string_view text) noexcept {
  for (auto at = text.find(token_prefix); at != text.npos; at = text.find(token_prefix, at + 1)) {
    auto rest = text.substr(at);
    if (take_kind(rest) && !rest.empty() && is_base62(rest.front())) return true;
  }
  return false;
}

std::string redact_tokens(std::string text) {
  for (std::size_t at = 0; (at = text.find(token_prefix, at)) != std::string::npos;) {
    std::string_view rest{text};
    rest.remove_prefix(at);
    if (!take_kind(rest)) {
      at += token_prefix.size();
      continue;
    }
    const auto begin = text.size() - rest.size();
    // Also underscores, because otherwise the kind of a token right after this one would be lost.
    const auto is_kept = [](char c) { return !is_base62(c) && c != '_'; };
    const auto end = std::find_if(rest.begin(), rest.end(), is_kept) - rest.begin();
    if (end > 0) text.replace(begin, static_cast<std::size_t>(end), "***");
    at = begin;
  }
  return text;
}

} // namespace matchcloud::model
