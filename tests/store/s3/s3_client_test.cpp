#include "store/s3/s3_client.hpp"

#include "base/events/about_request.hpp"
#include "tests/catch.hpp"
#include "tests/store/store_fixture.hpp"

namespace matchcloud::store {
namespace {

/// The moment of the examples of the Amazon S3 API reference.
class example_clock final : public base::clock {
public:
  base::steady_time now() const noexcept override { return {}; }
  std::int64_t unix_ms() const noexcept override { return 1'369'353'600'000; }
};

const example_clock example_time;

/// A client with the credentials of the reference's examples.
std::unique_ptr<s3_client> client_of(const std::string& bucket, const std::string& direct,
                                     const std::string& links, bool is_path_style) {
  s3_settings settings;
  settings.location = {bucket, ""};
  settings.endpoint = direct;
  settings.public_endpoint = links;
  settings.is_path_style = is_path_style;
  auto source = s3_credential_source::open(
      [](const char* name) -> std::optional<std::string> {
        const std::string_view wanted{name};
        if (wanted == "AWS_ACCESS_KEY_ID") return "AKIAIOSFODNN7EXAMPLE";
        if (wanted == "AWS_SECRET_ACCESS_KEY") return "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
        return std::nullopt;
      },
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

TEST_CASE("without a public endpoint a link is where requests are sent") {
  const auto client = client_of("examplebucket", "https://s3.amazonaws.com", "", false);
  CHECK(client->presign("test.txt", for_a_day) ==
        client_of("examplebucket", "", "https://s3.amazonaws.com", false)
            ->presign("test.txt", for_a_day));
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

TEST_CASE("requests are sent to the endpoint and signed for its host, whatever links are") {
  s3_request request;
  request.method = "GET";
  request.key = "a";
  const auto signed_with = [&](const std::string& links) {
    return client_of("games", "http://127.0.0.1:7480", links, true)->sign(request, nullptr).request;
  };
  const auto sent = signed_with("http://objects.example.com:8000");
  CHECK(sent.url == "http://127.0.0.1:7480/games/a");
  CHECK(sent.headers == signed_with("").headers);
  const auto link =
      client_of("games", "http://127.0.0.1:7480", "http://objects.example.com:8000", true)
          ->presign("a", for_a_day);
  CHECK(link.starts_with("http://objects.example.com:8000/games/a?"));
}

} // namespace
} // namespace matchcloud::store
