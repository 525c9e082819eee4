#pragma once

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
query_parameter find_parameter(std::string_view query, std::string_view name) noexcept;

} // namespace matchcloud::http
