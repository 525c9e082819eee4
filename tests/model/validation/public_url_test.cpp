#include "model/validation/text_checks.hpp"

#include "model/net/special_addresses.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

using namespace matchcloud::model;
using namespace std::string_literals;
using namespace std::string_view_literals;

namespace {

constexpr std::size_t limit_bytes = 2'048;
constexpr std::size_t echo_limit = 64;

std::string code_of(std::string_view url) {
  const auto violation = check_public_url(url, limit_bytes, echo_limit);
  return violation ? std::string(violation->code) : "accepted";
}

std::string said_of_url(std::string_view url) {
  const auto violation = check_public_url(url, limit_bytes, echo_limit);
  return violation ? violation->predicate : "";
}

} // namespace

TEST_CASE("absolute web URLs with a public host are accepted") {
  for (const auto* url : {"https://example.com",
                          "http://example.com/",
                          "HTTPS://EXAMPLE.com/Verify?a=b&c[]=%7Bd%7D#e",
                          "https://example.com:443/x",
                          "http://example.com:1",
                          "http://example.com:65535/",
                          "https://example.com:0443/",
                          "https://example.com.",
                          "https://example.com?x=http://a@b:c/",
                          "https://example.com#@:",
                          "https://a_b.example.com/~x;y=z,*!$'()+",
                          "http://8.8.8.8",
                          "http://[2606:4700:4700::1111]:8443/x",
                          "http://example.com:",
                          "https://example.com:/x",
                          "https://locals.example",
                          "https://a.mylocalhost",
                          "https://lan.example",
                          "https://arpa.home.example",
                          "https://internal.example.com/",
                          "https://a.local-a"}) {
    INFO(url);
    CHECK(code_of(url) == "accepted");
  }
}

TEST_CASE("lengths of URLs are checked before everything else") {
  CHECK(code_of("") == "too-short");
  const auto url = "https://example.com/" + std::string(limit_bytes - 20, 'a');
  CHECK(code_of(url) == "accepted");
  CHECK(code_of(url + "a") == "too-long");
  CHECK(code_of("ftp://localhost/" + std::string(limit_bytes, ' ')) == "too-long");
}

TEST_CASE("schemes other than http and https are told from what is no URL") {
  for (const auto* url :
       {"ftp://example.com", "ws://localhost/", "file:///etc/passwd", "httpss://example.com",
        "h+t-t.p://", "gopher://exa mple", "x://é", "mailto:a@example.com", "javascript:alert(1)",
        "data:,", "data:text/html;base64,PGI+", "urn:a:b", "tel:+49", "file:/etc/passwd",
        "JavaScript:x", "blob:https://example.com/"})
    CHECK(code_of(url) == "invalid-scheme");
  for (const auto* url :
       {"example.com", "example.com/verify", "//example.com", "/verify", "localhost:8080",
        "example.com:443/x", "example.com:1?x", "http:example.com", "http:", "http:/example.com",
        "https//example.com", "://example.com", "1p://example.com", "h_p://example.com",
        "?http://example.com"})
    CHECK(code_of(url) == "invalid");
}

TEST_CASE("characters that a URL cannot contain are refused, wherever they are") {
  for (const auto* where : {"", "https", "https://", "https://exam", "https://example.com/",
                            "https://example.com/?", "https://example.com/#"})
    for (const auto bad :
         {" "sv,      "\t"sv,     "\n"sv, "\r"sv, "\0"sv,  "\x7F"sv, "\\"sv,  "\""sv,     "<"sv,
          ">"sv,      "^"sv,      "`"sv,  "{"sv,  "|"sv,   "}"sv,    "é"sv,   "\u202E"sv, "😀"sv,
          "\u3002"sv, "\uFF0F"sv, "%"sv,  "%2"sv, "%2g"sv, "%g2"sv,  "%%20"sv}) {
      INFO(where << bad);
      const auto rest = "https://example.com/x"s.substr(
          std::min<std::size_t>(std::string_view{where}.size(), "https://example.com/x"sv.size()));
      CHECK(code_of(where + std::string(bad) + rest) == "invalid");
    }
  CHECK(code_of("https://example.com/%") == "invalid");
  CHECK(code_of("https://example.com/%a") == "invalid");
}

