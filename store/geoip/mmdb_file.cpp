#include "store/geoip/mmdb_file.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

namespace matchcloud::store {

namespace {

auto order_of(const mmdb_place& place) noexcept {
  return std::tuple{place.at.latitude, place.at.longitude, place.country_number, place.is_exact};
}

/// The numbers of the places of records. Adds each place once to `places`: many records differ only
/// in what is not needed here, such as the name of a district.
base::expected<std::vector<std::uint32_t>> read_places(mmdb_record_reader& reader,
                                                       std::span<const std::uint32_t> offsets,
                                                       std::vector<mmdb_place>& places) {
  std::vector<std::optional<mmdb_place>> of_records;
  of_records.reserve(offsets.size());
  for (const auto offset : offsets) {
    const auto place = reader.read_place(offset);
    if (!place) return tl::unexpected(place.error());
    of_records.push_back(*place);
    if (*place) places.push_back(**place);
  }
  std::ranges::sort(places, {}, order_of);
  const auto is_same = [](const auto& a, const auto& b) { return order_of(a) == order_of(b); };
  places.erase(std::unique(places.begin(), places.end(), is_same), places.end());
  std::vector<std::uint32_t> numbers;
  numbers.reserve(offsets.size());
  for (const auto& place : of_records) {
    if (!place) {
      numbers.push_back(0);
      continue;
    }
    const auto found = std::ranges::lower_bound(places, order_of(*place), {}, order_of);
    numbers.push_back(static_cast<std::uint32_t>(found - places.begin() + 1));
  }
  return numbers;
}

} // namespace

base::expected<std::shared_ptr<const mmdb_file>>
mmdb_file::open(const std::string& path, std::optional<std::uint64_t> corrupted_by) {
  const auto refuse = [&path](const base::error& why) {
    return base::fail(base::errc::geoip_invalid, path + ": " + why.detail);
  };
  const auto copy = sealed_file::copy(path, corrupted_by);
  if (!copy) return refuse(copy.error());
  auto file = std::make_shared<mmdb_file>();
  const wanted_records wanted{
      "coordinates or a known country; use a database of cities or countries (autonomous systems "
      "belong into geoip-asn)",
      [&](mmdb_record_reader& reader, std::span<const std::uint32_t> offsets) {
        return read_places(reader, offsets, file->places_);
      }};
  auto contents = read_mmdb(*copy, wanted);
  if (!contents) return refuse(contents.error());
  file->path_ = path;
  file->contents_ = *std::move(contents);
  return file;
}

std::optional<mmdb_place> mmdb_file::find(const model::ip_address& address) const noexcept {
  const auto number = find_number(address);
  if (number == 0) return std::nullopt;
  return places_[number - 1];
}

} // namespace matchcloud::store
