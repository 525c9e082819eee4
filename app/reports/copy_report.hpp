#pragma once

#include "store/copy/store_copy.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::app {

/// A named secret that both stores have after a copy.
struct copied_secret {
  std::string_view name;
  std::size_t versions = 0;
};

/// What both stores have after a copy.
struct copy_report {
  std::vector<store::copied_rows> tables;
  /// Empty: they were not requested.
  std::vector<copied_secret> secrets;
};

/// For people. Lines have at most `width` characters where possible; 0: any number.
std::string table_of(const copy_report& report, std::size_t width);
/// One JSON object in one line, with complete digests.
std::string json_of(const copy_report& report);

} // namespace matchcloud::app
