#include "store/geoip.hpp"

#include "store/mmdb_file.hpp"
#include "store/mmdb_record.hpp"

#include <utility>

namespace matchcloud::store {

namespace {

/// Above the offset in a key stands the file.
constexpr int key_file_shift = 40;

class opened_geoip final : public geoip {
public:
  explicit opened_geoip(std::vector<std::shared_ptr<const mmdb_file>> files) noexcept
      : files_(std::move(files)) {}

  geo_location locate(const model::ip_address& address) const noexcept override {
    std::uint64_t number = 0;
    for (const auto& file : files_) {
      ++number;
      const auto offset = file->find(address);
      const auto at = offset ? read_coordinates(file->data_section(), *offset) : std::nullopt;
      if (at) return {(number << key_file_shift) + *offset, at};
    }
    return {};
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
