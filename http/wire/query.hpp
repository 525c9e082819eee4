#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

namespace matchcloud::http {

/// A parameter of a request's query (`name=value`, separated by `&`).
struct query_parameter {
  /// The value as written, not decoded; the first value if several parameters have this name,
  /// absent if none has.
  std::optional<std::string_view> value;
  /// The query has more than one parameter of this name.
  bool repeated = false;
};

/// Finds the parameter whose name is written exactly as `name`, without decoding. O(query).
inline query_parameter find_parameter(std::string_view query, std::string_view name) noexcept {
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
