#include "model/catalog/parse_coordinates.hpp"

#include <charconv>
#include <system_error>

namespace matchcloud::model {

namespace {

bool read_degrees(std::string_view text, double& into) noexcept {
  const auto* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, into);
  return status == std::errc{} && stop == end;
}

} // namespace

std::optional<coordinates> parse_coordinates(std::string_view latitude,
                                             std::string_view longitude) noexcept {
  coordinates at;
  const bool are_numbers =
      read_degrees(latitude, at.latitude) && read_degrees(longitude, at.longitude);
  return are_numbers && is_on_earth(at) ? std::optional{at} : std::nullopt;
}

} // namespace matchcloud::model
