#pragma once

#include "store/objects/object_audit.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace matchcloud::app {

/// The result of `matchcloud objects check`.
struct object_report {
  store::object_audit found;
  /// The age in hours from which objects were considered.
  std::uint64_t age_h = 0;
  /// How many objects and unfinished uploads were removed; empty without --remove.
  std::optional<std::size_t> removed;
};

/// For people. Lines have at most `width` characters where possible; 0: any number.
std::string table_of(const object_report& report, std::size_t width);
/// One JSON object in one line.
std::string json_of(const object_report& report);

} // namespace matchcloud::app
