#pragma once

#include <string_view>

namespace matchcloud::fixtures {

inline bool contains(std::string_view text, std::string_view part) noexcept {
  return text.find(part) != text.npos;
}

} // namespace matchcloud::fixtures
