#pragma once

#include "model/catalog/catalog.hpp"

#include <span>
#include <string_view>

namespace matchcloud::model {

/// A place that stands for a country: its largest city or its capital, mostly.
struct country_place {
  /// ISO 3166-1 alpha-2, upper case.
  std::string_view code;
  coordinates at;
};

/// All of them, in ascending order of code; no more than 255.
std::span<const country_place> country_places() noexcept;

/// The country of an ISO 3166-1 alpha-2 code in any case, or of `UK` and `EL`, which the European
/// Union writes for GB and GR. Null for every other code (Kosovo's unofficial XK among them, which
/// zone.tab does not have). O(log countries).
const country_place* find_country(std::string_view code) noexcept;

} // namespace matchcloud::model
