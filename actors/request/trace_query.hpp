#pragma once

#include "base/expected.hpp"
#include "model/text/uuid.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::actors {

/// Returns a parameter of a request's query string by its name; empty if it is absent.
using query_parameters = std::function<std::string(std::string_view name)>;

/// Reads a parameter that is a whole number; nothing if it is absent. Throws a `base::failure` with
/// `query_invalid`; the detail names the `unit`.
std::optional<std::int64_t> read_number(const query_parameters& of, std::string_view name,
                                        std::int64_t least, std::int64_t most,
                                        std::string_view unit);

/// Selects kept traces.
struct trace_query {
  /// Empty: any.
  std::string operation;
  std::optional<int> status;
  std::chrono::milliseconds slower_than{0};
  std::optional<model::uuid> game_id;
  /// Empty: any.
  std::string request_id;
};

/// Reads `operation`, `status`, `slower_than_ms`, `game_id` and `request_id`. Fails with
/// `query_invalid`.
base::expected<trace_query> read_trace_query(const query_parameters& of);

} // namespace matchcloud::actors
