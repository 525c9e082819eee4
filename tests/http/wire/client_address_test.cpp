#include "http/wire/client_address.hpp"

#include "http/wire/request.hpp"
#include "tests/catch.hpp"

#include <rapidcheck.h>
#include <string>

namespace {

using namespace matchcloud;
using http::forwarded_header;

model::ip_address address(std::string_view text) {
  return model::parse_ip_address(text).value();
}

http::proxy_trust trusting(forwarded_header header) {
  return {{model::parse_cidr("10.0.0.0/8").value(), model::parse_cidr("fd00::/8").value()}, header};
}

constexpr std::string_view proxy = "10.0.0.1";

std::string by_x(std::string_view list, std::string_view peer = proxy) {
  return to_string(
      http::client_address(address(peer), list, {}, trusting(forwarded_header::x_forwarded_for)));
}

std::string by_forwarded(std::string_view list, std::string_view peer = proxy) {
  return to_string(
      http::client_address(address(peer), {}, list, trusting(forwarded_header::forwarded)));
}

std::string by_both(std::string_view x_forwarded_for, std::string_view forwarded) {
  return to_string(http::client_address(address(proxy), x_forwarded_for, forwarded,
                                        trusting(forwarded_header::automatic)));
}

/// Hostile text made of the tokens that the grammars treat specially.
rc::Gen<std::string> hostile_text() {
  return rc::gen::map(
      rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(std::vector<std::string>{
          "\"", "\\",  ",",   ";",    "=",       "for",      "for=", "for=\"",    "[",
          "]",  ":",   " ",   "\t",   "1.2.3.4", "10.0.0.9", "::1",  "[fd00::1]", "unknown",
          "_x", "443", "by=", "\x80", "\n",      "%",        "é"})),
      [](const auto& pieces) {
        std::string text;
        for (const auto& piece : pieces)
          text += piece;
        return text;
      });
}

rc::Gen<model::ip_address> any_public_v4() {
  return rc::gen::map(
      rc::gen::container<std::array<std::uint8_t, 3>>(rc::gen::arbitrary<std::uint8_t>()),
      [](const auto& low) {
        const std::array<std::uint8_t, 4> octets{203, low[0], low[1], low[2]};
        return model::ip_address::from_v4(octets);
      });
}

TEST_CASE("The right-most untrusted address of X-Forwarded-For is the client") {
  CHECK(by_x("203.0.113.7") == "203.0.113.7");
  CHECK(by_x(" 203.0.113.7\t") == "203.0.113.7");
  CHECK(by_x("198.51.100.1, 203.0.113.7") == "203.0.113.7");
  CHECK(by_x("203.0.113.7, 10.0.0.3, 10.0.0.2") == "203.0.113.7");
  CHECK(by_x("203.0.113.7,10.0.0.3,fd00::5") == "203.0.113.7");
  CHECK(by_x("2001:db8::1") == "2001:db8::1");
}

TEST_CASE("An element of X-Forwarded-For may have brackets and a port") {
  CHECK(by_x("203.0.113.7:4711") == "203.0.113.7");
  CHECK(by_x("[2001:db8::1]") == "2001:db8::1");
  CHECK(by_x("[2001:db8::1]:4711") == "2001:db8::1");
  CHECK(by_x("::ffff:203.0.113.7") == "203.0.113.7");
  CHECK(by_x("203.0.113.7, 10.0.0.3:80") == "203.0.113.7");
}

TEST_CASE("White space, case and notation of an address do not matter") {
  CHECK(by_x("\t203.0.113.7 ,\t10.0.0.3\t,  10.0.0.2") == "203.0.113.7");
  CHECK(by_x("2001:DB8::ABCD") == "2001:db8::abcd");
  CHECK(by_x("2001:0db8:0000:0000:0000:0000:0000:0001") == "2001:db8::1");
  CHECK(by_x("[2001:DB8::1]:443, 10.0.0.2") == "2001:db8::1");
  CHECK(by_forwarded("FOR=\"[2001:DB8::1]\" , For=10.0.0.2") == "2001:db8::1");
  CHECK(by_forwarded("\tfor=203.0.113.7 ;\tproto=https\t,\tfor=10.0.0.2 ") == "203.0.113.7");
}

