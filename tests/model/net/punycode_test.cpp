#include "model/net/punycode.hpp"

#include "tests/catch.hpp"

using namespace matchcloud::model;

TEST_CASE("labels are encoded as the samples of RFC 3492 section 7.1") {
  struct sample {
    std::u32string_view label;
    std::string_view encoded;
  };
  for (const auto& [label, encoded] : {
           // Arabic (Egyptian), Chinese (simplified, traditional), Czech
           sample{U"\u0644\u064A\u0647\u0645\u0627\u0628\u062A\u0643\u0644\u0645\u0648\u0634\u0639"
                  U"\u0631\u0628\u064A\u061F",
                  "egbpdaj6bu4bxfgehfvwxn"},
           sample{U"\u4ED6\u4EEC\u4E3A\u4EC0\u4E48\u4E0D\u8BF4\u4E2D\u6587",
                  "ihqwcrb4cv8a8dqg056pqjye"},
           sample{U"\u4ED6\u5011\u7232\u4EC0\u9EBD\u4E0D\u8AAA\u4E2D\u6587",
                  "ihqwctvzc91f659drss3x8bo0yb"},
           sample{U"Pro\u010Dprost\u011Bnemluv\u00ED\u010Desky", "Proprostnemluvesky-uyb24dma41a"},
           // Hebrew, Hindi, Japanese
           sample{U"\u05DC\u05DE\u05D4\u05D4\u05DD\u05E4\u05E9\u05D5\u05D8\u05DC\u05D0\u05DE\u05D3"
                  U"\u05D1"
                  U"\u05E8\u05D9\u05DD\u05E2\u05D1\u05E8\u05D9\u05EA",
                  "4dbcagdahymbxekheh6e0a7fei0b"},
           sample{U"\u092F\u0939\u0932\u094B\u0917\u0939\u093F\u0928\u094D\u0926\u0940\u0915\u094D"
                  U"\u092F"
                  U"\u094B\u0902\u0928\u0939\u0940\u0902\u092C\u094B\u0932\u0938\u0915\u0924\u0947"
                  U"\u0939"
                  U"\u0948\u0902",
                  "i1baa7eci9glrd9b2ae1bj0hfcgg6iyaf8o0a1dig0cd"},
           sample{U"\u306A\u305C\u307F\u3093\u306A\u65E5\u672C\u8A9E\u3092\u8A71\u3057\u3066\u304F"
                  U"\u308C"
                  U"\u306A\u3044\u306E\u304B",
                  "n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa"},
           // Russian, Spanish, Vietnamese
           sample{U"\u043F\u043E\u0447\u0435\u043C\u0443\u0436\u0435\u043E\u043D\u0438\u043D\u0435"
                  U"\u0433"
                  U"\u043E\u0432\u043E\u0440\u044F\u0442\u043F\u043E\u0440\u0443\u0441\u0441\u043A"
                  U"\u0438",
                  "b1abfaaepdrnnbgefbadotcwatmq2g4l"},
           sample{U"Porqu\u00E9nopuedensimplementehablarenEspa\u00F1ol",
                  "PorqunopuedensimplementehablarenEspaol-fmd56a"},
           sample{U"T\u1EA1isaoh\u1ECDkh\u00F4ngth\u1EC3ch\u1EC9n\u00F3iti\u1EBFngVi\u1EC7t",
                  "TisaohkhngthchnitingVit-kjcr8268qyxafd2f1b9g"},
           // Titles and names of Japanese music.
           sample{U"3\u5E74B\u7D44\u91D1\u516B\u5148\u751F", "3B-ww4c5e180e575a65lsy2b"},
           sample{U"\u5B89\u5BA4\u5948\u7F8E\u6075-with-SUPER-MONKEYS",
                  "-with-SUPER-MONKEYS-pc58ag80a8qai00g7n9n"},
           sample{U"Hello-Another-Way-\u305D\u308C\u305E\u308C\u306E\u5834\u6240",
                  "Hello-Another-Way--fc4qua05auwb3674vfr0b"},
           sample{U"\u3072\u3068\u3064\u5C4B\u6839\u306E\u4E0B2", "2-u9tlzr9756bt3uc0v"},
           sample{U"Maji\u3067Koi\u3059\u308B5\u79D2\u524D", "MajiKoi5-783gue6qz075azm5e"},
           sample{U"\u30D1\u30D5\u30A3\u30FCde\u30EB\u30F3\u30D0", "de-jg4avhby1noc0d"},
           sample{U"\u305D\u306E\u30B9\u30D4\u30FC\u30C9\u3067", "d9juau41awczczp"},
           sample{U"-> $1.00 <-", "-> $1.00 <--"},
       })
    CHECK(encode_punycode(label) == encoded);
}

TEST_CASE("labels that are empty or all of ASCII have a form, one beyond the arithmetic has none") {
  CHECK(encode_punycode(U"") == "");
  CHECK(encode_punycode(U"abc") == "abc-");
  CHECK_FALSE(encode_punycode(std::u32string(5'000, U'a') + U"\U0010FFFF"));
}

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
                           "İ.example",
                           "ﬁ.example",
                           "ü b.example",
                           "ü:80",
                           "aא.example",
                           "1א.example",
                           "١.example",
                           "a\u00AD.example",
                           "\u0130\u0132.example",
                           "é.1"}) {
    INFO(host);
    CHECK(ascii_host(host) == std::nullopt);
  }
  std::string longest;
  for (int i = 0; i < 60; ++i)
    longest += "ü";
  CHECK(ascii_host(longest + ".example") == std::nullopt);
}
