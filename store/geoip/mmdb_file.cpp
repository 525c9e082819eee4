#include "store/geoip/mmdb_file.hpp"

#include "store/files/stable_file.hpp"

#include <utility>

namespace matchcloud::store {

base::expected<std::shared_ptr<const mmdb_file>>
mmdb_file::open(const std::string& path, std::optional<std::uint64_t> corrupted_by) {
  const auto refuse = [&path](const base::error& why) {
    return base::fail(base::errc::geoip_invalid, path + ": " + why.detail);
  };
  const auto bytes = stable_file::open(path, mmdb_limit_bytes, corrupted_by);
  if (!bytes) return refuse(bytes.error());
  auto file = std::make_shared<mmdb_file>();
  const wanted_records wanted{
      "coordinates or a known country; use a database of cities or countries (autonomous systems "
      "belong into geoip-asn)",
      [&](std::span<const std::uint8_t> section, offset_set offsets) {
        return read_places(section, std::move(offsets)).map([&](record_places&& read) {
          file->places_ = std::move(read.places);
          return std::move(read.numbers);
        });
      }};
  auto contents = read_mmdb(*bytes, wanted);
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
