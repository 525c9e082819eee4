#include "http/front/file_response.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/shared_file.hpp"

namespace matchcloud::http {
namespace {

using namespace fixtures;

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
  /// The answer as `STATUS offset+length`.
  std::string sent() const {
    const auto got = answer();
    const auto* part = std::get_if<file_range>(&got.body);
    return std::to_string(got.status) + " " +
           (part == nullptr ? "problem"
                            : std::to_string(part->offset) + "+" + std::to_string(part->length));
  }
};

bool media_says(const response& answer, std::string_view line) {
  return ("\n" + std::string{answer.fixed_headers} + answer.headers)
             .find("\n" + std::string{line} + "\r\n") != std::string::npos;
}

TEST_CASE(
    "an image that is elsewhere is a redirect, which nobody keeps and every page may follow") {
  media_response_bench on;
  on.image.image = {nullptr, {"http://objects.example/get", "http://objects.example/head"}};
  on.request.set(header::if_none_match, etag);
  CHECK(on.answer().status == 307);
  CHECK(media_says(on.answer(), "Location: http://objects.example/get"));
  CHECK(media_says(on.answer(), "Cache-Control: no-store"));
  CHECK(media_says(on.answer(), "Access-Control-Allow-Origin: *"));
  CHECK(on.answer().body_size() == 0);
  on.request.method = method::head;
  CHECK(media_says(on.answer(), "Location: http://objects.example/head"));
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
    CHECK(media_says(got, line));
  }
  CHECK(!media_says(got, "Content-Range"));
  on.image.key.name.type = model::image_type::jpeg;
  CHECK(on.answer().content_type == "image/jpeg");
  CHECK(media_says(on.answer(),
                   "Content-Disposition: inline; filename=\"avatar-" + shown_image + ".jpg\""));
}

TEST_CASE("one range is a part of the image") {
  media_response_bench on;
  on.request.set(header::range, "bytes=990-2000");
  CHECK(on.sent() == "206 990+10");
  CHECK(media_says(on.answer(), "Content-Range: bytes 990-999/1000"));
  CHECK(media_says(on.answer(), "ETag: " + etag));
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

TEST_CASE("a range behind the end is a problem that tells the size") {
  media_response_bench on;
  on.request.set(header::range, "bytes=1000-");
  const auto got = on.answer();
  CHECK(got.status == 416);
  CHECK(media_says(got, "Content-Range: bytes */1000"));
  CHECK(media_says(got, "Access-Control-Allow-Origin: *"));
  CHECK(!media_says(got, "Cache-Control: public, max-age=31536000, immutable"));
  CHECK(got.body_bytes().find("range_not_satisfiable") != std::string_view::npos);
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
    CHECK(media_says(on.answer(), "ETag: " + etag));
    CHECK(media_says(on.answer(), "Access-Control-Allow-Origin: *"));
  }
}

TEST_CASE("who has the image already is told so, whatever range they ask for") {
  media_response_bench on;
  for (const auto& value : {etag, "W/" + etag, "\"x\", " + etag, std::string{"*"}}) {
    on.request.set(header::if_none_match, value);
    const auto got = on.answer();
    CHECK(got.status == 304);
    CHECK(got.content_type.empty());
    CHECK(media_says(got, "ETag: " + etag));
    CHECK(media_says(got, "Cache-Control: public, max-age=31536000, immutable"));
  }
  on.request.set(header::range, "bytes=5000-");
  CHECK(on.answer().status == 304);
  on.request.set(header::if_none_match, "\"x\"");
  on.request.set(header::range, "bytes=1-1");
  CHECK(on.sent() == "206 1+1");
}

} // namespace
} // namespace matchcloud::http
