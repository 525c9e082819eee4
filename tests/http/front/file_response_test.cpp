#include "http/front/file_response.hpp"

#include "http/front/static_content.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/inflated.hpp"
#include "tests/fixtures/shared_file.hpp"

namespace matchcloud::http {
namespace {

using namespace fixtures;

/// Whether an answer has a header line.
bool has_line(const response& answer, std::string_view line) {
  return ("\n" + std::string{answer.fixed_headers} + answer.headers)
             .find("\n" + std::string{line} + "\r\n") != std::string::npos;
}

const std::string shown_image = "00000000-0000-4000-8000-0000000000a1";
const std::string digest = "0123456789abcdef0123456789abcdef";
const std::string etag = '"' + digest + '"';

struct media_response_bench {
  temporary_directory folder;
  actors::media_opened image{
      {1, 1},
      {*model::parse_uuid(shown_image), *model::parse_image_name(digest + ".png")},
      {open_shared(folder, numbered_bytes(1'000))}};
  http::request request;

  media_response_bench() {
    request.method = method::get;
    request.id = "r";
  }
  response answer() const { return media_response(request, image); }
  bool says(std::string_view line) const { return has_line(answer(), line); }
  /// The answer as `STATUS offset+length`.
  std::string sent() const {
    const auto got = answer();
    const auto* part = std::get_if<file_range>(&got.body);
    return std::to_string(got.status) + " " +
           (part == nullptr ? "problem"
                            : std::to_string(part->offset) + "+" + std::to_string(part->length));
  }
};

TEST_CASE("an image in a bucket is an uncached redirect for any page") {
  media_response_bench on;
  on.image.image = {nullptr, {"http://objects.example/get", "http://objects.example/head"}};
  on.request.set(header::if_none_match, etag);
  CHECK(on.answer().status == 307);
  CHECK(on.says("Location: http://objects.example/get"));
  CHECK(on.says("Cache-Control: no-store"));
  CHECK(on.says("Access-Control-Allow-Origin: *"));
  CHECK(on.answer().body_size() == 0);
  on.request.method = method::head;
  CHECK(on.says("Location: http://objects.example/head"));
}

TEST_CASE("an image is sent whole, for ever cacheable, readable by any page") {
  media_response_bench on;
  const auto got = on.answer();
  CHECK(on.sent() == "200 0+1000");
  CHECK(got.content_type == "image/png");
  for (const auto& line :
       {"ETag: " + etag, std::string{"Cache-Control: public, max-age=31536000, immutable"},
        std::string{"Accept-Ranges: bytes"},
        std::string{any_origin_headers.substr(0, any_origin_headers.size() - 2)},
        "Content-Disposition: inline; filename=\"avatar-" + shown_image + ".png\""}) {
    CAPTURE(line);
    CHECK(has_line(got, line));
  }
  CHECK(!has_line(got, "Content-Range"));
  on.image.key.name.type = model::image_type::jpeg;
  CHECK(on.answer().content_type == "image/jpeg");
  CHECK(has_line(on.answer(),
                 "Content-Disposition: inline; filename=\"avatar-" + shown_image + ".jpg\""));
}

TEST_CASE("one range is a part of the image") {
  media_response_bench on;
  on.request.set(header::range, "bytes=990-2000");
  CHECK(on.sent() == "206 990+10");
  CHECK(on.says("Content-Range: bytes 990-999/1000"));
  CHECK(on.says("ETag: " + etag));
  CHECK(on.answer().content_type == "image/png");
}

TEST_CASE("ranges that are several, malformed or not for GET get the whole image") {
  media_response_bench on;
  for (const auto* value : {"bytes=0-1,5-6", "bytes=5-1", "lines=1-2", "nonsense"}) {
    on.request.set(header::range, value);
    CHECK(on.sent() == "200 0+1000");
  }
  on.request.set(header::range, "bytes=0-1");
  on.request.method = method::head;
  CHECK(on.sent() == "200 0+1000");
}

TEST_CASE("an image range behind the end is 416 with the size") {
  media_response_bench on;
  on.request.set(header::range, "bytes=1000-");
  const auto got = on.answer();
  CHECK(got.status == 416);
  CHECK(has_line(got, "Content-Range: bytes */1000"));
  CHECK(has_line(got, "Access-Control-Allow-Origin: *"));
  CHECK(!has_line(got, "Cache-Control: public, max-age=31536000, immutable"));
  CHECK(contains(got.body_bytes(), "range_not_satisfiable"));
}

TEST_CASE("If-Range keeps a range only with the image's own strong entity tag") {
  media_response_bench on;
  on.request.set(header::range, "bytes=0-1");
  on.request.set(header::if_range, etag);
  CHECK(on.sent() == "206 0+2");
  for (const auto& other : {"W/" + etag, std::string{"\"other\""}, std::string{},
                            std::string{"Tue, 14 Nov 2023 22:13:20 GMT"}}) {
    CAPTURE(other);
    on.request.set(header::if_range, other);
    CHECK(on.sent() == "200 0+1000");
  }
  // A stale range must not be refused either: the client would not get the new image.
  on.request.set(header::range, "bytes=5000-");
  CHECK(on.sent() == "200 0+1000");
}

TEST_CASE("If-Match of another image is 412, before If-None-Match and Range count") {
  media_response_bench on;
  on.request.set(header::if_match, "\"x\", " + etag);
  CHECK(on.sent() == "200 0+1000");
  on.request.set(header::if_match, "*");
  on.request.set(header::range, "bytes=0-1");
  CHECK(on.sent() == "206 0+2");
  for (const auto& other : {"W/" + etag, std::string{"\"other\""}, std::string{}}) {
    CAPTURE(other);
    on.request.set(header::if_match, other);
    on.request.set(header::if_none_match, etag);
    CHECK(on.sent() == "412 problem");
    CHECK(on.says("ETag: " + etag));
    CHECK(on.says("Access-Control-Allow-Origin: *"));
  }
}

TEST_CASE("a known image is 304, whatever range is requested") {
  media_response_bench on;
  for (const auto& value : {etag, "W/" + etag, "\"x\", " + etag, std::string{"*"}}) {
    on.request.set(header::if_none_match, value);
    const auto got = on.answer();
    CHECK(got.status == 304);
    CHECK(got.content_type.empty());
    CHECK(has_line(got, "ETag: " + etag));
    CHECK(has_line(got, "Cache-Control: public, max-age=31536000, immutable"));
  }
  on.request.set(header::range, "bytes=5000-");
  CHECK(on.answer().status == 304);
  on.request.set(header::if_none_match, "\"x\"");
  on.request.set(header::range, "bytes=1-1");
  CHECK(on.sent() == "206 1+1");
}

const std::string shown_export = "00000000-0000-4000-8000-0000000000e1";
const std::string plain_etag = '"' + shown_export + '"';
const std::string gzip_etag = '"' + shown_export + "-gzip\"";

struct export_response_bench {
  temporary_directory folder;
  temporary_directory other;
  store::opened_export file;
  http::request request;

  explicit export_response_bench(bool compressed = true) {
    file.facts.export_id = *model::parse_uuid(shown_export);
    file.facts.query.game_id = *model::parse_uuid("00000000-0000-4000-8000-000000000001");
    file.facts.query.span = {7, 18'446'744'073'709'551'615ULL};
    file.csv = open_shared(folder, numbered_bytes(1'000));
    if (compressed) file.gzip = open_shared(other, numbered_bytes(100));
    request.method = method::get;
    request.id = "r";
  }
  response answer() const { return export_response(request, file); }
  bool says(std::string_view line) const { return has_line(answer(), line); }
  /// The answer as `STATUS offset+length of plain|gzip`.
  std::string sent() const {
    const auto got = answer();
    const auto* part = std::get_if<file_range>(&got.body);
    if (part == nullptr) return std::to_string(got.status) + " problem";
    return std::to_string(got.status) + " " + std::to_string(part->offset) + "+" +
           std::to_string(part->length) + " of " + (part->file == file.csv ? "plain" : "gzip");
  }
};

TEST_CASE("an export in a bucket is an uncached redirect") {
  export_response_bench on;
  on.file.csv = nullptr;
  on.file.gzip = nullptr;
  on.file.elsewhere = {"http://objects.example/get", "http://objects.example/head"};
  CHECK(on.answer().status == 307);
  CHECK(on.says("Location: http://objects.example/get"));
  CHECK(on.says("Cache-Control: no-store"));
  on.request.method = method::head;
  CHECK(on.says("Location: http://objects.example/head"));
}

TEST_CASE("an export is a private attachment named after game and span") {
  const export_response_bench on;
  const auto got = on.answer();
  CHECK(on.sent() == "200 0+1000 of plain");
  CHECK(got.content_type == "text/csv; charset=utf-8; header=present");
  CHECK(has_line(got, "ETag: " + plain_etag));
  CHECK(has_line(got, "Cache-Control: private, no-transform"));
  CHECK(has_line(got, "Vary: Accept-Encoding"));
  CHECK(has_line(got, "Accept-Ranges: bytes"));
  CHECK(has_line(got, "Content-Disposition: attachment; filename=\"lobby-history_"
                      "00000000-0000-4000-8000-000000000001_7_18446744073709551615.csv\""));
  CHECK(!has_line(got, "Content-Encoding: gzip"));
}

TEST_CASE("a client that accepts gzip gets the compressed file and its own ETag") {
  export_response_bench on;
  on.request.set(header::accept_encoding, "gzip, br");
  CHECK(on.sent() == "200 0+100 of gzip");
  CHECK(on.says("ETag: " + gzip_etag));
  CHECK(on.says("Content-Encoding: gzip"));
  CHECK(on.says("Vary: Accept-Encoding"));
  on.request.method = method::head;
  CHECK(on.sent() == "200 0+100 of gzip");

  export_response_bench plain{false};
  plain.request.set(header::accept_encoding, "gzip");
  CHECK(plain.sent() == "200 0+1000 of plain");
}

TEST_CASE("If-None-Match is about the representation that would be sent") {
  export_response_bench on;
  on.request.set(header::if_none_match, plain_etag);
  CHECK(on.answer().status == 304);
  CHECK(on.says("ETag: " + plain_etag));
  CHECK(on.says("Vary: Accept-Encoding"));
  on.request.set(header::accept_encoding, "gzip");
  CHECK(on.answer().status == 200);
  on.request.set(header::if_none_match, plain_etag + ", " + gzip_etag);
  CHECK(on.answer().status == 304);
  CHECK(on.says("ETag: " + gzip_etag));
}

TEST_CASE("If-Range chooses the representation of a range") {
  struct row {
    std::string accept;
    std::string if_range;
    std::string sent;
  };
  for (const auto& each :
       {row{"", "", "206 10+90 of plain"}, row{"gzip", "", "206 10+90 of plain"},
        row{"gzip", plain_etag, "206 10+90 of plain"}, row{"gzip", gzip_etag, "206 10+90 of gzip"},
        row{"", gzip_etag, "200 0+1000 of plain"},
        row{"gzip", "\"other\"", "200 0+1000 of plain"}}) {
    CAPTURE(each.accept, each.if_range);
    export_response_bench on;
    if (!each.accept.empty()) on.request.set(header::accept_encoding, each.accept);
    if (!each.if_range.empty()) on.request.set(header::if_range, each.if_range);
    on.request.set(header::range, "bytes=10-99");
    CHECK(on.sent() == each.sent);
  }
}

TEST_CASE("If-Match chooses between the representations, and neither is 412") {
  struct row {
    std::string accept;
    std::string if_match;
    std::string range;
    std::string sent;
  };
  const std::string part = "bytes=10-99";
  for (const auto& each :
       {row{"gzip", gzip_etag, "", "200 0+100 of gzip"},
        row{"gzip", gzip_etag, part, "206 10+90 of gzip"},
        row{"gzip", plain_etag, "", "200 0+1000 of plain"},
        row{"gzip", plain_etag, part, "206 10+90 of plain"},
        row{"gzip", plain_etag + ", " + gzip_etag, "", "200 0+100 of gzip"},
        row{"gzip", "*", "", "200 0+100 of gzip"}, row{"gzip", "*", part, "206 10+90 of plain"},
        row{"", plain_etag, "", "200 0+1000 of plain"}, row{"", gzip_etag, "", "412 problem"},
        row{"gzip", "\"other\"", part, "412 problem"},
        row{"gzip", "W/" + gzip_etag, "", "412 problem"}}) {
    CAPTURE(each.accept, each.if_match, each.range);
    export_response_bench on;
    if (!each.accept.empty()) on.request.set(header::accept_encoding, each.accept);
    if (!each.range.empty()) on.request.set(header::range, each.range);
    on.request.set(header::if_match, each.if_match);
    CHECK(on.sent() == each.sent);
    CHECK(on.says("Vary: Accept-Encoding"));
  }
}

TEST_CASE("an export range behind the end is 416 with the size") {
  export_response_bench on;
  on.request.set(header::range, "bytes=1000-");
  CHECK(on.answer().status == 416);
  CHECK(on.says("Content-Range: bytes */1000"));
}

TEST_CASE("a link's query has each value once, as it was written") {
  const auto link = read_export_link("expires=1700000000&signature=ab12");
  REQUIRE(link);
  CHECK(link->expires_s == 1'700'000'000);
  CHECK(link->signature == "ab12");
  CHECK(read_export_link("utm=1&signature=ab&x&expires=7&")->expires_s == 7);
  for (const auto* query :
       {"", "expires=1", "signature=ab", "expires=1&signature=a&signature=a",
        "expires=1&expires=1&signature=a", "expires=01&signature=a", "expires=&signature=a",
        "expires=-1&signature=a", "expires=1x&signature=a", "Expires=1&signature=a",
        "expires=18446744073709551616&signature=a"}) {
    CAPTURE(query);
    CHECK(!read_export_link(query));
  }
}

using fixtures::contains;

request asking_console(std::string if_none_match = {}, std::string accept_encoding = {}) {
  request made;
  made.method = method::get;
  if (!if_none_match.empty()) made.set(header::if_none_match, std::move(if_none_match));
  if (!accept_encoding.empty()) made.set(header::accept_encoding, std::move(accept_encoding));
  return made;
}

TEST_CASE("static content is sent plain, compressed or as 304, with own ETags") {
  const std::string text(5'000, 'a');
  const auto content = make_static_content("text/css", text);
  REQUIRE(content->gzip);
  CHECK(fixtures::inflated(*content->gzip) == text);
  const auto plain = static_response(asking_console(), *content, "");
  CHECK(plain.status == 200);
  CHECK(plain.body_bytes() == text);
  CHECK(plain.headers == "Vary: Accept-Encoding\r\nETag: \"" + content->digest + "\"\r\n");
  const auto small = static_response(asking_console({}, "gzip"), *content, "");
  CHECK(small.body_bytes() == *content->gzip);
  CHECK(contains(small.headers, "-gzip\"\r\nContent-Encoding: gzip\r\n"));
  CHECK(static_response(asking_console('"' + content->digest + '"'), *content, "").status == 304);
  CHECK(static_response(asking_console('"' + content->digest + '"', "gzip"), *content, "").status ==
        200);
}

TEST_CASE("what does not get smaller is not compressed") {
  const auto content = make_static_content("text/css", "a");
  CHECK_FALSE(content->gzip);
  CHECK(static_response(asking_console({}, "gzip"), *content, "").body_bytes() == "a");
}

TEST_CASE("the console's policy names the places to ping and nothing else beyond itself") {
  const auto policy = console_policy(" https://lon.example https://fra.example:8443");
  CHECK(policy.find("default-src 'none'") == 0);
  CHECK(contains(policy, "connect-src 'self' https://lon.example https://fra.example:8443;"));
  CHECK_FALSE(contains(policy, "unsafe"));
  CHECK(contains(policy, "frame-ancestors 'none'"));
}

TEST_CASE("files have the media type of their name's end") {
  CHECK(media_type_of("index.html") == "text/html; charset=utf-8");
  CHECK(media_type_of("assets/main-1.js") == "text/javascript; charset=utf-8");
  CHECK(media_type_of("assets/icon-1.svg") == "image/svg+xml");
  CHECK(media_type_of("LICENSE") == "application/octet-stream");
}

} // namespace
} // namespace matchcloud::http
