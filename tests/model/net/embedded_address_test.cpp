#include "model/net/special_addresses.hpp"

#include "tests/catch.hpp"

#include <array>
#include <string>

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
