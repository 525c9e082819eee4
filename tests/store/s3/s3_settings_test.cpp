#include "base/failure.hpp"
#include "store/s3/s3_settings.hpp"
#include "tests/catch.hpp"

namespace matchcloud::store {
namespace {

s3_settings settings_for(const std::string& endpoint, bool is_path_style) {
  s3_settings made;
  made.location = {"games.eu", ""};
  made.endpoint = endpoint;
  made.is_path_style = is_path_style;
  return made;
}

std::string why_not(const s3_settings& settings) {
  const auto checked = base::attempt([&] { return check(settings); });
  REQUIRE(!checked.has_value());
  CHECK(checked.error().code == base::errc::config_invalid);
  return checked.error().detail;
}

TEST_CASE("a location is a bucket and what names begin with") {
  CHECK(parse_s3_location("s3://games") == s3_location{"games", ""});
  CHECK(parse_s3_location("s3://games/") == s3_location{"games", ""});
  CHECK(parse_s3_location("s3://games/a/b") == s3_location{"games", "a/b/"});
  CHECK(parse_s3_location("s3://games/a/b/") == s3_location{"games", "a/b/"});
  CHECK(parse_s3_location("s3://games/a/b")->shown() == "s3://games/a/b/");
  for (const std::string secret : {"s3://AKIA:hush@games", "AKIA:hush@games"}) {
    const auto why = parse_s3_location(secret);
    REQUIRE_FALSE(why.has_value());
    CHECK(why.error().detail.find("hush") == std::string::npos);
  }
}

TEST_CASE("another location is refused, and the error says how one is written") {
  for (const auto* const bad :
       {"", "games", "https://games", "S3://games", "s3://", "s3:///a", "s3://ab", "s3://Games",
        "s3://-games", "s3://games-", "s3://ga..mes", "s3://10.0.0.1", "s3://ga_mes",
        "s3://games//", "s3://games//a", "s3://games/a//b", "s3://games/a?b", "s3://games/../a"}) {
    CAPTURE(bad);
    const auto parsed = parse_s3_location(bad);
    REQUIRE(!parsed.has_value());
    CHECK(parsed.error().code == base::errc::config_invalid);
    CHECK(parsed.error().detail.starts_with("'" + std::string{bad} + "' "));
  }
  CHECK(parse_s3_location("s3://games/" + std::string(255, 'a') + "/" + std::string(255, 'b'))
            .has_value());
  CHECK(!parse_s3_location("s3://games/" + std::string(255, 'a') + "/" + std::string(256, 'b'))
             .has_value());
}

TEST_CASE("the bucket stands in the path or before the host") {
  const auto in_path = check(settings_for("https://[::1]:9000", true));
  CHECK(in_path.direct.host == "[::1]:9000");
  CHECK(in_path.direct.path_start == "/games.eu/");
  CHECK(in_path.direct.url_of("/games.eu/a", "b=c") == "https://[::1]:9000/games.eu/a?b=c");
  const auto before = check(settings_for("http://objects:80", false));
  CHECK(before.direct.host == "games.eu.objects");
  CHECK(before.direct.path_start == "/");
  auto amazon = settings_for("", false);
  amazon.location.bucket = "games";
  amazon.region = "eu-central-1";
  CHECK(check(amazon).direct.url_of("/a", "") == "https://games.s3.eu-central-1.amazonaws.com/a");
}

TEST_CASE("links lead to the public endpoint, or where requests are sent") {
  auto settings = settings_for("http://10.0.0.7:7480", true);
  CHECK(check(settings).links.host == "10.0.0.7:7480");
  settings.public_endpoint = "https://Objects.example.com";
  CHECK(check(settings).direct.host == "10.0.0.7:7480");
  CHECK(check(settings).links.url_of("/games.eu/a", "") ==
        "https://objects.example.com/games.eu/a");
  settings = settings_for("http://objects:7480", false);
  settings.public_endpoint = "http://objects.example.com:8000/";
  CHECK(check(settings).direct.host == "games.eu.objects:7480");
  CHECK(check(settings).links.host == "games.eu.objects.example.com:8000");
}

TEST_CASE("a public endpoint that cannot work is refused, and the error names it") {
  const auto refused = [](const std::string& endpoint, bool is_path_style) {
    auto settings = settings_for("http://objects", is_path_style);
    settings.public_endpoint = endpoint;
    return why_not(settings);
  };
  for (const auto* const bad :
       {"objects", "ftp://objects", "http://", "http://objects:0", "http://objects#a"})
    CHECK(
        refused(bad, true).starts_with("the public endpoint of S3, '" + std::string{bad} + "': "));
  const auto hidden = refused("http://me:hush@objects", true);
  CHECK(hidden.starts_with("the public endpoint of S3, the value (not shown"));
  CHECK(hidden.find("hush") == std::string::npos);
  for (const auto* const bad : {"http://objects/games", "http://objects?a=b"})
    CHECK(refused(bad, true).find("has a path or a query. Use http://") != std::string::npos);
  CHECK(refused("http://127.0.0.1", false) ==
        "the public endpoint of S3, http://127.0.0.1/, is an IP address, so the bucket cannot be "
        "put before it. Use path style, or a host name.");
  CHECK(refused("https://objects", false).find("has a dot") != std::string::npos);
}

TEST_CASE("settings that cannot work are refused") {
  CHECK(why_not(settings_for("https://objects", false)).find("has a dot") != std::string::npos);
  CHECK(why_not(settings_for("http://127.0.0.1", false)).find("path style") != std::string::npos);
  CHECK(why_not(settings_for("ftp://objects", true)).find("http://") != std::string::npos);
  CHECK(why_not(settings_for("http://objects/games", true)).find("a path") != std::string::npos);
  auto settings = settings_for("http://objects", true);
  settings.region = "eu/central";
  CHECK(why_not(settings).find("region") != std::string::npos);
}

} // namespace
} // namespace matchcloud::store
