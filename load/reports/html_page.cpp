#include "load/reports/html_page.hpp"

namespace matchcloud::load {

std::string html_page(std::string_view run) {
  // In JSON, `<` is only in texts. Escaped there, it can neither end the element nor begin a
  // comment, in which the end of the element would count as text.
  std::string escaped;
  for (const char each : run)
    if (each == '<')
      escaped += "\\u003c";
    else
      escaped += each;
  constexpr std::string_view mark = "{run}";
  std::string page{page_template};
  return page.replace(page.find(mark), mark.size(), escaped);
}

} // namespace matchcloud::load
