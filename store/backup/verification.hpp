#pragma once

#include "store/backup/finding.hpp"
#include "store/backup/store_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace matchcloud::store {

/// What was checked of a store or a backup, and what is wrong with it.
struct verification {
  /// The store's name, without a password, or the backup's folder.
  std::string name;
  std::vector<table_facts> tables;
  std::uint64_t images = 0;
  std::uint64_t exports = 0;
  findings found;
  /// What could not be checked, and why; empty if everything was.
  std::string left_out;

  /// How many of the findings are missing or damaged.
  std::size_t faults() const noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(
        found, [](const finding& each) { return each.is != finding::kind::unreferenced; }));
  }
};

} // namespace matchcloud::store
