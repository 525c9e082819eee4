#include "model/net/punycode.hpp"

#include "model/net/url_host.hpp"
#include "model/text/unicode.hpp"

#include "base/characters.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace matchcloud::model {

namespace {

// The parameters of RFC 3492 section 5.
constexpr std::uint32_t base_digits = 36;
constexpr std::uint32_t least_threshold = 1;
constexpr std::uint32_t most_threshold = 26;
constexpr std::uint32_t skew = 38;
constexpr std::uint32_t damp = 700;
constexpr std::uint32_t initial_bias = 72;
constexpr std::uint32_t initial_code_point = 0x80;
constexpr char delimiter = '-';

constexpr std::string_view prefix = "xn--";
/// Labels beyond this limit (RFC 1035 section 2.3.4) are refused before any costly work.
constexpr std::size_t label_limit = 63;

char digit(std::uint32_t value) noexcept {
  constexpr std::string_view digits = "abcdefghijklmnopqrstuvwxyz0123456789";
  return digits[value];
}

/// Bias adaptation (RFC 3492 section 6.1).
std::uint32_t adapted_bias(std::uint32_t delta, std::uint32_t points, bool is_first) noexcept {
  delta = is_first ? delta / damp : delta / 2;
  delta += delta / points;
  std::uint32_t k = 0;
  for (; delta > (base_digits - least_threshold) * most_threshold / 2; k += base_digits)
    delta /= base_digits - least_threshold;
  return k + (base_digits - least_threshold + 1) * delta / (delta + skew);
}

/// Appends `value` as a generalized variable-length integer (RFC 3492 section 3.3).
void append_integer(std::string& to, std::uint32_t value, std::uint32_t bias) {
  for (auto k = base_digits;; k += base_digits) {
    const auto threshold =
        k <= bias ? least_threshold : std::min(std::max(k - bias, least_threshold), most_threshold);
    if (value < threshold) break;
    to += digit(threshold + (value - threshold) % (base_digits - threshold));
    value = (value - threshold) / (base_digits - threshold);
  }
  to += digit(value);
}

bool is_in(std::u32string_view borders, char32_t c) noexcept {
  for (std::size_t i = 0; i < borders.size(); i += 2)
    if (c >= borders[i] && c <= borders[i + 1]) return true;
  return false;
}

/// The lower case of letters of the scripts below; other characters are unchanged.
char32_t to_lower(char32_t c) noexcept {
  if (c < 0x80) return static_cast<unsigned char>(base::to_lower(static_cast<char>(c)));
  if ((c >= 0xC0 && c <= 0xDE && c != 0xD7) || (c >= 0x391 && c <= 0x3AB && c != 0x3A2) ||
      (c >= 0x410 && c <= 0x42F))
    return c + 0x20;
  if (c >= 0x400 && c <= 0x40F) return c + 0x50;
  if (c == 0x178) return 0xFF;
  const bool is_even_upper = (c >= 0x100 && c <= 0x137) || (c >= 0x14A && c <= 0x177);
  const bool is_odd_upper = (c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E);
  if (is_even_upper && c != 0x130) return c | 1U;
  return is_odd_upper && (c & 1U) != 0 ? c + 1 : c;
}

// The sets below list the first and last character of each run of lower-case letters that IDNA (RFC
// 5892) accepts unchanged and that no normalization changes.

/// Latin without ligatures, Greek, Cyrillic, kana, Han and Hangul.
constexpr std::u32string_view left_to_right =
    U"\u00DF\u00F6\u00F8\u00FF\u0101\u012F\u0131\u0131\u0135\u013E\u0142\u0148\u014B\u017E\u03AC"
    U"\u03CE"
    U"\u0430\u045F\u3041\u3096\u30A1\u30FA\u30FC\u30FC\u3400\u4DBF\u4E00\u9FFF\uAC00\uD7A3";

/// Hebrew and Arabic.
constexpr std::u32string_view right_to_left =
    U"\u05D0\u05EA\u0620\u063A\u0641\u064A\u0679\u06BF\u06CC\u06CC";

/// The label's characters in lower case; empty if one of them is not in the sets above.
std::u32string lowered(std::string_view label) {
  std::u32string points;
  while (!label.empty()) {
    const auto c = decode_utf8(label);
    if (c.bytes == 0) return {};
    points += to_lower(c.value);
    label.remove_prefix(c.bytes);
  }
  const auto is_ltr = [](char32_t c) { return c < 0x80 || is_in(left_to_right, c); };
  const auto is_rtl = [](char32_t c) { return is_in(right_to_left, c); };
  const bool is_sound = std::ranges::all_of(points, is_ltr) || std::ranges::all_of(points, is_rtl);
  return is_sound ? points : std::u32string{};
}

std::optional<std::string> ascii_label(std::string_view label) {
  constexpr std::size_t utf8_bytes = 4;
  if (label.size() > utf8_bytes * label_limit) return std::nullopt;
  const auto points = lowered(label);
  // Restrictions on hyphens (RFC 5891 section 4.2.3.1).
  if (points.empty() || points.front() == U'-' || points.back() == U'-') return std::nullopt;
  if (std::ranges::all_of(points, [](char32_t c) { return c < 0x80; }))
    return std::string{points.begin(), points.end()};
  if (points.substr(std::min<std::size_t>(2, points.size()), 2) == U"--") return std::nullopt;
  const auto encoded = encode_punycode(points);
  return encoded ? std::optional{std::string{prefix} + *encoded} : std::nullopt;
}

} // namespace

std::optional<std::string> encode_punycode(std::u32string_view label) {
  std::string encoded;
  for (const auto c : label)
    if (c < initial_code_point) encoded += static_cast<char>(c);
  const auto basic = static_cast<std::uint32_t>(encoded.size());
  if (basic > 0) encoded += delimiter;
  auto point = char32_t{initial_code_point};
  auto bias = initial_bias;
  std::uint64_t delta = 0;
  for (auto handled = basic; handled < label.size();) {
    auto next = std::numeric_limits<char32_t>::max();
    for (const auto c : label)
      if (c >= point) next = std::min(next, c);
    delta += std::uint64_t{next - point} * (handled + 1);
    point = next;
    for (const auto c : label) {
      if (delta > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
      if (c < point) ++delta;
      if (c != point) continue;
      const auto value = static_cast<std::uint32_t>(delta);
      append_integer(encoded, value, bias);
      bias = adapted_bias(value, handled + 1, handled == basic);
      delta = 0;
      ++handled;
    }
    ++delta;
    ++point;
  }
  return encoded;
}

std::optional<std::string> ascii_host(std::string_view host) {
  std::string ascii;
  for (;;) {
    const auto dot = host.find('.');
    const auto label = host.substr(0, dot);
    const auto encoded = label.empty() ? std::optional{std::string{}} : ascii_label(label);
    if (!encoded) return std::nullopt;
    ascii += *encoded;
    if (dot == host.npos) break;
    ascii += '.';
    host.remove_prefix(dot + 1);
  }
  const auto parsed = parse_url_host(ascii);
  return parsed && !parsed->address ? std::optional{ascii} : std::nullopt;
}

} // namespace matchcloud::model
