#include "http/wire/proxy_header.hpp"

#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/framer_law.hpp"
#include "tests/fixtures/proxy_header_bytes.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <rapidcheck.h>

namespace matchcloud::http {
namespace {

using namespace fixtures;

const std::string behind = "GET / HTTP/1.1\r\n";

/// The result for `header` followed by a request: `VERDICT at CONSUMED`. Checks that every split
/// gives the same.
std::string verdict(const std::string& header) {
  REQUIRE(proxy_header_law::check(header) == "");
  const auto input = header + behind;
  const auto whole = proxy_header_law::run(input, [&] { return input.size(); });
  for (std::size_t cut = 1; cut < input.size(); ++cut) {
    bool first = true;
    const auto halves = proxy_header_law::run(
        input, [&] { return std::exchange(first, false) ? cut : input.size(); });
    INFO("cut at " << cut);
    REQUIRE(halves == whole);
  }
  return whole;
}

/// Checks that the header is consumed exactly and means `meaning`.
void check_taken(const std::string& header, const std::string& meaning) {
  CAPTURE(header);
  CHECK(verdict(header) == meaning + " at " + std::to_string(header.size()));
}

/// Checks that the header is refused with a message that contains `why`.
void check_refused(const std::string& header, const std::string& why) {
  CAPTURE(header);
  const auto got = verdict(header);
  CHECK(got.starts_with("request_malformed: This listener expects a PROXY protocol header"));
  INFO(got);
  CHECK(contains(got, why));
}

TEST_CASE("version 1 names a TCP client", "[proxy_header]") {
  check_taken("PROXY TCP4 192.0.2.7 10.0.0.1 56324 443\r\n", "192.0.2.7");
  check_taken("PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n", "255.255.255.255");
  check_taken("PROXY TCP4 1.1.1.1 2.2.2.2 0 0\r\n", "1.1.1.1");
  check_taken("PROXY TCP6 2001:db8::1 2001:DB8::2 56324 443\r\n", "2001:db8::1");
  check_taken("PROXY TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff "
              "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n",
              "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
  // A proxy with one IPv4 and one IPv6 end writes both addresses as IPv6.
  check_taken("PROXY TCP6 ::ffff:192.0.2.7 2001:db8::2 1 2\r\n", "192.0.2.7");
}

TEST_CASE("version 1 may not know its client, whatever else it says", "[proxy_header]") {
  check_taken("PROXY UNKNOWN\r\n", "unknown client");
  check_taken("PROXY UNKNOWN \r\n", "unknown client");
  check_taken("PROXY UNKNOWN anything: \x80  at all\r\n", "unknown client");
  check_taken("PROXY UNKNOWN ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff "
              "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n",
              "unknown client");
}

TEST_CASE("version 1 is taken as it is specified only", "[proxy_header]") {
  const std::string good = " 192.0.2.7 10.0.0.1 1 2\r\n";
  for (const std::string protocol : {"TCP", "TCP5", "tcp4", "UDP4", "UNKNOWNX", "unknown", ""})
    check_refused("PROXY " + protocol + good, "protocol '" + protocol + "'");
  check_refused("PROXY \r\n", "protocol ''");
  check_refused("PROXY  TCP4" + good, "protocol ''");
  for (const std::string rest :
       {"TCP4", "TCP4 ", "TCP4 192.0.2.7", "TCP4 192.0.2.7 10.0.0.1 1", "TCP4 192.0.2.7 10.0.0.1",
        "TCP4  192.0.2.7 10.0.0.1 1 2", "TCP4 192.0.2.7  10.0.0.1 1 2",
        "TCP4 192.0.2.7 10.0.0.1 1 2 ", "TCP4 192.0.2.7 10.0.0.1 1 2 3",
        "TCP4\t192.0.2.7\t10.0.0.1\t1\t2"})
    check_refused("PROXY " + rest + "\r\n",
                  rest.find('\t') == rest.npos ? "one space" : "protocol");

  for (const std::string source : {"192.0.2", "192.0.2.256", "192.0.2.07", "localhost", "1.2.3.4:5",
                                   "2001:db8::1", "::ffff:192.0.2.7", "0x7f.0.0.1", "192.0.2.7/32"})
    check_refused("PROXY TCP4 " + source + " 10.0.0.1 1 2\r\n", "the source '" + source + "'");
  for (const std::string source :
       {"192.0.2.7", "[2001:db8::1]", "2001:db8::1%eth0", "2001:db8:::1", "2001:db8::g", "12345::"})
    check_refused("PROXY TCP6 " + source + " 2001:db8::2 1 2\r\n", "the source '" + source + "'");
  check_refused("PROXY TCP4 192.0.2.7 2001:db8::2 1 2\r\n", "the destination '2001:db8::2'");
  check_refused("PROXY TCP6 2001:db8::2 192.0.2.7 1 2\r\n", "the destination '192.0.2.7'");

  for (const std::string port : {"65536", "00", "01", "+1", "-1", "1x", "", "1.0", "99999999999"}) {
    check_refused("PROXY TCP4 192.0.2.7 10.0.0.1 " + port + " 2\r\n", "the port '" + port + "'");
    check_refused("PROXY TCP4 192.0.2.7 10.0.0.1 2 " + port + "\r\n", "the port '" + port + "'");
  }
}

TEST_CASE("version 1 ends in CRLF, within 107 bytes", "[proxy_header]") {
  check_refused("PROXY TCP4 192.0.2.7 10.0.0.1 1 2\n", "CRLF");
  check_refused("PROXY TCP4 192.0.2.7 10.0.0.1 1 2\r", "CRLF");
  check_refused("PROXY TCP4 192.0.2.7 10.0.0.1 1 2\r\r\n", "CRLF");
  check_refused("PROXY UNKNOWN\n", "CRLF");
  check_refused("PROXY UNKNOWN a\rb\r\n", "CRLF");
  const auto unknown = [](std::size_t whole) {
    const std::string beginning = "PROXY UNKNOWN ";
    return beginning + std::string(whole - beginning.size() - 2, 'x') + "\r\n";
  };
  check_taken(unknown(proxy_line_limit_bytes), "unknown client");
  check_refused(unknown(proxy_line_limit_bytes + 1), "more than 107 bytes");
  check_refused(std::string{"PROXY "} + std::string(10'000, ' '), "more than 107 bytes");
}

TEST_CASE("a refusal names the first wrong byte of a PROXY header", "[proxy_header]") {
  const auto first_wrong = [](const std::string& input) {
    return proxy_header_law::run(input, [&] { return input.size(); });
  };
  check_refused("GET / HTTP/1.1\r\n", "got 'G'.");
  check_refused("POST / HTTP/1.1\r\n", "got 'PO'.");
  check_refused("PROXY\r\n", "got byte 0x0D at position 5.");
  check_refused("proxy TCP4 192.0.2.7 10.0.0.1 1 2\r\n", "got 'p'.");
  check_refused(" PROXY UNKNOWN\r\n", "got ' '.");
  check_refused("\x16\x03\x01", "got byte 0x16 at position 0.");
  check_refused("\r\nGET / HTTP/1.1\r\n", "got byte 0x47 at position 2.");
  check_refused(std::string(1, '\0'), "got byte 0x00 at position 0.");
  CHECK(first_wrong("POST /").ends_with(" at 2"));
}

TEST_CASE("version 2 names a TCP client", "[proxy_header]") {
  check_taken(proxy_v2("192.0.2.7", "10.0.0.1"), "192.0.2.7");
  check_taken(proxy_v2("2001:db8::1", "2001:db8::2"), "2001:db8::1");
  const std::string mapped(16, '\0');
  check_taken(proxy_block(0x21, 0x21,
                          std::string(10, '\0') + "\xff\xff" + network_bytes("192.0.2.7") + mapped +
                              "abcd"),
              "192.0.2.7");
}

TEST_CASE("the TLVs of version 2 are skipped, up to a limit", "[proxy_header]") {
  const auto with = [](std::size_t tlvs) {
    return proxy_v2("192.0.2.7", "10.0.0.1", std::string(tlvs, '\x04'));
  };
  check_taken(proxy_v2("2001:db8::1", "2001:db8::2", {"\x02\x00\x07host.eu", 10}), "2001:db8::1");
  check_taken(with(1), "192.0.2.7");
  // Split byte by byte only: trying every split of several thousand bytes is slow.
  for (const auto& [tlvs, end] : {std::pair{proxy_block_limit_bytes - 12, "192.0.2.7 at 4112"},
                                  {proxy_block_limit_bytes - 11, "4097 bytes after"},
                                  {std::size_t{65'535 - 12}, "65535 bytes after"}}) {
    const auto header = with(tlvs);
    CHECK(proxy_header_law::check(header) == "");
    CHECK(contains(proxy_header_law::run(header, [&] { return header.size(); }), end));
  }
}

TEST_CASE("LOCAL of version 2 is the proxy's own connection, whatever else it says",
          "[proxy_header]") {
  check_taken(proxy_block(0x20, 0x00, ""), "no client");
  check_taken(proxy_block(0x20, 0x11, network_bytes("192.0.2.7") + "12345678"), "no client");
  check_taken(proxy_block(0x20, 0x11, "short"), "no client");
  check_taken(proxy_block(0x20, 0xff, "of no family"), "no client");
}

TEST_CASE("version 2 may not know its client", "[proxy_header]") {
  check_taken(proxy_block(0x21, 0x00, ""), "unknown client");
  check_taken(proxy_block(0x21, 0x00, "\x04\x01"), "unknown client");
  check_taken(proxy_block(0x21, 0x01, ""), "unknown client");
  check_taken(proxy_block(0x21, 0x31, std::string(216, 's')), "unknown client");
  check_taken(proxy_block(0x21, 0x32, std::string(300, 's')), "unknown client");
  // Protocols other than TCP name no client of this service.
  check_taken(proxy_block(0x21, 0x12, std::string(12, 'a')), "unknown client");
  check_taken(proxy_block(0x21, 0x22, std::string(36, 'a')), "unknown client");
  check_taken(proxy_block(0x21, 0x10, std::string(12, 'a')), "unknown client");
}

TEST_CASE("version 2 is taken as it is specified only", "[proxy_header]") {
  for (const unsigned version : {0U, 1U, 3U, 15U})
    check_refused(proxy_block(static_cast<std::uint8_t>(version << 4 | 1), 0x11, "x"),
                  "version " + std::to_string(version));
  for (const unsigned command : {2U, 3U, 15U})
    check_refused(proxy_block(static_cast<std::uint8_t>(0x20 | command), 0x11, "x"),
                  "the command " + std::to_string(command));
  for (const unsigned family : {4U, 15U})
    check_refused(proxy_block(0x21, static_cast<std::uint8_t>(family << 4 | 1), "x"),
                  "the address family " + std::to_string(family));
  for (const unsigned transport : {3U, 15U})
    check_refused(proxy_block(0x21, static_cast<std::uint8_t>(0x10 | transport), "x"),
                  "the transport " + std::to_string(transport));
  check_refused(proxy_block(0x21, 0x11, std::string(11, 'a')), "IPv4 addresses take 12");
  check_refused(proxy_block(0x21, 0x21, std::string(35, 'a')), "IPv6 addresses take 36");
  check_refused(proxy_block(0x21, 0x31, std::string(215, 'a')), "AF_UNIX addresses take 216");
  auto other = proxy_v2("192.0.2.7", "10.0.0.1");
  other[8] = 'q';
  check_refused(other, "got byte 0x71 at position 8.");
}

TEST_CASE("the cut law holds for the corpus of PROXY headers", "[proxy_header]") {
  const std::filesystem::path folder = fixtures::source_path("tests/fuzz/corpus/proxy_header");
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) {
    INFO(entry.path());
    std::ifstream in{entry.path(), std::ios::binary};
    const std::string input{std::istreambuf_iterator<char>{in}, {}};
    REQUIRE(proxy_header_law::check(input) == "");
    ++count;
  }
  CHECK(count > 0);
}

TEST_CASE("the cut law holds for random pieces of PROXY headers", "[proxy_header]") {
  const auto pieces =
      rc::gen::elementOf(std::vector<std::string>{"PROXY ",
                                                  "PROXY TCP4 ",
                                                  "PROXY TCP6 ",
                                                  "PROXY UNKNOWN",
                                                  "TCP4",
                                                  " ",
                                                  "192.0.2.7",
                                                  "::1",
                                                  "443",
                                                  "0",
                                                  "\r\n",
                                                  "\r",
                                                  "\n",
                                                  std::string{proxy_signature},
                                                  std::string{proxy_signature} + "\x21\x11",
                                                  std::string{"\x00\x0c", 2},
                                                  std::string(12, 'a'),
                                                  "\x20",
                                                  "\x21",
                                                  std::string(1, '\0'),
                                                  "\xff"});
  REQUIRE(rc::check([&] {
    std::string input;
    for (const auto& text : *rc::gen::container<std::vector<std::string>>(pieces))
      input += text;
    RC_ASSERT(proxy_header_law::check(input) == "");
  }));
}

TEST_CASE("whatever a proxy writes well is read as it was written", "[proxy_header]") {
  REQUIRE(rc::check([] {
    const auto bytes =
        *rc::gen::container<std::array<std::uint8_t, 32>>(rc::gen::arbitrary<std::uint8_t>());
    model::ip_address source;
    model::ip_address destination;
    std::copy_n(bytes.begin(), 16, source.bytes.begin());
    std::copy_n(bytes.begin() + 16, 16, destination.bytes.begin());
    RC_PRE(!source.is_v4() && !destination.is_v4());
    const auto from = to_string(source);
    const auto to = to_string(destination);
    const auto line = "PROXY TCP6 " + from + " " + to + " " +
                      std::to_string(*rc::gen::arbitrary<std::uint16_t>()) + " 443\r\n";
    const auto block = proxy_v2(from, to, *rc::gen::string<std::string>());
    for (const auto& header : {line, block}) {
      const auto input = header + behind;
      RC_ASSERT(proxy_header_law::run(input, [&] { return input.size(); }) ==
                from + " at " + std::to_string(header.size()));
    }
  }));
}

} // namespace
} // namespace matchcloud::http
