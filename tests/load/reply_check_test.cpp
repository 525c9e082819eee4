#include "load/request_source.hpp"

#include "base/failure.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/load/delayed_server.hpp"

#include <zlib.h>

#include <string>

namespace matchcloud::load {
namespace {

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
