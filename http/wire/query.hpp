#pragma once

#include <optional>
#include <string_view>

namespace matchcloud::http {

/// A parameter of a request's query (`name=value`, separated by `&`).
struct query_parameter {
  /// As written, not decoded; absent: there is none of this name. Of several the first.
  std::optional<std::string_view> value;
  /// It is there more than once.
  bool repeated = false;
};

/// Finds the parameter `name`, written as it is. O(query).
query_parameter find_parameter(std::string_view query, std::string_view name) noexcept;

} // namespace matchcloud::http
