#pragma once

#include "http/wire/header_characters.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace matchcloud::http {

/// Takes the part before `mark` and the mark itself off `rest`. Returns the part without the blanks
/// around it.
constexpr std::string_view take_until(std::string_view& rest, char mark) noexcept {
  const auto end = std::min(rest.find(mark), rest.size());
  const auto part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return trim_blanks(part);
}

/// Takes the next element off the front of a comma-separated list, without the blanks around it;
/// nothing at the end of the list. Empty elements are skipped (RFC 9110 section 5.6.1.2). For lists
/// whose elements contain no commas, quoted or not. Entity tags have a reader of their own
/// (`conditional.cpp`), and so does `Forwarded`, which is read from its end.
constexpr std::optional<std::string_view> take_element(std::string_view& list) noexcept {
  while (!list.empty())
    if (const auto element = take_until(list, ','); !element.empty()) return element;
  return std::nullopt;
}

} // namespace matchcloud::http
