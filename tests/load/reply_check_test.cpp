#include "load/reply_check.hpp"

#include "tests/catch.hpp"
#include "tests/load/delayed_server.hpp"

#include <zlib.h>

#include <string>

namespace matchcloud::load {
namespace {

std::string judge(http::operation what, const std::string& body,
                  std::optional<std::size_t> findings = {}) {
  mix_part part;
  part.what = what;
  part.findings = findings;
  reply_check check{part};
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
  CHECK(judge(http::operation::list_regions, good_listing).empty());
  CHECK(judge(http::operation::list_regions, R"({"regions":[]})") == "lists no regions");
  CHECK(judge(http::operation::list_regions, R"({"errors":[]})") == "has no array `regions`");
  CHECK(judge(http::operation::list_regions, "") == "is not JSON (byte 0)");
  CHECK(judge(http::operation::list_regions, "<html>") == "is not JSON (byte 0)");
  CHECK(judge(http::operation::list_regions, replaced(good_listing, "640.1", "1.5")) ==
        "has regions that are not in order of distance");
  CHECK(
      judge(http::operation::list_regions, replaced(good_listing, "region_display_name", "name")) ==
      "has a region without a required member");
  CHECK(
      judge(http::operation::list_regions, good_listing.substr(0, 300)).starts_with("is not JSON"));
}

TEST_CASE("validations must say what they found", "[load]") {
  const std::string one = R"({"errors":[{"path":["display_name"]}]})";
  CHECK(judge(http::operation::validate_group, one).empty());
  CHECK(judge(http::operation::validate_game, one, 1).empty());
  CHECK(judge(http::operation::validate_version, one, 0) == "has 1 findings where 0 were expected");
  CHECK(judge(http::operation::validate_group, R"({"errors":[{}]})") ==
        "has a finding without `path`");
  CHECK(judge(http::operation::validate_group, R"({"errors":[{"path":[1]}]})") ==
        "has a finding whose `path` is not a list of strings");
}

TEST_CASE("avatars have a URL exactly where they are complete", "[load]") {
  const std::string good = R"({"custom_avatars":[{"upload_id":"u","display_name":"d",)"
                           R"("create_ts":"t","complete":true,"url":"http://x"}]})";
  CHECK(judge(http::operation::list_avatars, good).empty());
  CHECK(judge(http::operation::list_avatars, R"({"custom_avatars":[]})").empty());
  CHECK(judge(http::operation::list_avatars, replaced(good, "true", "false")) ==
        "has an avatar whose `url` contradicts `complete`");
  CHECK(judge(http::operation::export_lobby_history,
              R"({"url":"http://h/exports/1/lobby-history.csv"})")
            .empty());
  CHECK(judge(http::operation::export_lobby_history, R"({"url":"http://h/elsewhere"})") ==
        "has a `url` that does not lead to an export");
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
  const mix_part part;
  reply_check check{part};
  const auto good = packed(good_listing);
  const auto empty = packed(R"({"regions":[]})");
  CHECK(check.judge({200, good, false, true}).empty());
  CHECK(check.judge({200, empty, false, true}) == "lists no regions");
  CHECK(check.judge({200, std::string_view{good}.substr(0, 50), false, true}) == "is not gzip");
}

} // namespace
} // namespace matchcloud::load
