#include "store/geoip/place_table.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace matchcloud::store {

namespace {

auto order_of(const mmdb_place& place) noexcept {
  return std::tuple{place.at.latitude, place.at.longitude, place.country};
}

} // namespace

place_table::place_table(const std::vector<mmdb_place>& places) {
  const auto countries = model::country_places();
  at_.reserve(places.size());
  for (const auto& place : places) {
    at_.push_back(place.at);
    if (place.is_exact()) {
      if (!country_.empty()) country_.push_back(0);
      continue;
    }
    country_.resize(at_.size());
    country_.back() = static_cast<std::uint8_t>(place.country - countries.data() + 1);
  }
  country_.shrink_to_fit();
}

mmdb_place place_table::operator[](std::size_t number) const noexcept {
  const auto country = country_.empty() ? std::size_t{0} : country_[number];
  return {at_[number], country == 0 ? nullptr : &model::country_places()[country - 1]};
}

std::size_t place_table::bytes() const noexcept {
  return at_.capacity() * sizeof(model::coordinates) + country_.capacity();
}

base::expected<record_places> record_places::read(std::span<const std::uint8_t> section,
                                                  offset_set offsets) {
  std::vector<mmdb_place> of_records;
  of_records.reserve(offsets.size());
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
    if (*place) of_records.push_back(**place);
    return place->has_value();
  });
  if (!sound) return tl::unexpected(std::move(failure));

  // Many records differ only in what is not needed here, such as the name of a district.
  std::vector<std::uint32_t> sorted(of_records.size());
  std::iota(sorted.begin(), sorted.end(), 0U);
  std::ranges::sort(sorted, {}, [&](auto record) { return order_of(of_records[record]); });
  record_places made;
  made.numbers_.resize(of_records.size());
  std::vector<mmdb_place> different;
  different.reserve(of_records.size()); // no more than once: memory is taken as it is written to
  for (const auto record : sorted) {
    const auto& place = of_records[record];
    if (different.empty() || order_of(different.back()) != order_of(place))
      different.push_back(place);
    made.numbers_[record] = static_cast<std::uint32_t>(different.size() - 1);
  }
  std::vector<mmdb_place>{}.swap(of_records);
  std::vector<std::uint32_t>{}.swap(sorted);
  made.places_ = place_table{different};
  offsets.count();
  made.records_ = std::move(offsets);
  return made;
}

std::optional<std::uint32_t> record_places::find(std::uint32_t offset) const noexcept {
  const auto rank = records_.rank(offset);
  if (!rank) return std::nullopt;
  return numbers_[*rank];
}

} // namespace matchcloud::store
