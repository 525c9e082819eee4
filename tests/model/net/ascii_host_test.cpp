#include "model/net/ascii_host.hpp"

#include "tests/catch.hpp"

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
