#include "store/geoip/geoip.hpp"

#include "base/faults.hpp"
#include "model/net/special_addresses.hpp"
#include "store/geoip/source_files.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace matchcloud::store {

namespace {

class opened_geoip final : public geoip {
public:
  opened_geoip(std::vector<std::shared_ptr<const mmdb_file>> files,
               std::shared_ptr<const asn_file> asns)
      : asns_{std::move(asns)} {
    std::uint32_t before = 0;
    for (auto& file : files) {
      const auto places = static_cast<std::uint32_t>(file->places().size());
      files_.push_back({std::move(file), before});
      before += places;
    }
  }

  void find(std::span<const model::ip_address> addresses,
            std::span<std::uint32_t> numbers) const noexcept override {
    std::ranges::transform(addresses, numbers.begin(),
                           [this](const auto& each) { return find_one(each); });
  }

  model::coordinates at(std::uint32_t number) const noexcept override {
    return place_of(number).at;
  }

  std::string_view country_of(std::uint32_t number) const noexcept override {
    if (number == 0) return {};
    const auto* const country = place_of(number).country();
    return country == nullptr ? std::string_view{} : country->code;
  }

  void asns(std::span<const model::ip_address> addresses,
            std::span<std::uint32_t> numbers) const noexcept override {
    if (!asns_) {
      std::ranges::fill(numbers.first(addresses.size()), 0U);
      return;
    }
    std::ranges::transform(addresses, numbers.begin(),
                           [this](const auto& each) { return asns_->find(looked_up(each)); });
  }

  address_description describe(const model::ip_address& address) const override {
    address_description told;
    told.looked_up = looked_up(address);
    if (const auto number = geoip::find(address); number != 0) {
      told.at = at(number);
      told.is_exact = place_of(number).is_exact;
      told.country = country_of(number);
      told.file = file_of(number).file->path();
    }
    asns({&address, 1}, {&told.asn, 1});
    if (asns_) told.asn_file = asns_->path();
    return told;
  }

private:
  struct numbered_file {
    std::shared_ptr<const mmdb_file> file;
    /// How many places the preceding files have.
    std::uint32_t before = 0;
  };

  std::uint32_t find_one(const model::ip_address& address) const noexcept {
    if (base::faults::strike(base::fault_point::geoip_lookup).kind == base::fault_kind::error)
      return 0;
    const auto wanted = looked_up(address);
    std::uint32_t found = 0;
    for (const auto& [file, before] : files_) {
      const auto in_file = file->find_number(wanted);
      if (in_file == 0) continue;
      if (file->is_exact() || file->places()[in_file - 1].is_exact) return before + in_file;
      if (found == 0) found = before + in_file;
    }
    return found;
  }

  /// The file of a place by its number, which is not 0.
  const numbered_file& file_of(std::uint32_t number) const noexcept {
    return *std::ranges::find_if(files_, [number](const auto& each) {
      return number <= each.before + each.file->places().size();
    });
  }

  const mmdb_place& place_of(std::uint32_t number) const noexcept {
    const auto& of = file_of(number);
    return of.file->places()[number - of.before - 1];
  }

  std::vector<numbered_file> files_;
  std::shared_ptr<const asn_file> asns_;
};

} // namespace

model::ip_address looked_up(const model::ip_address& address) noexcept {
  if (address.is_v4()) return address;
  const auto inside = model::find_embedded_v4(address);
  return inside ? inside->v4 : address;
}

model::client_cells client_cells_of(const geoip* in, const model::ip_address& address) noexcept {
  model::client_cells cells;
  std::uint32_t place = 0;
  client_cells_of(in, {&address, 1}, {&cells, 1}, {&place, 1});
  return cells;
}

void client_cells_of(const geoip* in, std::span<const model::ip_address> addresses,
                     std::span<model::client_cells> cells,
                     std::span<std::uint32_t> places) noexcept {
  const auto count = addresses.size();
  std::ranges::fill(places.first(count), 0);
  if (in != nullptr) in->find(addresses, places);
  for (std::size_t i = 0; i < count; ++i) {
    cells[i] = {};
    cells[i].network = model::network_cell(looked_up(addresses[i]));
    if (places[i] != 0) cells[i].where = in->at(places[i]);
  }
}

std::shared_ptr<const geoip> geoip::of(std::vector<std::shared_ptr<const mmdb_file>> files,
                                       std::shared_ptr<const asn_file> asns) {
  return std::make_shared<const opened_geoip>(std::move(files), std::move(asns));
}

} // namespace matchcloud::store
