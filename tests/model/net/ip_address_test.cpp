#include "model/net/ip_address.hpp"

#include "tests/catch.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <rapidcheck.h>

namespace {

using namespace matchcloud::model;

std::string canonical(std::string_view text) {
  const auto address = parse_ip_address(text);
  return address ? to_string(*address) : "refused";
}

/// The C library's result; inet_pton needs a null-terminated string.
std::optional<ip_address> parse_by_libc(const std::string& text) {
  std::array<std::uint8_t, 16> bytes{};
  if (text.find('\0') != std::string::npos) return std::nullopt;
  if (inet_pton(AF_INET, text.c_str(), bytes.data()) == 1)
    return ip_address::from_v4(std::span{bytes}.first<4>());
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) return ip_address{bytes};
  return std::nullopt;
}

/// Addresses with many zero groups, so that `::` occurs in different positions.
rc::Gen<ip_address> any_address() {
  return rc::gen::map(
      rc::gen::container<std::array<std::uint8_t, 16>>(rc::gen::weightedOneOf<std::uint8_t>(
          {{3, rc::gen::just(std::uint8_t{0})}, {1, rc::gen::arbitrary<std::uint8_t>()}})),
      [](const auto& bytes) { return ip_address{bytes}; });
}

TEST_CASE("IPv4 is read in its one strict form") {
  CHECK(canonical("192.0.2.1") == "192.0.2.1");
  CHECK(canonical("0.0.0.0") == "0.0.0.0");
  CHECK(canonical("255.255.255.255") == "255.255.255.255");
  for (const auto* text : {"", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.04",
                           "1.2.3.", ".1.2.3", "1..2.3", " 1.2.3.4", "1.2.3.4 ", "0x1.2.3.4",
                           "1.2.3.-4", "1.2.3.4/8", "1.2.3.0004", "+1.2.3.4"})
    CHECK(canonical(text) == "refused");
  CHECK(canonical(std::string_view{"1.2.3.4\0", 8}) == "refused");
}

TEST_CASE("IPv6 is written as RFC 5952 demands") {
  CHECK(canonical("2001:0DB8:0:0:0:0:0:1") == "2001:db8::1");
  CHECK(canonical("2001:db8:0:1:1:1:1:1") == "2001:db8:0:1:1:1:1:1");
  CHECK(canonical("2001:0:0:1:0:0:0:1") == "2001:0:0:1::1");
  CHECK(canonical("2001:db8:0:0:1:0:0:1") == "2001:db8::1:0:0:1");
  CHECK(canonical("::") == "::");
  CHECK(canonical("::1") == "::1");
  CHECK(canonical("1::") == "1::");
  CHECK(canonical("1:2:3:4:5:6:7::") == "1:2:3:4:5:6:7:0");
  CHECK(canonical("::2:3:4:5:6:7:8") == "0:2:3:4:5:6:7:8");
  CHECK(canonical("64:ff9b::192.0.2.33") == "64:ff9b::c000:221");
}

TEST_CASE("What is not quite IPv6 is refused") {
  for (const auto* text :
       {":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3",
        "1:2:3:4:5:6:7:8::", "12345::", "::g", ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:", "fe80::1%eth0",
        "[::1]", "::1.2.3", "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4", "::01.2.3.4", "::1 "})
    CHECK(canonical(text) == "refused");
}

TEST_CASE("An IPv4-mapped IPv6 address is the IPv4 address") {
  CHECK(canonical("::ffff:192.0.2.1") == "192.0.2.1");
  CHECK(canonical("::FFFF:c000:0201") == "192.0.2.1");
  CHECK(parse_ip_address("::ffff:192.0.2.1")->is_v4());
  CHECK_FALSE(parse_ip_address("::192.0.2.1")->is_v4());
}

TEST_CASE("Loopback is 127/8 and ::1") {
  CHECK(parse_ip_address("127.0.0.1")->is_loopback());
  CHECK(parse_ip_address("127.255.0.9")->is_loopback());
  CHECK(parse_ip_address("::1")->is_loopback());
  CHECK(parse_ip_address("0.0.0.0")->is_unspecified());
  CHECK(parse_ip_address("::")->is_unspecified());
  CHECK(!parse_ip_address("0.0.0.1")->is_unspecified());
  CHECK(parse_ip_address("::ffff:127.0.0.1")->is_loopback());
  CHECK_FALSE(parse_ip_address("128.0.0.1")->is_loopback());
  CHECK_FALSE(parse_ip_address("::")->is_loopback());
  CHECK_FALSE(parse_ip_address("1::1")->is_loopback());
}