TEST_CASE("An IPv4 address in IPv6 notation is the same address") {
  for (const std::string mapped : {"::ffff:203.0.113.7", "::FFFF:cb00:7107",
                                   "0:0:0:0:0:ffff:203.0.113.7", "[::ffff:203.0.113.7]:80"})
    CHECK(by_x(mapped) == "203.0.113.7");
  CHECK(by_x("203.0.113.7, ::ffff:10.0.0.3, [::ffff:a00:2]:80") == "203.0.113.7");
  CHECK(by_forwarded("for=203.0.113.7, for=\"[::ffff:10.0.0.2]:80\"") == "203.0.113.7");
  // Other IPv6 forms that embed four octets are distinct addresses.
  CHECK(by_x("203.0.113.7, ::10.0.0.2") == "::a00:2");
}

TEST_CASE("Any port is let pass, and no more than a port") {
  for (const std::string port : {"0", "80", "00080", "65535"}) {
    CHECK(by_x("203.0.113.7:" + port) == "203.0.113.7");
    CHECK(by_forwarded("for=\"[2001:db8::1]:" + port + "\"") == "2001:db8::1");
  }
  for (const std::string port :
       {"", "000080", "65536", "99999", "+80", "-1", "8 0", "0x50", "http"}) {
    INFO(port);
    CHECK(by_x("203.0.113.7:" + port) == proxy);
    CHECK(by_forwarded("for=\"[2001:db8::1]:" + port + "\"") == proxy);
  }
}

TEST_CASE("Whom to trust is told by blocks of either family") {
  const auto trust = trusting(forwarded_header::automatic);
  for (const auto* text : {"10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3", "fd00::", "fdff::1"})
    CHECK(http::is_trusted(address(text), trust));
  for (const auto* text : {"9.255.255.255", "11.0.0.0", "::10.0.0.1", "fc00::1", "fe00::", "::"})
    CHECK(!http::is_trusted(address(text), trust));
  CHECK(!http::is_trusted(address("10.0.0.1"), {}));
}

TEST_CASE("Garbage stops the walk at the last trusted hop") {
  for (const auto* garbage : {"x",
                              "_hidden",
                              "fe80::1%25eth0",
                              "[fe80::1%eth0]:80",
                              "2001:db8::1:",
                              "1.2.3",
                              "203.0.113.7;",
                              "203.0.113.7 :80",
                              "203.0.113.7: 80",
                              "[ 2001:db8::1 ]",
                              "::ffff:1.2.3",
                              "2001:db8::1/64",
                              "0xcb007107",
                              "3405803783",
                              "http://203.0.113.7",
                              "client.example",
                              "\xc3\xa9",
                              "203.0.113.7\x7f",
                              "unknown",
                              "203.0.113.7:",
                              "203.0.113.7:65536",
                              "203.0.113.7:_p",
                              "[203.0.113.7]",
                              "[2001:db8::1",
                              "2001:db8::1]",
                              "[2001:db8::1]4711",
                              "[]",
                              "[]:1",
                              "203.0.113.07",
                              "203.0.113.7 10.0.0.9",
                              "fe80::1%eth0",
                              "\"203.0.113.7\"",
                              "for=203.0.113.7"}) {
    CHECK(by_x(garbage) == proxy);
    CHECK(by_x(std::string{"203.0.113.7, "} + garbage + ", 10.0.0.2") == "10.0.0.2");
  }
}

