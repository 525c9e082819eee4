#include "http/wire/query.hpp"

#include <algorithm>

namespace matchcloud::http {

query_parameter find_parameter(std::string_view query, std::string_view name) noexcept {
  query_parameter found;
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const auto part = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (part.substr(0, part.find('=')) != name) continue;
    if (found.value) {
      found.repeated = true;
      break;
    }
    found.value = part.substr(std::min(name.size() + 1, part.size()));
  }
  return found;
}

} // namespace matchcloud::http
