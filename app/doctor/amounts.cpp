#include "app/doctor/amounts.hpp"

#include <array>
#include <string_view>

namespace matchcloud::app {

std::string shown_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  for (; bytes >= 1'024 && unit + 1 < units.size(); ++unit)
    bytes /= 1'024;
  return std::to_string(bytes) + " " + std::string{units[unit]};
}

} // namespace matchcloud::app
