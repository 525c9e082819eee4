#include "model/json/json_number.hpp"

#include "base/characters.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <system_error>

namespace matchcloud::model {

namespace {

constexpr base::character_set number_digits{base::is_digit};
/// The characters of numbers, including numbers of other languages.
constexpr base::character_set number_characters{[](unsigned char c) {
  return base::is_alphanumeric(c) || c == '_' || c == '.' || c == '+' || c == '-';
}};

bool is_digit_at(std::string_view text, std::size_t at) noexcept {
  return at < text.size() && base::is_digit(text[at]);
}

std::size_t digits_end(std::string_view text, std::size_t at) noexcept {
  return at + number_digits.span(text.substr(std::min(at, text.size())));
}

std::size_t string_end(std::string_view text, std::size_t at) noexcept {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

bool is_within_word(std::string_view text, std::size_t at) noexcept {
  return at > 0 && number_characters.contains(text[at - 1]);
}

/// Whether a value may begin at `at`, by what is before it.
bool is_place_of_value(std::string_view text, std::size_t at) noexcept {
  const auto before = text.substr(0, at).find_last_not_of(" \t\r\n");
  return before == text.npos || text[before] == '[' || text[before] == ',' || text[before] == ':';
}

std::string but_found(std::string_view text, std::size_t at) {
  if (at >= text.size()) return ", found the end.";
  return ", found " + quoted_excerpt(text.substr(at, decode_utf8(text.substr(at)).bytes), 1) + ".";
}

/// Whether a parser may stop with that code for a number, which is then outside of strings. For a
/// parser, `01` is a 0 with something after it, and `+1` and `.5` are not values.
bool may_be_for_number(rapidjson::ParseErrorCode code) noexcept {
  switch (code) {
  case rapidjson::kParseErrorDocumentRootNotSingular:
  case rapidjson::kParseErrorValueInvalid:
  case rapidjson::kParseErrorObjectMissCommaOrCurlyBracket:
  case rapidjson::kParseErrorArrayMissCommaOrSquareBracket:
  case rapidjson::kParseErrorNumberTooBig:
  case rapidjson::kParseErrorNumberMissFraction:
  case rapidjson::kParseErrorNumberMissExponent: return true;
  default: return false;
  }
}

/// The kind of a number of other languages, which begins with `0` and a letter; empty if it is not
/// one.
std::string_view base_of(std::string_view unsigned_word) noexcept {
  if (unsigned_word.size() < 2 || unsigned_word.front() != '0') return {};
  switch (unsigned_word[1]) {
  case 'x':
  case 'X': return "hexadecimal";
  case 'o':
  case 'O': return "octal";
  case 'b':
  case 'B': return "binary";
  default: return {};
  }
}

bool is_not_finite(std::string_view unsigned_word) noexcept {
  for (const std::string_view each : {"nan", "inf", "infinity"})
    if (base::equal_ignoring_case(unsigned_word, each)) return true;
  return false;
}

/// The mistake in the number that begins at `begin`, if there is one.
std::optional<number_mistake> mistake_in(std::string_view text, std::size_t begin) {
  const auto word = text.substr(begin, number_characters.span(text.substr(begin)));
  const bool is_signed = word.starts_with('-') || word.starts_with('+');
  const auto rest = word.substr(is_signed ? 1 : 0);
  const auto first = begin + (is_signed ? 1 : 0);
  const auto shown = [&] { return quoted_excerpt(word); };
  if (is_not_finite(rest))
    return number_mistake{begin, "JSON has no number " + shown() + ". Use a finite number."};
  if (word.starts_with('+'))
    return number_mistake{begin, "a number cannot start with `+`. Remove the `+`."};
  if (rest.starts_with('.') && is_digit_at(text, first + 1))
    return number_mistake{first, "a number needs a digit before the decimal point, such as `0`."};
  if (!is_digit_at(text, first)) {
    if (!is_signed) return std::nullopt;
    return number_mistake{first, "expected a digit after the minus sign" + but_found(text, first)};
  }
  if (const auto base = base_of(rest); !base.empty())
    return number_mistake{begin, "JSON has no " + std::string{base} + " numbers, found " + shown() +
                                     ". Write the number in decimal digits."};
  const auto end = digits_end(text, first);
  if (rest.starts_with('0') && end > first + 1)
    return number_mistake{first, "a number cannot start with 0. Remove the leading zeros, or put " +
                                     shown() + " in double quotes if it is text."};
  auto at = end;
  if (at < text.size() && text[at] == '.') {
    if (!is_digit_at(text, ++at))
      return number_mistake{at, "expected a digit after the decimal point" + but_found(text, at)};
    at = digits_end(text, at);
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (!is_digit_at(text, at))
      return number_mistake{at, "expected a digit in the exponent" + but_found(text, at)};
    at = digits_end(text, at);
  }
  if (at == begin + word.size()) return std::nullopt;
  return number_mistake{
      begin,
      shown() + " is not a number in JSON. Correct it, or put it in double quotes if it is text."};
}

} // namespace

std::size_t number_end(std::string_view text, std::size_t at) noexcept {
  const auto sign_end = at + (at < text.size() && text[at] == '-' ? 1 : 0);
  if (!is_digit_at(text, sign_end)) return at;
  auto end = text[sign_end] == '0' ? sign_end + 1 : digits_end(text, sign_end);
  if (end < text.size() && text[end] == '.') {
    const auto fraction = digits_end(text, end + 1);
    if (fraction == end + 1) return end;
    end = fraction;
  }
  if (end == text.size() || (text[end] != 'e' && text[end] != 'E')) return end;
  auto exponent = end + 1;
  if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
  const auto exponent_end = digits_end(text, exponent);
  return exponent_end == exponent ? end : exponent_end;
}

std::optional<double> nearest_double(std::string_view number) {
  double value = 0;
  const auto status = std::from_chars(number.data(), number.data() + number.size(), value).ec;
  if (status == std::errc{}) return value;
  // Of a number beyond the range, only this says whether it is too small or too large.
  value = std::strtod(std::string{number}.c_str(), nullptr);
  return std::isfinite(value) ? std::optional{value} : std::nullopt;
}

std::string blank_numbers(std::string_view text) {
  std::string blanked{text};
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      at = string_end(text, at);
      continue;
    }
    // A number after other characters, as in `--1`, is part of a malformed one.
    const auto end = is_within_word(text, at) ? at : number_end(text, at);
    if (end == at) {
      ++at;
      continue;
    }
    blanked[at] = '0';
    std::fill(blanked.begin() + static_cast<std::ptrdiff_t>(at) + 1,
              blanked.begin() + static_cast<std::ptrdiff_t>(end), ' ');
    at = end;
  }
  return blanked;
}

std::optional<number_mistake>
find_number_mistake(std::string_view text, rapidjson::ParseErrorCode code, std::size_t offset) {
  if (!may_be_for_number(code)) return std::nullopt;
  auto begin = std::min(offset, text.size());
  while (is_within_word(text, begin))
    --begin;
  if (begin == text.size() || !is_place_of_value(text, begin)) return std::nullopt;
  return mistake_in(text, begin);
}

} // namespace matchcloud::model
