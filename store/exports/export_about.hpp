#pragma once

#include "base/expected.hpp"
#include "store/export_facts.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// The content of an export's `about.json`.
struct export_about {
  export_facts facts;
  /// Size of the CSV: a file of another size is not the one that was finished.
  std::uint64_t csv_bytes = 0;

  friend bool operator==(const export_about&, const export_about&) = default;
};

/// An upper bound for the size of any `about.json`.
inline constexpr std::size_t about_limit_bytes = 4UL * 1024;

/// Fails with `store_failed`; `detail` says what is wrong with an export's files.
tl::unexpected<base::error> damaged_export(std::string detail);

/// Renders one JSON object on a line of its own.
std::string render_about(const export_about& about);

/// Parses `about.json` strictly: exactly the expected members, once each. Fails with
/// `store_failed`; the detail says what was expected where.
base::expected<export_about> parse_about(std::string_view text);

} // namespace matchcloud::store
