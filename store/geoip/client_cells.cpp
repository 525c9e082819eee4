#include "store/geoip/client_cells.hpp"

#include <algorithm>

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
  std::ranges::fill(places.first(count), 0);
  if (in != nullptr) in->find(addresses, places);
  for (std::size_t i = 0; i < count; ++i) {
    cells[i] = {};
    cells[i].network = model::network_cell(looked_up(addresses[i]));
    if (places[i] != 0) cells[i].where = in->at(places[i]);
  }
}

} // namespace matchcloud::store
