#include "load/requests/expectation.hpp"

#include "tests/catch.hpp"

namespace matchcloud::load {
namespace {

rapidjson::Document parsed(const char* text) {
  rapidjson::Document document;
  document.Parse(text);
  REQUIRE_FALSE(document.HasParseError());
  return document;
}

using check = expectation::json_condition::check;

std::string judge(const std::string& pointer, check by, const char* value, std::string_view body) {
  expectation of;
  std::shared_ptr<rapidjson::Document> wanted;
  if (value != nullptr) (wanted = std::make_shared<rapidjson::Document>())->Parse(value);
  of.json.push_back({pointer, parse_json_pointer(pointer).value(), by, wanted});
  return of.judge_body(body);
}

std::string judge(const std::string& pointer, const char* value, std::string_view body) {
  const auto by = value == nullptr ? check::any : check::equal;
  return judge(pointer, by, value, body);
}

TEST_CASE("a JSON pointer finds its value (RFC 6901 section 5)", "[load]") {
  const auto document = parsed(R"({"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"m~n":8," ":7,)"
                               R"("deep":{"list":[[],[{"x":true}]]}})");
  const auto found = [&](std::string_view pointer) {
    const auto place = parse_json_pointer(pointer);
    REQUIRE(place);
    const auto* value = place->Get(document);
    return value == nullptr ? std::string{"nothing"} : json_text(*value);
  };
  CHECK(found("/foo") == R"(["bar","baz"])");
  CHECK(found("/foo/0") == "bar");
  CHECK(found("/") == "0");
  CHECK(found("/a~1b") == "1");
  CHECK(found("/c%d") == "2");
  CHECK(found("/m~0n") == "8");
  CHECK(found("/ ") == "7");
  CHECK(found("/deep/list/1/0/x") == "true");
  for (const auto* const missing : {"/foo/2", "/foo/01", "/foo/-", "/foo/x", "/bar", "/foo/0/x"})
    CHECK(found(missing) == "nothing");
  for (const auto* const wrong : {"foo", "/~", "/~2", "a/b"})
    CHECK_FALSE(parse_json_pointer(wrong));
}

TEST_CASE("a body must have what is expected at a place", "[load]") {
  const std::string_view body = R"({"a":{"b":[1,"x"]},"n":2.0,"t":true})";
  CHECK(judge("/a/b/1", R"("x")", body).empty());
  CHECK(judge("/a/b", R"([1,"x"])", body).empty());
  CHECK(judge("/n", "2", body).empty());
  CHECK(judge("/t", nullptr, body).empty());
  CHECK(judge("/t", "false", body) == "has `true` at `/t` where `false` was expected");
  CHECK(judge("/a/b/0", R"("1")", body) == "has `1` at `/a/b/0` where `\"1\"` was expected");
  CHECK(judge("/a/c", nullptr, body) == "has no `/a/c`");
  CHECK(judge("/a", nullptr, "<html>") == "is not JSON (byte 0)");
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  CHECK(judge("", "1", deep).starts_with("has `(more than 64 levels of JSON)` at"));
}

TEST_CASE("each element of a list must have what is expected", "[load]") {
  const std::string_view body = R"({"a":[{"n":1},{"n":1.5},{"n":3,"m":2}],"e":[],"o":{"*":4}})";
  CHECK(judge("/a/*/n", nullptr, body).empty());
  CHECK(judge("/e/*/n", nullptr, body).empty());
  CHECK(judge("/o/*", "4", body).empty());
  CHECK(judge("/a/*/m", nullptr, body) == "has no `/a/*/m`");
  CHECK(judge("/b/*/m", nullptr, body) == "has no `/b/*/m`");
  CHECK(judge("/a/*/n", check::rises, nullptr, body).empty());
  CHECK(judge("/a/*/n", check::rises, nullptr, R"({"a":[{"n":2},{"n":1}]})") ==
        "has numbers that fall at `/a/*/n`");
  CHECK(judge("/a/*/n", check::rises, nullptr, R"({"a":[{"n":"2"}]})") ==
        "has no number at `/a/*/n`");
  CHECK(judge("/a", check::count, "3", body).empty());
  CHECK(judge("/o", check::count, "1", body).empty());
  CHECK(judge("/a", check::count, "0", body) == "has 3 elements at `/a` where 0 were expected");
}

TEST_CASE("headers must be there, or have a value", "[load]") {
  const std::string_view head = "Content-Type: text/csv\r\nETag:  \"1\" \r\nX:";
  CHECK(find_header(head, "etag") == "\"1\"");
  CHECK(find_header(head, "x") == "");
  CHECK_FALSE(find_header(head, "y"));
  CHECK_FALSE(find_header("", "y"));
  expectation of;
  of.headers = {{"content-type", "text/csv"}, {"ETag", std::nullopt}};
  CHECK(of.judge_head(head).empty());
  CHECK(of.judge_head("ETag: 1") == "has no header `content-type`");
  CHECK(of.judge_head("ETag: 1\r\nContent-Type: text/html") ==
        "has the header `content-type` with `text/html` where `text/csv` was expected");
}

} // namespace
} // namespace matchcloud::load
