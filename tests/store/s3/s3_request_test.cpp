// Where requests are sent and links lead, and how both are signed.
#include "store/s3/s3_request.hpp"

#include "base/events/about_request.hpp"
#include "base/failure.hpp"
#include "store/s3/s3_client.hpp"
#include "store/s3/s3_settings.hpp"
#include "tests/catch.hpp"
#include "tests/store/s3/s3_fixture.hpp"
#include "tests/store/store_fixture.hpp"

#include <rapidcheck.h>

namespace matchcloud::store {
namespace {

// The examples of the Amazon S3 API reference, "Signature Calculations for the Authorization
// Header: Transferring Payload in a Single Chunk" and "Authenticating Requests: Using Query
// Parameters".
constexpr std::int64_t example_ts = 1'369'353'600'000; // 2013-05-24T00:00:00Z
constexpr std::string_view empty_sha256 =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr s3_signing_scope example_scope{"us-east-1", example_ts};

s3_credentials_ptr example_credentials(const std::string& token = {}) {
  return make_credentials("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                          token);
}

s3_signed_parts example(std::string_view method, std::string_view path, s3_pairs query,
                        s3_pairs more_headers, std::string_view sha256 = empty_sha256) {
  s3_pairs headers{{"host", "examplebucket.s3.amazonaws.com"},
                   {"x-amz-content-sha256", std::string{sha256}},
                   {"x-amz-date", "20130524T000000Z"}};
  headers.insert(headers.end(), more_headers.begin(), more_headers.end());
  return {method, path, std::move(query), std::move(headers), sha256};
}

std::string signature_of(const s3_signed_parts& parts) {
  const auto text = s3_authorization(parts, *example_credentials(), example_scope);
  return text.substr(text.find("Signature=") + 10);
}

TEST_CASE("requests are signed as in the examples of the API's reference") {
  CHECK(s3_authorization(example("GET", "/test.txt", {}, {{"range", "bytes=0-9"}}),
                         *example_credentials(), example_scope) ==
        "AWS4-HMAC-SHA256 "
        "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
        "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
        "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
  CHECK(signature_of(example("PUT", s3_encoded_path("/test$file.text"), {},
                             {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
                              {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
                             "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072")) ==
        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
  CHECK(signature_of(example("GET", "/", {{"lifecycle", ""}}, {})) ==
        "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
  CHECK(signature_of(example("GET", "/", {{"prefix", "J"}, {"max-keys", "2"}}, {})) ==
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

s3_signed_parts presigned_example() {
  return {"GET", "/test.txt", {}, {{"host", "examplebucket.s3.amazonaws.com"}}, {}};
}

TEST_CASE("URLs are signed as in the example of the API's reference") {
  CHECK(s3_presigned_query(presigned_example(), *example_credentials(), example_scope,
                           std::chrono::hours{24}) ==
        "X-Amz-Algorithm=AWS4-HMAC-SHA256"
        "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
        "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
        "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
}

TEST_CASE("what was lent with a token is signed with it, and the token is encoded") {
  const auto query = s3_presigned_query(presigned_example(), *example_credentials("a/b+c="),
                                        example_scope, std::chrono::hours{24});
  CHECK(query.find("&X-Amz-Security-Token=a%2Fb%2Bc%3D&") != query.npos);
}

TEST_CASE("a time is signed to the second") {
  CHECK(s3_time(example_ts + 999) == "20130524T000000Z");
  CHECK(s3_time(0) == "19700101T000000Z");
}

TEST_CASE("whatever is signed, another order of query and headers gives the same signature") {
  CHECK(rc::check([](std::vector<std::pair<std::string, std::string>> query) {
    const auto forward = signature_of(example("GET", "/", query, {{"range", "bytes=0-9"}}));
    std::reverse(query.begin(), query.end());
    auto backward = example("GET", "/", query, {{"range", "bytes=0-9"}});
    std::reverse(backward.headers.begin(), backward.headers.end());
    RC_ASSERT(signature_of(backward) == forward);
  }));
}

TEST_CASE("a change of anything that is signed gives another signature") {
  CHECK(rc::check([](const std::string& name, const std::string& value, const std::string& other) {
    RC_PRE(value != other);
    const auto with = [&](const std::string& what) {
      return s3_presigned_query({"GET", "/a", {{name, what}}, {{"host", "h"}}, {}},
                                *example_credentials(), example_scope, std::chrono::seconds{60});
    };
    const auto signature = [](const std::string& query) { return query.substr(query.rfind('=')); };
    RC_ASSERT(signature(with(value)) != signature(with(other)));
  }));
}

TEST_CASE("encoded text has nothing but unreserved characters, and can be decoded") {
  CHECK(rc::check([](const std::string& text) {
    const auto encoded = s3_encoded(text);
    std::string decoded;
    for (std::size_t i = 0; i < encoded.size(); ++i) {
      if (encoded[i] != '%') {
        decoded += encoded[i];
        continue;
      }
      decoded += static_cast<char>(std::stoi(encoded.substr(i + 1, 2), nullptr, 16));
      i += 2;
    }
    RC_ASSERT(decoded == text);
    RC_ASSERT(encoded.find_first_of("/+=&?# ") == encoded.npos);
  }));
}

// It stands where the clock of the examples does.
const moved_clock example_time;

/// A client with the credentials of the reference's examples.
std::unique_ptr<s3_client> client_of(const std::string& bucket, const std::string& direct,
                                     const std::string& links, bool is_path_style) {
  s3_settings settings;
  settings.location = {bucket, ""};
  settings.endpoint = direct;
  settings.public_endpoint = links;
  settings.is_path_style = is_path_style;
  auto source = s3_credential_source::open(
      environment_of({{"AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE"},
                      {"AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}}),
      example_time);
  return std::make_unique<s3_client>(settings, had(std::move(source)), example_time);
}

const object_link for_a_day{object_link::method::get, std::chrono::hours{24}, {}, {}};

TEST_CASE("a link is at the public endpoint and signed for its host, as the API's reference does") {
  const auto client =
      client_of("examplebucket", "http://gateway:7480", "https://s3.amazonaws.com", false);
  const auto url = client->presign("test.txt", for_a_day);
  CHECK(url.starts_with("https://examplebucket.s3.amazonaws.com/test.txt?"));
  CHECK(url.ends_with("&X-Amz-Signature="
                      "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"));
}

TEST_CASE("a call for a request passes on its trace, outside the signature") {
  s3_request asked;
  asked.method = "GET";
  asked.key = "a";
  const auto client = client_of("games", "http://127.0.0.1:7480", "", true);
  const auto without = client->sign(asked, nullptr).request.headers;
  const base::about_request about{
      {"an id", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}};
  auto with = client->sign(asked, nullptr).request.headers;
  REQUIRE(with.size() == without.size() + 1);
  CHECK(with.back().first == "traceparent");
  CHECK(with.back().second.starts_with("00-0af7651916cd43dd8448eb211c80319c-"));
  CHECK(with.back().second.find("b7ad6b7169203331") == std::string::npos);
  with.pop_back();
  CHECK(with == without);
}

// -- settings

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