TEST_CASE("Empty elements are skipped, wherever they are") {
  CHECK(by_x("203.0.113.7,") == "203.0.113.7");
  CHECK(by_x("203.0.113.7, , 10.0.0.2") == "203.0.113.7");
  CHECK(by_x("203.0.113.7, ,") == "203.0.113.7");
  CHECK(by_x("203.0.113.7,\t,10.0.0.2,10.0.0.3") == "203.0.113.7");
  CHECK(by_x(",203.0.113.7") == "203.0.113.7");
  CHECK(by_x("198.51.100.1,,203.0.113.7,,") == "203.0.113.7");
  CHECK(by_forwarded("for=203.0.113.7,,for=10.0.0.2") == "203.0.113.7");
  CHECK(by_forwarded("for=203.0.113.7 , \t, ") == "203.0.113.7");
  CHECK(by_forwarded("for=198.51.100.1,,for=\"203.0.113.7\",,for=10.0.0.2,") == "203.0.113.7");
  CHECK(by_forwarded(",for=203.0.113.7") == "203.0.113.7");
  CHECK(by_both(",", "for=203.0.113.7") == "203.0.113.7");
  CHECK(by_both("203.0.113.7", " , ") == "203.0.113.7");
}

TEST_CASE("A list of empty elements alone names nobody") {
  CHECK(by_x(",") == proxy);
  CHECK(by_x(" , ,\t") == proxy);
  CHECK(by_forwarded(",,,") == proxy);
  CHECK(by_both(",", ", ,") == proxy);
}

TEST_CASE("An element that is there and names no client stops the walk") {
  CHECK(by_x("203.0.113.7, unknown,,10.0.0.2") == "10.0.0.2");
  CHECK(by_forwarded("for=203.0.113.7, proto=https") == proxy);
  CHECK(by_forwarded("for=203.0.113.7, proto=https,,") == proxy);
  CHECK(by_forwarded("for=203.0.113.7, ;,") == proxy);
  CHECK(by_forwarded(";") == proxy);
}

TEST_CASE("Several lines are one list, as the framer joins them") {
  http::request got;
  got.append(http::header::x_forwarded_for, "198.51.100.1");
  got.append(http::header::x_forwarded_for, "203.0.113.7");
  got.append(http::header::x_forwarded_for, "10.0.0.2, 10.0.0.3");
  CHECK(by_x(got.get(http::header::x_forwarded_for)) == "203.0.113.7");
  // A client's header line must neither swallow its proxy's line nor replace it.
  for (const auto* line : {"", "for=\"", "for=\"\\", "for=1.2.3.4,", ",", "\""}) {
    http::request forged;
    forged.append(http::header::forwarded, line);
    forged.append(http::header::forwarded, "for=203.0.113.7");
    CHECK(by_forwarded(forged.get(http::header::forwarded)) == "203.0.113.7");
  }
}

TEST_CASE("Where all are trusted the left-most is the client") {
  CHECK(by_x("10.0.0.9, 10.0.0.8") == "10.0.0.9");
  CHECK(by_forwarded("for=10.0.0.9, for=10.0.0.8") == "10.0.0.9");
}

TEST_CASE("Without the header the peer is the client") {
  CHECK(by_x("") == proxy);
  CHECK(by_x(" \t ") == proxy);
  CHECK(by_forwarded("") == proxy);
  CHECK(by_both("", " ") == proxy);
}

TEST_CASE("Forwarded is read as RFC 7239 writes it") {
  CHECK(by_forwarded("for=203.0.113.7") == "203.0.113.7");
  CHECK(by_forwarded("For=\"203.0.113.7\"") == "203.0.113.7");
  CHECK(by_forwarded("for=192.0.2.60;proto=http;by=203.0.113.43") == "192.0.2.60");
  CHECK(by_forwarded("proto=http;FOR=192.0.2.60") == "192.0.2.60");
  CHECK(by_forwarded("For=\"[2001:db8:cafe::17]:4711\"") == "2001:db8:cafe::17");
  CHECK(by_forwarded("for=\"[2001:db8::1]\"") == "2001:db8::1");
  CHECK(by_forwarded("for=\"203.0.113.7:80\"") == "203.0.113.7");
  CHECK(by_forwarded("for=\"203.0.113.7:_Port-1.x\"") == "203.0.113.7");
  CHECK(by_forwarded("for=198.51.100.17, for=203.0.113.7, for=10.0.0.2") == "203.0.113.7");
  CHECK(by_forwarded(";for=203.0.113.7; proto=https;") == "203.0.113.7");
}

