#pragma once

#include "store/erasure_store.hpp"
#include "store/housekeeping/retention_report.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace matchcloud::store {

/// One JSON object: how much of a game has been erased, and whether the erasure has finished.
std::string json_of(const erasure& one);
/// `{"erasures":[..]}`
std::string json_of(const std::vector<erasure>& all);
/// `{"retention_days":30,"games":[..]}`; `overall` is the configured time.
std::string json_of(const std::vector<game_retention>& all, std::chrono::days overall);

} // namespace matchcloud::store
