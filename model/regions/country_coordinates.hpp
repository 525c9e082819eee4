#pragma once

#include "model/catalog/catalog.hpp"

#include <span>
#include <string_view>

namespace matchcloud::model {

/// A place that represents a country: usually its largest city or its capital.
struct country_place {
  /// ISO 3166-1 alpha-2, upper case.
  std::string_view code;
  coordinates at;
};

/// All places, in ascending order of code; at most 255.
std::span<const country_place> country_places() noexcept;

/// The place of an ISO 3166-1 alpha-2 code in any case, or of `UK` and `EL`, which the European
/// Union writes for GB and GR. Null for all other codes, including Kosovo's unofficial XK, which
/// zone.tab does not have. O(log countries).
const country_place* find_country(std::string_view code) noexcept;

} // namespace matchcloud::model
