#include "store/geoip/geoip.hpp"

#include "base/faults.hpp"
#include "model/net/embedded_address.hpp"
#include "store/geoip/mmdb_file.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace matchcloud::store {

namespace {

class opened_geoip final : public geoip {
public:
  explicit opened_geoip(std::vector<std::shared_ptr<const mmdb_file>> files) {
    std::uint32_t before = 0;
    for (auto& file : files) {
      const auto places = static_cast<std::uint32_t>(file->places().size());
      files_.push_back({std::move(file), before});
      before += places;
    }
  }

  std::uint32_t find(const model::ip_address& address) const noexcept override {
    const auto hit = base::faults::strike(base::fault_point::geoip_lookup);
    if (hit.kind == base::fault_kind::error) return 0;
    const auto wanted = looked_up(address);
    std::uint32_t found = 0;
    for (const auto& [file, before] : files_) {
      const auto number = file->find_number(wanted);
      if (number == 0) continue;
      if (file->places().is_exact(number - 1)) return before + number;
      if (found == 0) found = before + number;
    }
    return found;
  }

  model::coordinates at(std::uint32_t number) const noexcept override {
    const auto of = std::ranges::find_if(files_, [number](const auto& each) {
      return number <= each.before + each.file->places().size();
    });
    return of->file->places()[number - of->before - 1].at;
  }

private:
  struct numbered_file {
    std::shared_ptr<const mmdb_file> file;
    /// How many places the files before it have.
    std::uint32_t before = 0;
  };

  std::vector<numbered_file> files_;
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
