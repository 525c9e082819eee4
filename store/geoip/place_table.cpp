#include "store/geoip/place_table.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace matchcloud::store {

namespace {

auto order_of(const mmdb_place& place) noexcept {
  return std::tuple{!place.is_exact, place.at.latitude, place.at.longitude, place.country_number};
}

} // namespace

place_table::place_table(const std::vector<mmdb_place>& places) {
  at_.reserve(places.size());
  for (const auto& place : places) {
    at_.push_back(place.at);
    if (place.is_exact) ++exact_count_;
  }
  const auto has_country = [](const auto& place) { return place.country_number != 0; };
  if (std::ranges::none_of(places, has_country)) return;
  country_numbers_.reserve(places.size());
  for (const auto& place : places)
    country_numbers_.push_back(place.country_number);
}

std::size_t place_table::bytes() const noexcept {
  return at_.capacity() * sizeof(model::coordinates) + country_numbers_.capacity();
}

base::expected<record_places> read_places(std::span<const std::uint8_t> section,
                                          offset_set offsets) {
  mmdb_record_reader reader{section};
  auto of_records = read_records<mmdb_place>(
      offsets, [&](std::uint32_t offset) { return reader.read_place(offset); });
  if (!of_records) return tl::unexpected(std::move(of_records).error());

  // Many records differ only in what is not needed here, such as the name of a district.
  std::vector<std::uint32_t> sorted(of_records->size());
  std::iota(sorted.begin(), sorted.end(), 0U);
  std::ranges::sort(sorted, {}, [&](auto record) { return order_of((*of_records)[record]); });
  std::vector<std::uint32_t> numbers(of_records->size());
  std::vector<mmdb_place> different;
  different.reserve(of_records->size()); // only once: memory is committed as it is written
  for (const auto record : sorted) {
    const auto& place = (*of_records)[record];
    if (different.empty() || order_of(different.back()) != order_of(place))
      different.push_back(place);
    numbers[record] = static_cast<std::uint32_t>(different.size());
  }
  std::vector<mmdb_place>{}.swap(*of_records);
  std::vector<std::uint32_t>{}.swap(sorted);
  return record_places{place_table{different},
                       record_numbers{std::move(offsets), std::move(numbers)}};
}

} // namespace matchcloud::store
