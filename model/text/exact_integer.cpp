#include "model/text/exact_integer.hpp"

#include "base/characters.hpp"

#include <algorithm>
#include <limits>

namespace matchcloud::model {

namespace {

/// Far beyond any exponent that the digits of a text in memory could compensate.
constexpr std::int64_t exponent_ceiling = std::int64_t{1} << 60;
constexpr auto largest = std::numeric_limits<std::uint64_t>::max();
constexpr exact_integer beyond_64_bits(bool negative) {
  return {negative, largest, true};
}

std::int64_t read_exponent(std::string_view digits) noexcept {
  bool negative = false;
  if (!digits.empty() && (digits.front() == '-' || digits.front() == '+')) {
    negative = digits.front() == '-';
    digits.remove_prefix(1);
  }
  std::int64_t value = 0;
  for (const char c : digits)
    value = std::min(value * 10 + (c - '0'), exponent_ceiling / 16);
  return negative ? -value : value;
}

/// Appends a decimal digit; false if the result would overflow.
bool append_digit(std::uint64_t& value, unsigned digit) noexcept {
  if (value > (largest - digit) / 10) return false;
  value = value * 10 + digit;
  return true;
}

bool is_nonzero_digit(char c) noexcept {
  return c >= '1' && c <= '9';
}

/// Fast path for the usual form: only digits, and few enough for 64 bits.
std::optional<std::uint64_t> read_plain(std::string_view number) noexcept {
  if (number.size() > std::numeric_limits<std::uint64_t>::digits10) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : number) {
    if (!base::is_digit(c)) return std::nullopt;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  return value;
}

} // namespace

std::optional<exact_integer> read_integer(std::string_view number) noexcept {
  if (const auto plain = read_plain(number)) return exact_integer{false, *plain, false};
  const bool negative = !number.empty() && number.front() == '-';
  if (negative) number.remove_prefix(1);
  const auto mantissa_end = std::min(number.find_first_of("eE"), number.size());
  const auto mantissa = number.substr(0, mantissa_end);
  const auto first = std::find_if(mantissa.begin(), mantissa.end(), is_nonzero_digit);
  if (first == mantissa.end()) return exact_integer{};

  // The value is its digits without the point, times ten to `exponent`, which includes trailing
  // zeros.
  const auto point = std::min(mantissa.find('.'), mantissa.size());
  const auto last = mantissa.find_last_of("123456789");
  std::int64_t exponent =
      mantissa_end == number.size() ? 0 : read_exponent(number.substr(mantissa_end + 1));
  if (last < point)
    exponent += static_cast<std::int64_t>(point - last - 1);
  else
    exponent -= static_cast<std::int64_t>(last - point);
  if (exponent < 0) return std::nullopt;
  if (exponent > std::numeric_limits<std::uint64_t>::digits10) return beyond_64_bits(negative);

  exact_integer result{negative, 0, false};
  const auto begin = static_cast<std::size_t>(first - mantissa.begin());
  for (const char c : mantissa.substr(begin, last + 1 - begin)) {
    if (c != '.' && !append_digit(result.magnitude, static_cast<unsigned>(c - '0')))
      return beyond_64_bits(negative);
  }
  for (; exponent > 0; --exponent)
    if (!append_digit(result.magnitude, 0)) return beyond_64_bits(negative);
  return result;
}

} // namespace matchcloud::model
