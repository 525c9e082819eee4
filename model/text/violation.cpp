#include "model/text/violation.hpp"

#include "model/text/counts.hpp"
#include "model/text/unicode.hpp"

#include <fmt/format.h>

namespace matchcloud::model {

std::string counted(std::uint64_t count, length_unit unit) {
  return counted(count, unit == length_unit::bytes ? "byte" : "character");
}

std::string counted_up_to(std::uint64_t most, length_unit unit) {
  return (most > 1 ? "1 to " : "") + counted(most, unit);
}

std::optional<violation> check_longest(std::string_view text, std::uint64_t most,
                                       length_unit unit) {
  // No text has more code points than bytes.
  if (text.size() <= most) return std::nullopt;
  const auto length = unit == length_unit::bytes ? text.size() : count_code_points(text);
  if (length <= most) return std::nullopt;
  return violation{"too-long",
                   fmt::format("has {}. Shorten it to at most {}.", counted(length, unit), most)};
}

} // namespace matchcloud::model