TEST_CASE("A block holds the addresses under its prefix") {
  const auto holds = [](std::string_view block, std::string_view address) {
    return parse_cidr(block).value().contains(parse_ip_address(address).value());
  };
  CHECK(holds("192.0.2.128/25", "192.0.2.255"));
  CHECK_FALSE(holds("192.0.2.128/25", "192.0.2.127"));
  CHECK(holds("0.0.0.0/0", "203.0.113.9"));
  CHECK_FALSE(holds("0.0.0.0/0", "2001:db8::1"));
  CHECK(holds("::/0", "2001:db8::1"));
  CHECK(holds("192.0.2.7", "192.0.2.7"));
  CHECK_FALSE(holds("192.0.2.7", "192.0.2.6"));
  CHECK(holds("10.0.0.0/8", "::ffff:10.1.2.3"));
}

TEST_CASE("The length of a prefix counts in 128 bits") {
  CHECK(parse_cidr("10.0.0.0/8")->prefix_length == 104);
  CHECK(parse_cidr("0.0.0.0/0")->prefix_length == 96);
  CHECK(parse_cidr("10.0.0.1")->prefix_length == 128);
  CHECK(parse_cidr("fd00::/8")->prefix_length == 8);
  CHECK(parse_cidr("::ffff:10.0.0.0/104")->prefix_length == 104);
}

TEST_CASE("A block with stray bits or a bad length is refused") {
  for (const auto* text : {"10.0.0.1/8", "10.0.0.0/33", "fd00::/129", "fd00::1/64", "10.0.0.0/",
                           "10.0.0.0/08", "10.0.0.0/+8", "10.0.0.0/8 ", "/8", "", "10.0.0.0/8/8",
                           "10.0.0.0/255.0.0.0", "10.0.0.0/-1", "10.0.0.0/0000"})
    CHECK_FALSE(parse_cidr(text).has_value());
}

TEST_CASE("An address survives being written and read") {
  REQUIRE(rc::check("round trip", [] {
    const auto address = *any_address();
    RC_ASSERT(parse_ip_address(to_string(address)) == address);
  }));
}

TEST_CASE("IPv6 is written as the C library writes it") {
  REQUIRE(rc::check("like inet_ntop", [] {
    const auto address = *any_address();
    // The C library writes the deprecated IPv4-compatible addresses with dots.
    RC_PRE(
        std::any_of(address.bytes.begin(), address.bytes.begin() + 12, [](auto b) { return b; }));
    RC_PRE(!address.is_v4());
    std::array<char, INET6_ADDRSTRLEN> text{};
    inet_ntop(AF_INET6, address.bytes.data(), text.data(), text.size());
    RC_ASSERT(to_string(address) == text.data());
  }));
}

TEST_CASE("Parsing agrees with the C library on any text") {
  REQUIRE(rc::check("like inet_pton", [] {
    const auto text = *rc::gen::container<std::string>(
        rc::gen::elementOf(std::string{"0123456789abcdefF:::::....g/% "}));
    RC_ASSERT(parse_ip_address(text) == parse_by_libc(text));
  }));
  REQUIRE(rc::check("like inet_pton, nearly right", [] {
    auto text = to_string(*any_address());
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    text[at] = *rc::gen::elementOf(std::string{"0:.f1g"});
    RC_ASSERT(parse_ip_address(text) == parse_by_libc(text));
  }));
}

TEST_CASE("A block holds exactly what agrees with it in its first bits") {
  REQUIRE(rc::check("contains", [] {
    const auto address = *any_address();
    const auto length = *rc::gen::inRange(0, 129);
    auto network = address;
    for (int bit = length; bit < 128; ++bit)
      network.bytes[static_cast<std::size_t>(bit / 8)] &=
          static_cast<std::uint8_t>(~(0x80 >> bit % 8));
    const cidr block{network, length};
    RC_ASSERT(block.contains(address));
    RC_PRE(length > 0);
    auto outside = address;
    const auto flipped = *rc::gen::inRange(0, length);
    outside.bytes[static_cast<std::size_t>(flipped / 8)] ^=
        static_cast<std::uint8_t>(0x80 >> flipped % 8);
    RC_ASSERT(!block.contains(outside));
  }));
}

} // namespace
