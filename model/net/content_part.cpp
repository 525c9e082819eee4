#include "model/net/content_part.hpp"

#include "base/decimal.hpp"

namespace matchcloud::model {

std::optional<content_part> parse_content_part(std::string_view value) noexcept {
  constexpr std::string_view unit = "bytes ";
  if (!value.starts_with(unit)) return std::nullopt;
  value.remove_prefix(unit.size());
  const auto dash = value.find('-');
  const auto slash = value.find('/');
  if (dash == std::string_view::npos || slash == std::string_view::npos || slash < dash)
    return std::nullopt;
  const auto number = base::parse_decimal<std::uint64_t>;
  const auto first = number(value.substr(0, dash));
  const auto last = number(value.substr(dash + 1, slash - dash - 1));
  const auto total = number(value.substr(slash + 1));
  if (!first || !last || !total || *last < *first || *last >= *total) return std::nullopt;
  return content_part{*first, *last + 1, *total};
}

} // namespace matchcloud::model
