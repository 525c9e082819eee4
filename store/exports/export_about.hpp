#pragma once

#include "base/expected.hpp"
#include "model/lobbies/export_query.hpp"
#include "model/text/uuid.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// What is kept beside a finished export.
struct export_facts {
  model::uuid export_id;
  model::export_query query;
  /// Milliseconds since 1970. No URL of it lives longer; then anybody may remove it.
  std::int64_t keep_until_ts = 0;

  friend bool operator==(const export_facts&, const export_facts&) = default;
};

/// What an export's `about.json` says.
struct export_about {
  export_facts facts;
  /// Of the CSV: a file of another size is not the one that was finished.
  std::uint64_t csv_bytes = 0;

  friend bool operator==(const export_about&, const export_about&) = default;
};

/// More than any `about.json` has.
inline constexpr std::size_t about_limit_bytes = 4UL * 1024;

/// One JSON object in a line of its own.
std::string render_about(const export_about& about);

/// Reads it strictly: these members, once each, and no others. Fails with `store_failed`; the
/// detail says what was expected where.
base::expected<export_about> parse_about(std::string_view text);

} // namespace matchcloud::store
