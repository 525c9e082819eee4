#include "store/geoip/place_table.hpp"

#include <utility>

namespace matchcloud::store {

base::expected<place_table> place_table::read(std::span<const std::uint8_t> section,
                                              offset_set offsets) {
  place_table table;
  mmdb_record_reader reader{section};
  base::error failure;
  bool sound = true;
  offsets.filter([&](std::uint32_t offset) {
    if (!sound) return false;
    auto place = reader.read(offset);
    if (!place) {
      sound = false;
      failure = std::move(place.error());
      return false;
    }
    if (*place) table.add(**place);
    return place->has_value();
  });
  if (!sound) return tl::unexpected(std::move(failure));
  offsets.count();
  table.records_ = std::move(offsets);
  table.at_.shrink_to_fit();
  table.country_.shrink_to_fit();
  return table;
}

void place_table::add(const mmdb_place& place) {
  at_.push_back(place.at);
  if (place.is_exact()) {
    if (!country_.empty()) country_.push_back(0);
    return;
  }
  const auto countries = model::country_places();
  const auto number = static_cast<std::size_t>(place.country - countries.data()) + 1;
  country_.resize(at_.size());
  country_.back() = static_cast<std::uint8_t>(number);
}

std::optional<mmdb_place> place_table::find(std::uint32_t offset) const noexcept {
  const auto rank = records_.rank(offset);
  if (!rank) return std::nullopt;
  const auto country = country_.empty() ? std::size_t{0} : country_[*rank];
  return mmdb_place{at_[*rank], country == 0 ? nullptr : &model::country_places()[country - 1]};
}

std::size_t place_table::bytes() const noexcept {
  return records_.bytes() + at_.capacity() * sizeof(model::coordinates) + country_.capacity();
}

} // namespace matchcloud::store
