#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

/// A table of text as HTML. The first row is its head; all columns but the first are numbers.
std::string html_table(const std::vector<std::vector<std::string>>& rows);
/// A table of names and what they are.
std::string html_facts(const std::vector<std::vector<std::string>>& rows);
/// A part of a page: `picture` and beside it, where there is room, `numbers`.
std::string html_part(std::string_view title, const std::string& picture,
                      const std::string& numbers);
/// The whole page, which needs no other file and no script.
std::string html_page(std::string_view title, const std::string& body);

} // namespace matchcloud::load
