#pragma once

#include "model/lobbies/export_query.hpp"
#include "model/text/uuid.hpp"

#include <cstdint>

namespace matchcloud::store {

/// Facts about a finished export.
struct export_facts {
  model::uuid export_id;
  model::export_query query;
  /// The time, in milliseconds since 1970, when the last of its links expires; afterwards any
  /// process may remove the export.
  std::int64_t keep_until_ts = 0;

  friend bool operator==(const export_facts&, const export_facts&) = default;
};

} // namespace matchcloud::store
