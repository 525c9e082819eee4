#include "load/requests/expectation.hpp"

#include "base/failure.hpp"
#include "load/request_source.hpp"
#include "load/requests/text_template.hpp"
#include "model/text/uuid.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/load/servers.hpp"

#include <zlib.h>

#include <set>
#include <string>

namespace matchcloud::load {
namespace {

rapidjson::Document parsed(const char* text) {
  rapidjson::Document document;
  document.Parse(text);
  REQUIRE_FALSE(document.HasParseError());
  return document;
}

using condition = expectation::json_condition::check;

std::string judge(const std::string& pointer, condition by, const char* value,
                  std::string_view body) {
  expectation of;
  std::shared_ptr<rapidjson::Document> wanted;
  if (value != nullptr) (wanted = std::make_shared<rapidjson::Document>())->Parse(value);
  of.json.push_back({pointer, parse_json_pointer(pointer).value(), by, wanted});
  return of.judge_body(body);
}

std::string judge(const std::string& pointer, const char* value, std::string_view body) {
  const auto by = value == nullptr ? condition::any : condition::equal;
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
  CHECK(judge("/a/*/n", condition::rises, nullptr, body).empty());
  CHECK(judge("/a/*/n", condition::rises, nullptr, R"({"a":[{"n":2},{"n":1}]})") ==
        "has numbers that fall at `/a/*/n`");
  CHECK(judge("/a/*/n", condition::rises, nullptr, R"({"a":[{"n":"2"}]})") ==
        "has no number at `/a/*/n`");
  CHECK(judge("/a", condition::count, "3", body).empty());
  CHECK(judge("/o", condition::count, "1", body).empty());
  CHECK(judge("/a", condition::count, "0", body) == "has 3 elements at `/a` where 0 were expected");
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

std::string filled(std::string_view text, std::mt19937_64& engine,
                   const std::vector<std::string>& names = {},
                   const std::vector<std::string>& saved = {}) {
  const auto made = base::attempt([&] { return text_template::parse(text, names); });
  REQUIRE(made);
  std::string to;
  made->append(to, {engine, "the line", saved});
  return to;
}

TEST_CASE("placeholders are filled, and other braces stay", "[load]") {
  std::mt19937_64 engine{1};
  CHECK(filled("", engine).empty());
  for (const auto* const text : {"a", R"({"a":{"b":[{}]}})", "{ x }", "{", "}", "{}", "a{1}",
                                 "{\"line\"}", "{a b}", "{line", "{int:1"})
    CHECK(filled(text, engine) == text);
  CHECK(filled("{{line}", engine) == "{line}");
  CHECK(filled("<{line}>{line}", engine) == "<the line>the line");
  CHECK(filled("{url}/{tag}", engine, {"url", "tag"}, {"http://h/", "t"}) == "http://h//t");
  CHECK(filled("{int:5-5}", engine) == "5");
  CHECK(filled("{pick:a}{pick:}", engine) == "a");
  CHECK(model::parse_uuid(filled("{uuid}", engine)));
}

TEST_CASE("made values cover all that is allowed, and follow from the seed", "[load]") {
  const auto draw = [](std::string_view text) {
    std::mt19937_64 engine{7};
    std::vector<std::string> drawn;
    for (int i = 0; i < 200; ++i)
      drawn.push_back(filled(text, engine));
    return drawn;
  };
  const auto kinds = [&](std::string_view text) {
    const auto drawn = draw(text);
    return std::set<std::string>(drawn.begin(), drawn.end());
  };
  CHECK(kinds("{int:8-11}") == std::set<std::string>{"8", "9", "10", "11"});
  CHECK(kinds("{pick:x,y z,}") == std::set<std::string>{"x", "y z", ""});
  CHECK(kinds("{uuid}").size() == 200);
  CHECK(kinds("{int:0-18446744073709551615}").size() == 200);
  CHECK(draw("{uuid}{int:1-100}") == draw("{uuid}{int:1-100}"));
}

TEST_CASE("a placeholder that is none is refused", "[load]") {
  for (const auto* const wrong :
       {"{uid}", "{int}", "{int:}", "{int:1}", "{int:1-}", "{int:-1-2}", "{int:a-b}", "{uuid:1}",
        "{picks:a}", "{int:0-18446744073709551616}"}) {
    CAPTURE(wrong);
    const auto made = base::attempt([&] { return text_template::parse(wrong); });
    REQUIRE_FALSE(made);
    CHECK(made.error().detail.starts_with("has `" + std::string{wrong} + "`"));
  }
}

TEST_CASE("a template knows what it can become", "[load]") {
  const auto slash = text_template::parse("/a b/{line}");
  CHECK(slash.begins_with('/'));
  CHECK(slash.uses_line());
  CHECK_FALSE(slash.is_random());
  CHECK_FALSE(slash.consists_of(base::target_characters));
  CHECK_FALSE(text_template::parse("/{pick:a,b c}").consists_of(base::target_characters));
  CHECK(text_template::parse("/{pick:a,b}").consists_of(base::target_characters));
  const std::vector<std::string> names{"url"};
  CHECK(text_template::parse("{url}", names).begins_with_saved());
  CHECK_FALSE(text_template::parse("plain").is_random());
  CHECK_FALSE(text_template::parse("{url}", names).is_random());
  CHECK(text_template::parse("{uuid}").is_random());
}

std::string judge_reply(std::string_view operation, const std::string& body,
                        const std::string& findings = {}) {
  const fixtures::temporary_directory directory;
  const auto mix = base::attempt([&] {
    return read_mix(directory.file(
        "mix.toml",
        "[[operation]]\nname = '" + std::string{operation} + "'\n" +
            (findings.empty() ? "" : "expect.json_count = { '/errors' = " + findings + " }")));
  });
  REQUIRE(mix);
  reply_check check{mix->front().steps.front().form.expected};
  const auto first = check.judge({200, body, false, false});
  CHECK(check.judge({200, body, false, false}) == first); // the body may be known or new
  return first;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST_CASE("a listing of regions must have its members, in order of distance", "[load]") {
  CHECK(judge_reply("regions", good_listing).empty());
  CHECK(judge_reply("regions", R"({"regions":[]})") == "has no `/regions/0`");
  CHECK(judge_reply("regions", R"({"errors":[]})") == "has no `/regions/0`");
  CHECK(judge_reply("regions", "") == "is not JSON (byte 0)");
  CHECK(judge_reply("regions", "<html>") == "is not JSON (byte 0)");
  CHECK(judge_reply("regions", replaced(good_listing, "640.1", "1.5")) ==
        "has numbers that fall at `/regions/*/datacenter_distance_from_client/kilometers`");
  CHECK(judge_reply("regions", replaced(good_listing, "region_display_name", "name")) ==
        "has no `/regions/*/region_display_name`");
  CHECK(judge_reply("regions", good_listing.substr(0, 300)).starts_with("is not JSON"));
}

TEST_CASE("validations must say what they found", "[load]") {
  const std::string one = R"({"errors":[{"path":["display_name"]}]})";
  CHECK(judge_reply("groups.validate", one).empty());
  CHECK(judge_reply("games.validate", one, "1").empty());
  CHECK(judge_reply("versions.validate", one, "0") ==
        "has 1 elements at `/errors` where 0 were expected");
  CHECK(judge_reply("groups.validate", R"({"errors":[{}]})") == "has no `/errors/*/path`");
}

TEST_CASE("avatars and exports must have their members", "[load]") {
  const std::string good = R"({"custom_avatars":[{"upload_id":"u","display_name":"d",)"
                           R"("create_ts":"t","complete":true,"url":"http://x"}]})";
  CHECK(judge_reply("avatars", good).empty());
  CHECK(judge_reply("avatars", R"({"custom_avatars":[]})").empty());
  CHECK(judge_reply("avatars", replaced(good, "complete", "done")) ==
        "has no `/custom_avatars/*/complete`");
  CHECK(judge_reply("export", R"({"url":"http://h/exports/1/lobby-history.csv"})").empty());
  CHECK(judge_reply("export", "{}") == "has no `/url`");
}

TEST_CASE("a compressed reply is judged by what is in it", "[load]") {
  const auto packed = [](const std::string& text) {
    std::string bytes(1'000, '\0');
    z_stream stream{};
    REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    auto copy = text;
    stream.next_in = reinterpret_cast<Bytef*>(copy.data());
    stream.avail_in = static_cast<uInt>(copy.size());
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
    stream.avail_out = static_cast<uInt>(bytes.size());
    REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    bytes.resize(bytes.size() - stream.avail_out);
    deflateEnd(&stream);
    return bytes;
  };
  const auto mix = single_mix("regions");
  reply_check check{mix.front().steps.front().form.expected};
  const auto good = packed(good_listing);
  const auto empty = packed(R"({"regions":[]})");
  CHECK(check.judge({200, good, false, true}).empty());
  CHECK(check.judge({200, empty, false, true}) == "has no `/regions/0`");
  CHECK(check.judge({200, std::string_view{good}.substr(0, 50), false, true}) == "is not gzip");
}

} // namespace
} // namespace matchcloud::load
