#include "cli/duration.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace matchcloud::cli {

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text,
                                                       std::span<const duration_unit> units,
                                                       std::chrono::nanoseconds most) noexcept {
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || !(number >= 0)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  for (const auto& [name, length] : units) {
    // Unlike double, this is exact for whole numbers of any unit within the limits here.
    const auto ns = static_cast<long double>(number) * static_cast<long double>(length.count());
    if (text == name && ns <= static_cast<long double>(most.count()))
      return std::chrono::nanoseconds{std::llroundl(ns)};
  }
  return std::nullopt;
}

std::optional<std::chrono::milliseconds> parse_whole_duration(std::string_view text) noexcept {
  using namespace std::chrono;
  static constexpr std::array<duration_unit, 4> units{
      {{"s", 1s}, {"m", 1min}, {"h", 1h}, {"d", days{1}}}};
  if (text == "0") return milliseconds{0};
  // Neither decimals nor exponents.
  if (text.find_first_not_of("0123456789smhd") != std::string_view::npos) return std::nullopt;
  const auto found = parse_duration(text, units, duration_limit);
  return found ? std::optional{duration_cast<milliseconds>(*found)} : std::nullopt;
}

} // namespace matchcloud::cli
