#pragma once

#include "base/expected.hpp"
#include "model/json/json_document.hpp"
#include "model/regions/measured_latency.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::model {

/// Reads an object whose members are regions' ids with milliseconds: `{"lon": 23.1, "fra": 31}`.
/// `object` is the index of its node. Returns them in ascending order of id. Appends sentences
/// about what is wrong to `findings`, each beginning with `path`, such as `players[3].latencies`;
/// after ten, the rest are left out. Pure; any thread.
std::vector<measured_latency> read_latencies(const json_document& in, std::uint32_t object,
                                             std::string_view path, std::string& findings);

/// Reads the body of a report, `{"latencies": {"lon": 23.1}}`. Fails as `json_document` does, or
/// with `query_invalid`, whose detail says everything that is wrong.
base::expected<std::vector<measured_latency>> read_latency_body(std::string_view body,
                                                                std::size_t depth_limit);

} // namespace matchcloud::model