TEST_CASE("malformed hosts, ports and user information are refused") {
  for (const auto* url : {"http://",
                          "http:///x",
                          "http://?x",
                          "http://#x",
                          "http://:80",
                          "http://%6cocalhost",
                          "http://1.2.3.256",
                          "http://[::1",
                          "http://::1/",
                          "http://:",
                          "http://example.com:0",
                          "http://example.com:65536",
                          "http://example.com:99999999999999",
                          "http://example.com:+80",
                          "http://example.com:8o",
                          "http://[2606:4700::1111]:80:80",
                          "http://localhost:0",
                          "http://user@example.com",
                          "http://user:secret@example.com",
                          "http://@example.com",
                          "http://example.com@127.0.0.1/",
                          "http://127.0.0.1:80@example.com",
                          "http://a@b@c",
                          "http://a,b",
                          "http://a=b"}) {
    INFO(url);
    CHECK(code_of(url) == "invalid");
  }
}

TEST_CASE("hosts that are not public are refused in any spelling") {
  for (const auto* url : {"http://localhost",
                          "https://LocalHost:8080/x",
                          "http://localhost.",
                          "http://a.b.localhost",
                          "http://local",
                          "http://printer.local./",
                          "http://x.LOCAL",
                          "http://internal",
                          "http://verify",
                          "https://mylocalhost./",
                          "http://localhost:",
                          "http://localhost.localdomain",
                          "http://a.LocalDomain",
                          "http://nas.lan/",
                          "http://router.home.arpa.",
                          "http://home.arpa",
                          "http://verify.default.svc:8080",
                          "http://verify.default.svc.cluster.local",
                          "http://metadata.google.internal/computeMetadata",
                          "http://A.Internal.",
                          "http://127.0.0.1",
                          "http://2130706433",
                          "http://10.0.0.1:80?x",
                          "http://[::ffff:a00:1]:1",
                          "http://[FE80::1]",
                          "http://[5f00::1]"}) {
    INFO(url);
    CHECK(code_of(url) == "not-public");
  }
}

TEST_CASE("the message about a URL says what is wrong and what to use") {
  CHECK(said_of_url("") == "is empty. Use an absolute URL, such as `https://example.com/verify`.");
  CHECK(said_of_url("https://example.com/" + std::string(limit_bytes, 'a')) ==
        "has 2068 bytes. Shorten it to at most 2048.");
  CHECK(said_of_url("ftp://example.com") == "has the scheme `ftp`. Use `https` or `http`.");
  CHECK(said_of_url("example.com/x") ==
        "is `example.com/x`, which does not begin with `https://` or `http://`. Use an absolute "
        "URL, such as `https://example.com/verify`.");
  CHECK(said_of_url("http://a.b/é") ==
        "contains `é` (U+00E9) at character 12, which a URL cannot contain. Remove it, or "
        "percent-encode it, such as `%20` for a space.");
  CHECK(said_of_url("https:\\\\a.b") ==
        "contains `\\` (U+005C) at character 7, which a URL cannot contain. Write `/` in its "
        "place.");
  CHECK(said_of_url("mailto:x") ==
        "has the scheme `mailto`. Use an absolute URL, such as `https://example.com/verify`.");
  CHECK(said_of_url("http://a/%zz") ==
        "contains `%` (U+0025) at character 10 without two hexadecimal digits after it. Write "
        "`%25` for the character itself.");
  CHECK(said_of_url("http://foo.300/") ==
        "names the host `foo.300`, which ends in a number but is not an IPv4 address. Use an "
        "absolute URL, such as `https://example.com/verify`.");
  CHECK(said_of_url("http://a:70000/") ==
        "has the port `70000`, which is not a port. Use 1 to 65535, or leave out the port and its "
        "colon.");
  CHECK(said_of_url("http://x.local/") ==
        "names the host `x.local`, which cannot be reached from the internet (a name in the "
        "private domain `local`). Use a host with a public name or address.");
  CHECK(said_of_url("http://my_host/").find("the internet (a name without a dot)") !=
        std::string::npos);
}

