#include "model/net/special_addresses.hpp"

#include "tests/catch.hpp"

#include <array>
#include <rapidcheck.h>
#include <string>

using namespace matchcloud::model;

namespace {

struct registry_row {
  const char* block;
  bool globally_reachable;
};

// IANA's special-purpose registries row by row, as of 2025-10-09, plus multicast and unassigned
// ranges. Rows for addresses that embed others have a separate test.
constexpr registry_row registry[] = {
    {"0.0.0.0/8", false},       {"10.0.0.0/8", false},       {"100.64.0.0/10", false},
    {"127.0.0.0/8", false},     {"169.254.0.0/16", false},   {"172.16.0.0/12", false},
    {"192.0.0.0/29", false},    {"192.0.0.8/32", false},     {"192.0.0.9/32", true},
    {"192.0.0.10/32", true},    {"192.0.0.170/31", false},   {"192.0.0.128/25", false},
    {"192.0.2.0/24", false},    {"192.31.196.0/24", true},   {"192.52.193.0/24", true},
    {"192.88.99.0/24", false},  {"192.168.0.0/16", false},   {"192.175.48.0/24", true},
    {"198.18.0.0/15", false},   {"198.51.100.0/24", false},  {"203.0.113.0/24", false},
    {"224.0.0.0/4", false},     {"240.0.0.0/4", false},      {"255.255.255.255/32", false},
    {"::/128", false},          {"::1/128", false},          {"::/96", false},
    {"64:ff9b:1::/48", false},  {"100::/64", false},         {"100:0:0:1::/64", false},
    {"200::/7", false},         {"1000::/4", false},         {"2001::/32", false},
    {"2001:1::/128", false},    {"2001:1::1/128", true},     {"2001:1::2/128", true},
    {"2001:1::3/128", true},    {"2001:1::4/128", false},    {"2001:2::/48", false},
    {"2001:3::/32", true},      {"2001:4:111::/48", false},  {"2001:4:112::/48", true},
    {"2001:4:113::/48", false}, {"2001:10::/28", false},     {"2001:20::/28", true},
    {"2001:30::/28", true},     {"2001:40::/26", false},     {"2001:100::/24", false},
    {"2001:200::/23", true},    {"2001:db8::/32", false},    {"2400::/12", true},
    {"2600::/12", true},        {"2620:4f:8000::/48", true}, {"3fff::/20", false},
    {"4000::/3", false},        {"5f00::/16", false},        {"8000::/1", false},
    {"fc00::/7", false},        {"fe80::/10", false},        {"fec0::/10", false},
    {"ff00::/8", false},
};

ip_address last_of(const cidr& block) {
  auto last = block.network;
  for (int bit = block.prefix_length; bit < 128; ++bit)
    last.bytes[static_cast<std::size_t>(bit / 8)] |= static_cast<std::uint8_t>(0x80 >> bit % 8);
  return last;
}

bool is_reachable(std::string_view text) {
  return is_globally_reachable(parse_ip_address(text).value());
}

} // namespace

TEST_CASE("both ends of every special block are judged as IANA registers them") {
  for (const auto& row : registry) {
    INFO(row.block);
    const auto block = parse_cidr(row.block).value();
    CHECK(is_globally_reachable(block.network) == row.globally_reachable);
    CHECK(is_globally_reachable(last_of(block)) == row.globally_reachable);
  }
}

TEST_CASE("the neighbours of closed blocks are open") {
  for (const auto* text : {"1.0.0.0",
                           "9.255.255.255",
                           "11.0.0.0",
                           "100.63.255.255",
                           "100.128.0.0",
                           "126.255.255.255",
                           "128.0.0.0",
                           "169.253.255.255",
                           "169.255.0.0",
                           "172.15.255.255",
                           "172.32.0.0",
                           "191.255.255.255",
                           "192.0.1.0",
                           "192.0.3.0",
                           "192.88.98.255",
                           "192.88.100.0",
                           "192.167.255.255",
                           "192.169.0.0",
                           "198.17.255.255",
                           "198.20.0.0",
                           "198.51.99.255",
                           "198.51.101.0",
                           "203.0.112.255",
                           "203.0.114.0",
                           "223.255.255.255",
                           "2000::",
                           "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                           "2001:200::",
                           "2001:db7:ffff::",
                           "2001:db9::",
                           "2003::",
                           "3ffe:ffff::",
                           "3fff:1000::",
                           "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"}) {
    INFO(text);
    CHECK(is_reachable(text));
  }
}

TEST_CASE("property: an address that stands for another is judged as that one") {
  REQUIRE(rc::check([] {
    const auto row = *rc::gen::elementOf(std::vector(std::begin(registry), std::end(registry)));
    auto v4 = *rc::gen::arbitrary<std::array<std::uint8_t, 4>>();
    const auto block = parse_cidr(row.block).value();
    if (*rc::gen::arbitrary<bool>() && block.network.is_v4())
      std::copy(block.network.bytes.end() - 4, block.network.bytes.end(), v4.begin());
    const auto mapped = ip_address::from_v4(v4);
    auto nat64 = parse_ip_address("64:ff9b::").value();
    std::copy(v4.begin(), v4.end(), nat64.bytes.end() - 4);
    auto six_to_four = parse_ip_address("2002:0:0:1::1").value();
    std::copy(v4.begin(), v4.end(), six_to_four.bytes.begin() + 2);
    RC_ASSERT(is_globally_reachable(nat64) == is_globally_reachable(mapped));
    RC_ASSERT(is_globally_reachable(six_to_four) == is_globally_reachable(mapped));
  }));
}

TEST_CASE("what is embedded in Teredo and IPv4-compatible addresses opens neither") {
  CHECK_FALSE(is_reachable("2001:0:808:808::f7f7:f7f7"));
  CHECK_FALSE(is_reachable("::8.8.8.8"));
  CHECK_FALSE(is_reachable("64:ff9b:1::8.8.8.8"));
}

namespace matchcloud::model {
namespace {

/// The embedded address, such as `6to4 192.0.2.1`; empty if there is none.
std::string inside(std::string_view text) {
  const auto found = find_embedded_v4(*parse_ip_address(text));
  constexpr std::array names{"6to4 ", "NAT64 ", "Teredo "};
  return found ? names[static_cast<std::size_t>(found->way)] + to_string(found->v4) : std::string{};
}

TEST_CASE("The IPv4 address is found where each transition mechanism keeps it") {
  CHECK(inside("2002:c000:201::") == "6to4 192.0.2.1");
  CHECK(inside("2002:c000:201:1:2:3:4:5") == "6to4 192.0.2.1");
  CHECK(inside("64:ff9b::192.0.2.1") == "NAT64 192.0.2.1");
  // Teredo server 65.54.227.120 and port 40000; the client's 3fff:fdd2 is c000:022d inverted.
  CHECK(inside("2001:0:4136:e378:8000:63bf:3fff:fdd2") == "Teredo 192.0.2.45");
}

TEST_CASE("Other addresses carry none") {
  for (const auto* text : {"192.0.2.1", "::ffff:192.0.2.1", "::192.0.2.1", "2001:db8::1",
                           "2001:1::1", "2003::1", "64:ff9b:1::192.0.2.1", "64:ff9b::1:0:0", "::1"})
    CHECK(inside(text).empty());
}

} // namespace
} // namespace matchcloud::model
