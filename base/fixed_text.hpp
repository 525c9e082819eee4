#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace matchcloud::base {

/// A text of at most `limit` bytes; longer text is cut. For signal handlers: it neither allocates
/// nor locks.
template <std::size_t limit>
class fixed_text {
public:
  constexpr fixed_text() = default;

  std::string_view view() const noexcept { return {bytes_.data(), size_}; }

  fixed_text& add(std::string_view text) noexcept {
    const auto count = std::min(text.size(), limit - size_);
    std::copy_n(text.data(), count, bytes_.data() + size_);
    size_ += count;
    return *this;
  }
  /// Adds leading zeros up to `least_digits`.
  fixed_text& add(std::uint64_t number, std::size_t least_digits = 1) noexcept {
    return add_number(number, 10, least_digits);
  }
  fixed_text& add_hexadecimal(std::uint64_t number) noexcept {
    return add("0x").add_number(number, 16, 1);
  }

private:
  fixed_text& add_number(std::uint64_t number, unsigned base, std::size_t least_digits) noexcept {
    std::array<char, 20> digits{};
    auto at = digits.size();
    do {
      digits[--at] = "0123456789abcdef"[number % base];
      number /= base;
    } while (at > 0 && (number > 0 || digits.size() - at < least_digits));
    return add({digits.data() + at, digits.size() - at});
  }

  std::array<char, limit> bytes_{};
  std::size_t size_ = 0;
};

/// The date and time in UTC for a number of seconds since 1970, without the locks of gmtime_r.
struct utc_time {
  explicit constexpr utc_time(std::uint64_t seconds) noexcept
      : hour{seconds / 3'600 % 24}, minute{seconds / 60 % 60}, second{seconds % 60} {
    using namespace std::chrono;
    const year_month_day date{sys_days{days{seconds / 86'400}}};
    year = static_cast<std::uint64_t>(static_cast<int>(date.year()));
    month = static_cast<unsigned>(date.month());
    day = static_cast<unsigned>(date.day());
  }

  std::uint64_t year = 0;
  std::uint64_t month = 0;
  std::uint64_t day = 0;
  std::uint64_t hour;
  std::uint64_t minute;
  std::uint64_t second;
};

} // namespace matchcloud::base
