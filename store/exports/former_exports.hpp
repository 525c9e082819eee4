#pragma once

#include "store/database.hpp"

#include <cstdint>
#include <string>

namespace matchcloud::store {

/// Adopts the exports of versions that had no records of those in a data directory, but wrote
/// `exports/EXPORT_ID/about.json`, `lobby-history.csv` and `lobby-history.csv.gz`: gives the files
/// their present names and adds a record, so that their URLs stay valid. Removes those that are
/// damaged or have expired at `now_ts` (milliseconds since 1970). A failure is logged, and the next
/// start tries again. Several processes may try at the same time, and may be killed.
void adopt_former_exports(const std::string& data_dir, database& in, std::int64_t now_ts);

} // namespace matchcloud::store
