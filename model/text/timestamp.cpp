#include "model/text/timestamp.hpp"

#include "base/characters.hpp"

#include "model/text/exact_integer.hpp"

#include <chrono>
#include <cstddef>

namespace matchcloud::model {

namespace {

constexpr std::int64_t ms_per_second = 1'000;
constexpr std::int64_t ms_per_minute = 60 * ms_per_second;
constexpr std::int64_t ms_per_hour = 60 * ms_per_minute;
constexpr std::int64_t ms_per_day = 24 * ms_per_hour;

constexpr int leap_second = 60;

/// The length of `+HH:MM`.
constexpr std::size_t offset_length = 6;

/// Reads the parts of a date-time from the front of a text; after a failure, all reads fail.
class cursor {
public:
  explicit cursor(std::string_view text) : rest_{text} {}

  /// A number with exactly `digits` digits, from `least` to `most`.
  int number(std::size_t digits, int least, int most) {
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (i >= rest_.size() || !base::is_digit(rest_[i])) return fail();
      value = value * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(digits);
    return value < least || value > most ? fail() : value;
  }

  /// Reads one of two characters; pass the same one twice to require it.
  char either(char a, char b) {
    if (rest_.empty() || (rest_.front() != a && rest_.front() != b)) {
      fail();
      return a;
    }
    const char found = rest_.front();
    rest_.remove_prefix(1);
    return found;
  }

  /// The milliseconds of an optional fraction; further digits are dropped.
  int fraction_ms() {
    if (rest_.empty() || rest_.front() != '.') return 0;
    rest_.remove_prefix(1);
    if (rest_.empty() || !base::is_digit(rest_.front())) return fail();
    int value = 0;
    for (int weight = 100; !rest_.empty() && base::is_digit(rest_.front()); weight /= 10) {
      value += weight * (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }

  /// The offset from UTC in milliseconds, which must be subtracted.
  std::int64_t offset_ms() {
    if (rest_.size() != offset_length) {
      either('Z', 'z');
      return 0;
    }
    const auto sign = either('+', '-') == '+' ? 1 : -1;
    const auto hours = number(2, 0, 23);
    either(':', ':');
    return sign * (hours * ms_per_hour + number(2, 0, 59) * ms_per_minute);
  }

  bool whole() const { return !failed_ && rest_.empty(); }

private:
  int fail() {
    failed_ = true;
    return 0;
  }

  std::string_view rest_;
  bool failed_ = false;
};

struct read_result {
  std::int64_t ms;
  bool misplaced_leap_second;
};

/// Whether `ms` lies in the first second of a month; the second before may be a leap second.
bool begins_month(std::int64_t ms) noexcept {
  using namespace std::chrono;
  return ms % ms_per_day < ms_per_second &&
         year_month_day{sys_days{days{ms / ms_per_day}}}.day() == day{1};
}

std::optional<read_result> read_time(std::string_view text) noexcept {
  using namespace std::chrono;
  cursor in{text};
  // An offset may move the last hours of 1969 into 1970.
  const auto the_year = in.number(4, 1969, 9999);
  in.either('-', '-');
  const auto the_month = in.number(2, 1, 12);
  in.either('-', '-');
  const auto the_day = in.number(2, 1, 31);
  in.either('T', 't');
  const auto hours = in.number(2, 0, 23);
  in.either(':', ':');
  const auto minutes = in.number(2, 0, 59);
  in.either(':', ':');
  const auto seconds_of = in.number(2, 0, leap_second);
  const auto fraction = in.fraction_ms();
  const auto offset = in.offset_ms();
  const year_month_day date{year{the_year}, month{static_cast<unsigned>(the_month)},
                            day{static_cast<unsigned>(the_day)}};
  if (!in.whole() || !date.ok()) return std::nullopt;
  const std::int64_t days = sys_days{date}.time_since_epoch().count();
  const auto ms = days * ms_per_day + hours * ms_per_hour + minutes * ms_per_minute +
                  seconds_of * ms_per_second + fraction - offset;
  if (ms < 0 || ms > timestamp_limit_ms) return std::nullopt;
  return read_result{ms, seconds_of == leap_second && !begins_month(ms)};
}

/// Writes a `value` below 100 as two digits; returns the end.
char* put_two(char* to, std::uint32_t value) noexcept {
  const auto tens = value / 10;
  to[0] = static_cast<char>('0' + tens);
  to[1] = static_cast<char>('0' + (value - 10 * tens));
  return to + 2;
}

/// Writes a `value` below 100 as two digits, then `mark`; returns the end.
char* put_two(char* to, std::uint32_t value, char mark) noexcept {
  to = put_two(to, value);
  *to = mark;
  return to + 1;
}

} // namespace

std::optional<std::int64_t> parse_timestamp(std::string_view text) noexcept {
  const auto time = read_time(text);
  return time && !time->misplaced_leap_second ? std::optional{time->ms} : std::nullopt;
}

bool has_misplaced_leap_second(std::string_view text) noexcept {
  const auto time = read_time(text);
  return time && time->misplaced_leap_second;
}

std::optional<std::int64_t> parse_timestamp_ms(std::string_view number) noexcept {
  const auto value = read_integer(number);
  if (!value || value->negative) return std::nullopt;
  if (value->magnitude > static_cast<std::uint64_t>(timestamp_limit_ms)) return std::nullopt;
  return static_cast<std::int64_t>(value->magnitude);
}

std::string format_timestamp(std::int64_t ms) {
  std::string text(timestamp_length, ' ');
  write_timestamp(text.data(), ms);
  return text;
}

char* write_timestamp(char* to, std::int64_t ms) noexcept {
  using namespace std::chrono;
  const year_month_day date{sys_days{days{ms / ms_per_day}}};
  // Uses 32 bits from here on: this is the inner loop of exports.
  const auto of_year = static_cast<std::uint32_t>(static_cast<int>(date.year()));
  const auto century = of_year / 100;
  const auto of_day = static_cast<std::uint32_t>(ms % ms_per_day);
  const auto of_hour = of_day % std::uint32_t{ms_per_hour};
  const auto of_minute = of_hour % std::uint32_t{ms_per_minute};
  const auto of_second = of_minute % std::uint32_t{ms_per_second};
  to = put_two(to, century);
  to = put_two(to, of_year - 100 * century, '-');
  to = put_two(to, static_cast<unsigned>(date.month()), '-');
  to = put_two(to, static_cast<unsigned>(date.day()), 'T');
  to = put_two(to, of_day / std::uint32_t{ms_per_hour}, ':');
  to = put_two(to, of_hour / std::uint32_t{ms_per_minute}, ':');
  to = put_two(to, of_minute / std::uint32_t{ms_per_second}, '.');
  to = put_two(to, of_second / 10);
  to[0] = static_cast<char>('0' + of_second % 10);
  to[1] = 'Z';
  return to + 2;
}

} // namespace matchcloud::model