TEST_CASE("the message about a host with letters beyond ASCII names its `xn--` form") {
  CHECK(said_of_url("https://bücher.example/ü") ==
        "names the host `bücher.example`, which has letters beyond ASCII. Write its `xn--` form, "
        "`xn--bcher-kva.example`.");
  CHECK(
      said_of_url("https://MÜLLER.Example:443").ends_with("`xn--` form, `xn--mller-kva.example`."));
  for (const auto* url : {"http://é b", "https://a。b", "https://ｅxample.com", "https://😀.example",
                          "https://bücher..example", "https://-é.example", "https://aא.example"}) {
    INFO(url);
    CHECK(code_of(url) == "invalid");
    CHECK(said_of_url(url).ends_with("Write its `xn--` form, as browsers and registrars show it."));
  }
  const auto longest = said_of_url("https://" + std::string(60, 'a') + "." + "é" + ".example");
  CHECK(longest.ends_with("Write its `xn--` form, as browsers and registrars show it."));
  // A violation before the host is reported first. Of a text that is no host, only the character is
  // reported.
  CHECK(said_of_url("https://a b.é.example").starts_with("contains a space (U+0020)"));
  // A host's name has no escapes, so that `%20` would be the next mistake.
  CHECK(said_of_url("https://a b.example/") ==
        "contains a space (U+0020) at character 10, which a host name cannot contain. Remove it.");
  CHECK(said_of_url("https://a.example/a b").ends_with("such as `%20` for a space."));
  CHECK(said_of_url("https://é@example.com").starts_with("contains `é`"));
  CHECK(said_of_url("https://example.com/é").starts_with("contains `é`"));
}

TEST_CASE("backticks in an excerpt of a URL do not end it") {
  CHECK(said_of_url("a`. Write b").starts_with("contains U+0060 at character 2"));
  CHECK(said_of_url("https://é`x.example")
            .starts_with("names the host \"é`x.example\", which has letters beyond ASCII."));
}

TEST_CASE("the address behind another spelling is named") {
  CHECK(said_of_url("http://0x7f.1/")
            .starts_with("names the host `0x7f.1`, the address 127.0.0.1, "));
  CHECK(said_of_url("http://[::ffff:a00:1]")
            .starts_with("names the host `[::ffff:a00:1]`, the address "
                         "10.0.0.1, "));
  CHECK(said_of_url("http://10.0.0.1").starts_with("names the host `10.0.0.1`, which "));
  CHECK(said_of_url("http://[::1]").starts_with("names the host `[::1]`, which "));
}

TEST_CASE("no user name, password or query shows in a message") {
  for (const auto* url :
       {"http://user:secret@example.com", "user:secret@example.com", "secret:x@example.com",
        "http://localhost/?token=secret", "http://a:x/?token=secret", "http://a..b/secret",
        "http://example.com/?secret=%", "ftp://u:secret@a", "http://example.com/secret secret"}) {
    INFO(url);
    CHECK(code_of(url) != "accepted");
    CHECK(said_of_url(url).find("secret") == std::string::npos);
  }
}

TEST_CASE("messages about long URLs are cut") {
  CHECK(said_of_url("http://" + std::string(limit_bytes / 2, 'a')).size() < 400);
  CHECK(said_of_url(std::string(limit_bytes / 2, 'a')).size() < 400);
  CHECK(said_of_url("http://a:" + std::string(limit_bytes / 2, '1')).size() < 400);
  CHECK(said_of_url(std::string(limit_bytes / 2, 'a') + "://a").size() < 400);
}

TEST_CASE("property: a URL with an address is public where its address is") {
  REQUIRE(rc::check([] {
    ip_address address;
    address.bytes = *rc::gen::container<std::array<std::uint8_t, 16>>(
        rc::gen::element<std::uint8_t>(0, 0, 0, 1, 2, 10, 32, 127, 192, 254, 255));
    if (*rc::gen::arbitrary<bool>())
      address = ip_address::from_v4(std::span{address.bytes}.first<4>());
    const auto text = to_string(address);
    const auto url = "https://" + (address.is_v4() ? text : "[" + text + "]") + ":8443/verify";
    RC_ASSERT(code_of(url) == (is_globally_reachable(address) ? "accepted" : "not-public"));
  }));
}

TEST_CASE("property: letter case and what follows the authority change no verdict") {
  REQUIRE(rc::check([] {
    const auto host = *rc::gen::container<std::string>(
        rc::gen::elementOf("aAbBfFxX019.:-_[]@%lLoOcChHsStTiInNeErR"s));
    const auto url = *rc::gen::element("http://"s, "https://"s) + host;
    auto upper = url;
    for (auto& c : upper)
      c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    const auto code = code_of(url);
    RC_ASSERT(code_of(upper) == code);
    for (const auto* rest : {"/", "/a@b:c%20", "?a@localhost", "#//10.0.0.1"})
      RC_ASSERT(code_of(url + rest) == code);
  }));
}
