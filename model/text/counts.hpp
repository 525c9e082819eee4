#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// A whole number with a comma between thousands: `12,345`.
inline std::string grouped(std::uint64_t number) {
  auto text = std::to_string(number);
  for (auto at = text.size(); at > 3; at -= 3)
    text.insert(at - 3, ",");
  return text;
}

/// `1 region`, `2 regions`.
inline std::string counted(std::uint64_t count, std::string_view noun) {
  return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

} // namespace matchcloud::model
