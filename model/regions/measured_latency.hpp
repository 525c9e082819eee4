#pragma once

#include "base/expected.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::model {

/// The most regions that a client may report in one request.
inline constexpr std::size_t measured_limit = 256;
/// The highest latency that is accepted.
inline constexpr double latency_limit_ms = 60'000;

/// A latency that a client measured itself.
struct measured_latency {
  std::string region_id;
  /// 0 to `latency_limit_ms`.
  double milliseconds = 0;

  friend bool operator==(const measured_latency&, const measured_latency&) = default;
};

/// Reads `lon:23,fra:31.5`: region ids with milliseconds, whole or with a fraction. Returns them in
/// ascending order of id; empty text means that nothing was measured. Fails with `query_invalid`,
/// naming the element and what to use, for a missing id or number, a value beyond the limit, a
/// repeated id, or more than `measured_limit` elements.
base::expected<std::vector<measured_latency>> read_measured_latencies(std::string_view text);

/// The order of a listing with its measured regions first, by latency; equal ones keep their order.
/// `result[i]` is the index in `region_ids` of the i-th region. `measured` must be in
/// ascending order of id. Empty if none of the regions is measured: the order does not change.
std::vector<std::size_t> order_by_latency(std::span<const std::string_view> region_ids,
                                          std::span<const measured_latency> measured);

} // namespace matchcloud::model
