#include "cli/duration.hpp"

#include "base/decimal.hpp"

#include <cstdint>

namespace matchcloud::cli {

namespace {

/// The unit that a letter stands for; 0 if it stands for none.
constexpr std::chrono::seconds unit_of(char letter) noexcept {
  switch (letter) {
  case 's': return std::chrono::seconds{1};
  case 'm': return std::chrono::minutes{1};
  case 'h': return std::chrono::hours{1};
  case 'd': return std::chrono::days{1};
  default: return {};
  }
}

} // namespace

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) noexcept {
  if (text == "0") return std::chrono::milliseconds{0};
  if (text.empty()) return std::nullopt;
  const auto unit = unit_of(text.back());
  text.remove_suffix(1);
  const auto count = base::parse_decimal<std::uint32_t>(text);
  if (unit.count() == 0 || !count || *count > duration_limit / unit) return std::nullopt;
  return *count * unit;
}

} // namespace matchcloud::cli