TEST_CASE("Quoted strings in Forwarded may hold separators and escapes") {
  CHECK(by_forwarded("for=203.0.113.7;ext=\"a,b;for=1.2.3.4\", for=10.0.0.2") == "203.0.113.7");
  CHECK(by_forwarded("for=203.0.113.7;ext=\"\\\",for=1.2.3.4\"") == "203.0.113.7");
  CHECK(by_forwarded("for=203.0.113.7;ext=\"x\\\\\", for=10.0.0.2") == "203.0.113.7");
  CHECK(by_forwarded("for=\"\\[2001:db8::\\1]:\\8\\0\"") == "2001:db8::1");
}

TEST_CASE("Forwarded that hides or mangles the client stops at the last trusted hop") {
  for (const auto* element : {"for=unknown",
                              "for=\"unknown:80\"",
                              "for=_hidden",
                              "for=_SEVKISEK",
                              "for=",
                              "for",
                              "=x",
                              "for=203.0.113.7;for=203.0.113.7",
                              "for=203.0.113.7:80",
                              "for=[2001:db8::1]",
                              "for=\"2001:db8::1\"",
                              "for=\"[2001:db8::1\"",
                              "for=\"203.0.113.7:_\"",
                              "for=\"203.0.113.7",
                              "for=203.0.113.7\"",
                              "for=\"203.0.113.7\"x",
                              "for =203.0.113.7",
                              "for= 203.0.113.7",
                              "for=203.0.113.7 proto=http",
                              "by=203.0.113.7",
                              "203.0.113.7",
                              "for=\" 203.0.113.7\"",
                              "for=\"203.0.113.7\\\"",
                              "for=203.0.113.7;=",
                              "for=\"[203.0.113.7]\""}) {
    INFO(element);
    CHECK(by_forwarded(element) == proxy);
    CHECK(by_forwarded(std::string{element} + ", for=10.0.0.2") == "10.0.0.2");
  }
}

TEST_CASE("A node whose escapes are endless is garbage") {
  std::string node;
  for (int i = 0; i < 300; ++i)
    node += "\\1";
  CHECK(by_forwarded("for=\"" + node + "\"") == proxy);
  // The beginning of an invalid element is not taken as an address either.
  const std::string port(300, 'p');
  CHECK(by_forwarded("for=\"203.0.113.7:_" + port + "\"") == "203.0.113.7");
  CHECK(by_forwarded("for=\"\\203.0.113.7:_" + port + "\"") == proxy);
}

TEST_CASE("In automatic mode either header counts, and the peer if they disagree") {
  CHECK(by_both("203.0.113.7", "") == "203.0.113.7");
  CHECK(by_both("", "for=203.0.113.7") == "203.0.113.7");
  CHECK(by_both("203.0.113.7", "for=203.0.113.7") == "203.0.113.7");
  CHECK(by_both("1.1.1.1, 203.0.113.7", "for=\"203.0.113.7:1\"") == "203.0.113.7");
  CHECK(by_both("203.0.113.7", "for=198.51.100.1") == proxy);
  CHECK(by_both("203.0.113.7", "for=unknown") == proxy);
  CHECK(by_both("203.0.113.7, 10.0.0.2", "for=198.51.100.1, for=10.0.0.2") == proxy);
}

TEST_CASE("A named header leaves the other unread") {
  const auto peer = address(proxy);
  const auto x_only = trusting(forwarded_header::x_forwarded_for);
  const auto forwarded_only = trusting(forwarded_header::forwarded);
  CHECK(http::client_address(peer, "", "for=203.0.113.7", x_only) == peer);
  CHECK(http::client_address(peer, "203.0.113.7", "", forwarded_only) == peer);
  CHECK(http::client_address(peer, "203.0.113.7", "for=1.2.3.4", x_only) == address("203.0.113.7"));
}

