#pragma once

#include "base/expected.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::model {

/// A client measures at most so many regions in one request.
inline constexpr std::size_t measured_limit = 256;
/// Nobody waits longer for a ping.
inline constexpr double latency_limit_ms = 60'000;

/// What a client measured itself.
struct measured_latency {
  std::string region_id;
  /// 0 to `latency_limit_ms`.
  double milliseconds = 0;

  friend bool operator==(const measured_latency&, const measured_latency&) = default;
};

/// Reads `lon:23,fra:31.5`: region ids with milliseconds, whole or with a fraction. Empty text:
/// nothing is measured. In ascending order of id. Fails with `query_invalid`, naming the element
/// and what to write: no id, no number, beyond the limit, an id twice, more than `measured_limit`.
base::expected<std::vector<measured_latency>> read_measured_latencies(std::string_view text);

/// The order of a listing whose measured regions come first, by latency and among equals as they
/// were: `result[i]` is the place in `region_ids` of the one that comes i-th. `measured` in
/// ascending order of id. Empty where none of them is measured: then nothing changes.
std::vector<std::size_t> order_by_latency(std::span<const std::string_view> region_ids,
                                          std::span<const measured_latency> measured);

} // namespace matchcloud::model
