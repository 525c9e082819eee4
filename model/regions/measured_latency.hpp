#pragma once

#include "base/expected.hpp"
#include "model/json/json_document.hpp"

#include <cstddef>
#include <cstdint>
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

/// Reads an object whose members are regions' ids with milliseconds: `{"lon": 23.1, "fra": 31}`.
/// Returns them in ascending order of id. Appends sentences about what is wrong to `findings`, each
/// beginning with `path`, such as `players[3].latencies`; after ten, the rest are left out. Pure;
/// any thread.
std::vector<measured_latency> read_latencies(const json_document& in, const json_node& object,
                                             std::string_view path, std::string& findings);

/// Reads the body of a report, `{"latencies": {"lon": 23.1}}`. Fails as `json_document` does, or
/// with `query_invalid`, whose detail says everything that is wrong.
base::expected<std::vector<measured_latency>> read_latency_body(std::string_view body,
                                                                std::size_t depth_limit);

} // namespace matchcloud::model
