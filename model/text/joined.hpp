#pragma once

#include <string>
#include <string_view>

namespace matchcloud::model {

inline std::string joined(const auto& texts, std::string_view separator = ", ") {
  std::string all;
  for (const auto& each : texts)
    all.append(all.empty() ? std::string_view{} : separator).append(each);
  return all;
}

} // namespace matchcloud::model
