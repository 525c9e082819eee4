#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

/// A table of text as HTML. The first row is its head; all columns but the first are numbers.
std::string html_table(const std::vector<std::vector<std::string>>& rows);
/// A table of names and their values.
std::string html_facts(const std::vector<std::vector<std::string>>& rows);
/// A part of a page: `picture` and, next to it if there is room, `numbers`.
std::string html_part(std::string_view title, const std::string& picture,
                      const std::string& numbers);
/// The whole page, which needs no other files and no scripts.
std::string html_page(std::string_view title, const std::string& body);

} // namespace matchcloud::load
