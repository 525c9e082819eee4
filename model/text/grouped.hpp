#pragma once

#include <cstdint>
#include <string>

namespace matchcloud::model {

/// A whole number with a comma between thousands: `12,345`.
inline std::string grouped(std::uint64_t number) {
  auto text = std::to_string(number);
  for (auto at = text.size(); at > 3; at -= 3)
    text.insert(at - 3, ",");
  return text;
}

} // namespace matchcloud::model
