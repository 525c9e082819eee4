#include "store/geoip.hpp"

#include "store/mmdb_file.hpp"
#include "store/mmdb_record.hpp"

#include <utility>

namespace matchcloud::store {

namespace {

class opened_geoip final : public geoip {
public:
  explicit opened_geoip(std::vector<std::shared_ptr<const mmdb_file>> files) noexcept
      : files_(std::move(files)) {}

  std::optional<model::coordinates>
  locate(const model::ip_address& address) const noexcept override {
    for (const auto& file : files_) {
      const auto offset = file->find(address);
      if (!offset) continue;
      if (const auto at = read_coordinates(file->data_section(), *offset)) return at;
    }
    return std::nullopt;
  }

private:
  std::vector<std::shared_ptr<const mmdb_file>> files_;
};

} // namespace

base::expected<std::shared_ptr<const geoip>> geoip::open(const std::vector<std::string>& files) {
  std::vector<std::shared_ptr<const mmdb_file>> opened;
  for (const auto& path : files) {
    auto file = mmdb_file::open(path);
    if (!file) return tl::unexpected{file.error()};
    opened.push_back(*std::move(file));
  }
  return of(std::move(opened));
}

std::shared_ptr<const geoip> geoip::of(std::vector<std::shared_ptr<const mmdb_file>> files) {
  return std::make_shared<const opened_geoip>(std::move(files));
}

} // namespace matchcloud::store
