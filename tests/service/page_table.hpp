#pragma once

#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/whole_file.hpp"

#include <sstream>
#include <string>
#include <vector>

namespace matchcloud::e2e {

/// What the first column of a page's table names in backticks, such as all keys of
/// docs/configuration.md. The tables are the program's: tests/app/docs compares them.
inline std::vector<std::string> first_column(const std::string& page, const std::string& mark) {
  std::vector<std::string> found;
  std::istringstream lines{fixtures::read_whole(fixtures::source_path(page))};
  bool is_inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "<!-- " + mark + " -->") is_inside = true;
    if (line == "<!-- /" + mark + " -->") break;
    if (is_inside && line.starts_with("| `"))
      found.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  return found;
}

} // namespace matchcloud::e2e
