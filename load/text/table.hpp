#pragma once

#include "model/text/counts.hpp"

#include <string>
#include <vector>

namespace matchcloud::load {

using model::grouped;

/// A number per second for people, with at least three digits: `7.25`, `31.2`, `12,345`.
std::string rate_text(double rate);

/// Rows of cells as lines of text, in columns: the first one left-aligned, the others
/// right-aligned. All rows have as many cells as the first.
std::string columns(const std::vector<std::vector<std::string>>& rows);

} // namespace matchcloud::load
