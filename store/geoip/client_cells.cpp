#include "store/geoip/client_cells.hpp"

#include <algorithm>
#include <array>

namespace matchcloud::store {

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
  std::array<std::uint32_t, geoip::at_once> asns{};
  std::ranges::fill(places.first(count), 0);
  if (in != nullptr) {
    in->find(addresses, places);
    in->asns(addresses, asns);
  }
  for (std::size_t i = 0; i < count; ++i) {
    cells[i] = {};
    cells[i].network = model::network_cell(looked_up(addresses[i]));
    if (asns[i] != 0) cells[i].asn = model::asn_cell(asns[i]);
    if (places[i] == 0) continue;
    cells[i].where = in->at(places[i]);
    cells[i].country = model::country_cell(in->country_of(places[i]));
  }
}

} // namespace matchcloud::store