TEST_CASE("A peer that is no trusted proxy cannot change the result") {
  CHECK(by_x("1.2.3.4", "203.0.113.7") == "203.0.113.7");
  CHECK(by_forwarded("for=1.2.3.4", "2001:db8::1") == "2001:db8::1");
  REQUIRE(rc::check("any headers", [] {
    const auto peer = *any_public_v4();
    const auto header = *rc::gen::element(forwarded_header::automatic, forwarded_header::forwarded,
                                          forwarded_header::x_forwarded_for);
    const auto found =
        http::client_address(peer, *hostile_text(), *hostile_text(), trusting(header));
    RC_ASSERT(found == peer);
  }));
}

TEST_CASE("Text left of the proxy's element never counts") {
  CHECK(by_x("1.2.3.4, 10.0.0.9, 203.0.113.7") == "203.0.113.7");
  CHECK(by_forwarded("for=\", for=203.0.113.7") == "203.0.113.7");
  CHECK(by_forwarded("for=\"\\, for=203.0.113.7") == "203.0.113.7");
}

TEST_CASE("The header or connection that an address comes from is named") {
  const auto source = [](forwarded_header which, std::string_view x, std::string_view forwarded) {
    const auto trust = trusting(which);
    const auto client = http::client_address(address(proxy), x, forwarded, trust);
    return http::client_address_source(address(proxy), client, x, trust);
  };
  using enum forwarded_header;
  const std::string_view one = "203.0.113.7";
  const std::string_view for_one = "for=203.0.113.7";
  CHECK(source(automatic, "", "") == "connection");
  CHECK(source(automatic, one, "") == "X-Forwarded-For");
  CHECK(source(automatic, "", for_one) == "Forwarded");
  CHECK(source(automatic, one, for_one) == "X-Forwarded-For");
  // They disagree, so the proxy itself is the client.
  CHECK(source(automatic, one, "for=203.0.113.8") == "connection");
  CHECK(source(x_forwarded_for, one, for_one) == "X-Forwarded-For");
  CHECK(source(x_forwarded_for, "", for_one) == "connection");
  CHECK(source(forwarded, one, for_one) == "Forwarded");
  CHECK(source(forwarded, one, "") == "connection");
}

/// An address of a trusted proxy or a client, in one of the notations that proxies use.
std::string spelled_for_x(const std::string& text) {
  return *rc::gen::element(text, text + ":4711", "::ffff:" + text, "[::ffff:" + text + "]:80",
                           " " + text + "\t");
}

std::string spelled_for_forwarded(const std::string& text) {
  return *rc::gen::element("for=" + text, "FOR=\"" + text + "\"", "for=\"" + text + ":4711\"",
                           "For=\"[::ffff:" + text + "]:_p\"", "proto=https;for=" + text + ";by=_x",
                           "by=\"a,b;\\\"for=1.2.3.4\"; for=\"\\" + text + "\" ");
}

TEST_CASE("Any text left of the client is ignored, for any notation of proxies") {
  REQUIRE(rc::check("any chain behind any text", [] {
    const auto client = to_string(*any_public_v4());
    const auto prefix = *rc::gen::oneOf(hostile_text(), rc::gen::string<std::string>());
    std::string x = prefix;
    std::string forwarded = prefix;
    const auto add = [&](const std::string& hop) {
      x += "," + spelled_for_x(hop);
      forwarded += "," + spelled_for_forwarded(hop);
    };
    add(client);
    for (int hops = *rc::gen::inRange(0, 4); hops > 0; --hops)
      add("10.0.0." + std::to_string(hops));
    RC_ASSERT(by_x(x) == client);
    RC_ASSERT(by_forwarded(forwarded) == client);
    RC_ASSERT(by_both(x, forwarded) == client);
  }));
}

TEST_CASE("Forging the other header hides a client behind its proxy at most") {
  // Only in automatic mode: configuring the proxy's header ignores the other.
  REQUIRE(rc::check("the other header", [] {
    const auto client = to_string(*any_public_v4());
    const auto forged = *hostile_text();
    const auto by_x_proxy = by_both(client, forged);
    const auto by_forwarded_proxy = by_both(forged, "for=" + client);
    RC_ASSERT(by_x_proxy == client || by_x_proxy == proxy);
    RC_ASSERT(by_forwarded_proxy == client || by_forwarded_proxy == proxy);
  }));
}

} // namespace
