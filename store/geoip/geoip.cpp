#include "store/geoip/geoip.hpp"

#include "base/faults.hpp"
#include "model/net/embedded_address.hpp"
#include "store/geoip/mmdb_file.hpp"

#include <cstddef>
#include <utility>

namespace matchcloud::store {

namespace {

class opened_geoip final : public geoip {
public:
  explicit opened_geoip(std::vector<std::shared_ptr<const mmdb_file>> files) noexcept
      : files_(std::move(files)) {}

  std::optional<model::coordinates>
  locate(const model::ip_address& address) const noexcept override {
    const auto hit = base::faults::strike(base::fault_point::geoip_lookup);
    if (hit.kind == base::fault_kind::error) return std::nullopt;
    const auto found = locate_in(files_, address);
    return found ? std::optional{found->place.at} : std::nullopt;
  }

private:
  std::vector<std::shared_ptr<const mmdb_file>> files_;
};

} // namespace

model::ip_address looked_up(const model::ip_address& address) noexcept {
  if (address.is_v4()) return address;
  const auto inside = model::find_embedded_v4(address);
  return inside ? inside->v4 : address;
}

std::optional<located_address> locate_in(std::span<const std::shared_ptr<const mmdb_file>> files,
                                         const model::ip_address& address) noexcept {
  const auto wanted = looked_up(address);
  std::optional<located_address> found;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto place = files[i]->find(wanted);
    if (!place) continue;
    if (place->is_exact()) return located_address{*place, i};
    if (!found) found = located_address{*place, i};
  }
  return found;
}

std::shared_ptr<const geoip> geoip::of(std::vector<std::shared_ptr<const mmdb_file>> files) {
  return std::make_shared<const opened_geoip>(std::move(files));
}

} // namespace matchcloud::store
