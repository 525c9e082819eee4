#pragma once

#include <string>
#include <string_view>

namespace matchcloud::load {

/// The page load/reports/page.html, which CMake makes a string. `{run}` stands for the JSON of a
/// run, which the page's script draws.
extern const std::string_view page_template;

/// A page about a run: one HTML file that needs no other files and no network. `run` is its JSON
/// report.
std::string html_page(std::string_view run);

} // namespace matchcloud::load
