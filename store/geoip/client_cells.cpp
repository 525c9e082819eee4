#include "store/geoip/client_cells.hpp"

namespace matchcloud::store {

model::client_cells client_cells_of(const geoip* in, const model::ip_address& address) noexcept {
  model::client_cells cells;
  cells.network = model::network_cell(looked_up(address));
  if (in == nullptr) return cells;
  if (const auto number = in->find(address); number != 0) {
    cells.where = in->at(number);
    cells.country = model::country_cell(in->country_of(number));
  }
  std::uint32_t asn = 0;
  in->asns({&address, 1}, {&asn, 1});
  if (asn != 0) cells.asn = model::asn_cell(asn);
  return cells;
}

} // namespace matchcloud::store
