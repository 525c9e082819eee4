#include "store/s3/s3_request.hpp"
#include "tests/catch.hpp"

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

} // namespace
} // namespace matchcloud::store
