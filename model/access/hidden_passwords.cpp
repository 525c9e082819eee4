#include "model/access/hidden_passwords.hpp"

#include <algorithm>
#include <string_view>

namespace matchcloud::model {

std::string hide_passwords(std::string text) {
  constexpr std::string_view ends = " \t\r\n\"',()<>";
  constexpr std::string_view hidden = "***";
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    const auto end = std::min(text.find_first_of(ends, begin), text.size());
    auto word = std::string_view{text}.substr(begin, end - begin);
    // The last `@`, because a password may contain one, too.
    const auto at = word.rfind('@');
    if (at == word.npos) {
      begin = end;
      continue;
    }
    word = word.substr(0, at);
    const auto scheme = word.find("://");
    const auto from = scheme == word.npos ? 0 : scheme + 3;
    if (word.find(':', from) == word.npos) {
      begin = end;
      continue;
    }
    text.replace(begin + from, at - from, hidden);
    begin = std::min(text.find_first_of(ends, begin), text.size());
  }
  return text;
}

} // namespace matchcloud::model
