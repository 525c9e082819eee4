#include "model/net/url_host.hpp"

#include "model/net/ascii_host.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

using namespace matchcloud::model;
using namespace std::string_view_literals;

namespace {

/// The parsed address or name.
std::string read(std::string_view text) {
  const auto host = parse_url_host(text);
  if (!host) return "malformed";
  return host->address ? to_string(*host->address) : "name " + std::string(host->name);
}

/// `value` as a part of an IPv4 address, in a random base.
std::string spelled(std::uint64_t value) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto base = *rc::gen::element<unsigned>(8, 10, 16);
  std::string text;
  for (; value > 0; value /= base)
    text.insert(text.begin(), digits[value % base]);
  const auto zeros = *rc::gen::inRange<std::size_t>(0, 3);
  if (base == 10) return text.empty() ? "0" : text;
  text.insert(0, zeros, '0');
  return (base == 8 ? "0" : *rc::gen::element<std::string>("0x", "0X")) + text;
}

} // namespace

TEST_CASE("IPv4 is read in every spelling that clients read") {
  for (const auto* text :
       {"127.0.0.1", "127.0.0.1.", "127.1", "127.0.1", "2130706433", "0x7f000001", "0X7F.1",
        "0177.0.0.1", "017700000001", "0x7f.0.0.0x1", "127.0x00.00.01",
        "00000000000000000000000000000000000000000000000000000000000000000177.1"})
    CHECK(read(text) == "127.0.0.1");
  CHECK(read("0") == "0.0.0.0");
  CHECK(read("0x") == "0.0.0.0");
  CHECK(read("0x.0X.0x.0") == "0.0.0.0");
  CHECK(read("4294967295") == "255.255.255.255");
  CHECK(read("1.16777215") == "1.255.255.255");
}

TEST_CASE("what ends in a number is IPv4 or nothing") {
  for (const auto* text :
       {"4294967296", "18446744073709551617", "0x100000000", "256.1", "1.2.3.256", "1.2.3.4.5",
        "1.2.65536", "1.16777216", "08", "1.2.3.09", "0x7g.1", "1..2", ".1", "foo.1", "foo.0x1",
        "foo.0x", "a.1.", "1_0.1", "99999999999999999999999999999999999999"})
    CHECK(read(text) == "malformed");
  CHECK(read("256") == "0.0.1.0");
  CHECK(read("1.2.3.") == "1.2.0.3");
  CHECK(read("1.2.3.4x") == "name 1.2.3.4x");
  CHECK(read("foo.0xg") == "name foo.0xg");
  CHECK(read("1e3") == "name 1e3");
}

TEST_CASE("IPv6 is read in brackets, without a zone") {
  CHECK(read("[::1]") == "::1");
  CHECK(read("[FE80::A]") == "fe80::a");
  CHECK(read("[::FFFF:127.0.0.1]") == "127.0.0.1");
  CHECK(read("[::ffff:7f00:1]") == "127.0.0.1");
  for (const auto* text : {"[", "[]", "]", "[::1", "::1]", "::1", "[::1]x", "[::1].", "[[::1]]",
                           "[fe80::1%25eth0]", "[fe80::1%eth0]", "[127.0.0.1]", "[1]", "[v1.a:b]",
                           "[::127.1]", "[::0x7f.0.0.1]", "[12345::]", "[ ::1]"})
    CHECK(read(text) == "malformed");
}

TEST_CASE("a name holds labels of letters, digits, dashes and underscores") {
  for (const auto name : {"a"sv, "example.com"sv, "EXAMPLE.Com"sv, "a-b.c"sv,
                          "_dmarc.a_b.example"sv, "xn--bcher-kva.example"sv, "1a"sv, "1.a"sv})
    CHECK(read(name) == "name " + std::string(name));
  CHECK(read("example.com.") == "name example.com");
  for (const auto name : {""sv,        "."sv,   ".."sv,  "a.."sv,    ".a"sv,
                          "a..b"sv,    "-a"sv,  "a-"sv,  "a.-b.c"sv, "a b"sv,
                          "a\0b"sv,    "é"sv,   "%61"sv, "a%2eb"sv,  "a:b"sv,
                          "a/b"sv,     "a@b"sv, "a,b"sv, "a*"sv,     "\uFF11\uFF12\uFF17.1"sv,
                          "a\u3002b"sv})
    CHECK(read(name) == "malformed");
}

TEST_CASE("names are as long as the domain name system allows") {
  const std::string label(63, 'a');
  const auto three = label + "." + label + "." + label + ".";
  CHECK(read(label) == "name " + label);
  CHECK(read(label + "a") == "malformed");
  CHECK(read(three + std::string(61, 'b')).starts_with("name "));
  CHECK(read(three + std::string(61, 'b') + ".").starts_with("name "));
  CHECK(read(three + std::string(62, 'b')) == "malformed");
}

TEST_CASE("what is wrong with a host continues its name") {
  CHECK(parse_url_host("1.2.3.256").error() == "which ends in a number but is not an IPv4 address");
  CHECK(parse_url_host("[::g]").error() == "which is not an IPv6 address in brackets");
  CHECK(parse_url_host("a..b").error() == "which has two dots in a row or begins with a dot");
}

TEST_CASE("property: no spelling of an IPv4 address passes for another host") {
  REQUIRE(rc::check([] {
    const auto octets = *rc::gen::arbitrary<std::array<std::uint8_t, 4>>();
    const auto parts = *rc::gen::inRange<std::size_t>(1, 5);
    std::string text;
    for (std::size_t i = 0; i + 1 < parts; ++i)
      text += spelled(octets[i]) + ".";
    std::uint64_t last = 0;
    for (std::size_t i = parts - 1; i < octets.size(); ++i)
      last = last << 8 | octets[i];
    text += spelled(last) + (*rc::gen::arbitrary<bool>() ? "." : "");
    RC_ASSERT(read(text) == to_string(ip_address::from_v4(octets)));
  }));
}

using namespace matchcloud::model;

TEST_CASE("hosts are written in ASCII, in lower case") {
  CHECK(ascii_host("bücher.example") == "xn--bcher-kva.example");
  CHECK(ascii_host("BÜCHER.Example.") == "xn--bcher-kva.example.");
  CHECK(ascii_host("ŽLUŤOUČKÝ-KŮŇ.cz") == "xn--luouk-k-z2a6lsyxjlexh.cz");
  CHECK(ascii_host("Ÿ.ĲŁ.ρω.example") == std::nullopt);
  CHECK(ascii_host("παράδειγμα.δοκιμή") == "xn--hxajbheg2az3al.xn--jxalpdlp");
  CHECK(ascii_host("ПРИМЕР.испытание") == "xn--e1afmkfd.xn--80akhbyknj4f");
  CHECK(ascii_host("例え.テスト") == "xn--r8jz45g.xn--zckzah");
  CHECK(ascii_host("例子.测试") == "xn--fsqu00a.xn--0zwm56d");
  CHECK(ascii_host("실례.테스트") == "xn--9n2bp8q.xn--9t4b11yi5a");
  CHECK(ascii_host("مثال.إختبار") == "xn--mgbh0fb.xn--kgbechtv");
  CHECK(ascii_host("דוגמה.טעסט") == "xn--6dbbec0c.xn--deba0ad");
  CHECK(ascii_host("straße.example") == "xn--strae-oqa.example");
  CHECK(ascii_host("İ.example") == "xn--i-9bb.example");
  CHECK(ascii_host("हिन्दी.भारत") == "xn--j2bd4cyah0f.xn--h2brj9c");
  CHECK(ascii_host("ไทย.example") == "xn--o3cw4h.example");
  CHECK(ascii_host("tiếng.việt") == "xn--ting-hv5a.xn--vit-5kz");
}

TEST_CASE("hosts that need more than lower case have no form") {
  for (const auto* host : {"",
                           ".",
                           "a..ü",
                           "-ü.example",
                           "ü-.example",
                           "ab--ü.example",
                           "😀.example",
                           "e\u0301.example",
                           "ｅxample.com",
                           "a\u3002b",
                           "ﬁ.example",
                           "ü b.example",
                           "ü:80",
                           "aא.example",
                           "1א.example",
                           "١.example",
                           "a\u00AD.example",
                           "\u0130\u0132.example",
                           "ü.xn--a",
                           "ü_b.example",
                           "é.1"}) {
    INFO(host);
    CHECK(ascii_host(host) == std::nullopt);
  }
  CHECK_FALSE(ascii_host(std::string_view{"ü\0.example", 11}));
  std::string longest;
  for (int i = 0; i < 60; ++i)
    longest += "ü";
  CHECK(ascii_host(longest + ".example") == std::nullopt);
}
