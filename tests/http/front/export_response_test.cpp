#include "http/front/file_response.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/shared_file.hpp"

namespace matchcloud::http {
namespace {

using namespace fixtures;

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
  /// The answer as `STATUS offset+length of plain|gzip`.
  std::string sent() const {
    const auto got = answer();
    const auto* part = std::get_if<file_range>(&got.body);
    if (part == nullptr) return std::to_string(got.status) + " problem";
    return std::to_string(got.status) + " " + std::to_string(part->offset) + "+" +
           std::to_string(part->length) + " of " + (part->file == file.csv ? "plain" : "gzip");
  }
};

bool export_says(const response& answer, std::string_view line) {
  return ("\n" + std::string{answer.fixed_headers} + answer.headers)
             .find("\n" + std::string{line} + "\r\n") != std::string::npos;
}

TEST_CASE("an export that is elsewhere is a redirect, which nobody keeps") {
  export_response_bench on;
  on.file.csv = nullptr;
  on.file.gzip = nullptr;
  on.file.elsewhere = {"http://objects.example/get", "http://objects.example/head"};
  CHECK(on.answer().status == 307);
  CHECK(export_says(on.answer(), "Location: http://objects.example/get"));
  CHECK(export_says(on.answer(), "Cache-Control: no-store"));
  on.request.method = method::head;
  CHECK(export_says(on.answer(), "Location: http://objects.example/head"));
}

TEST_CASE("an export is an attachment named after game and span, for one client alone") {
  const export_response_bench on;
  const auto got = on.answer();
  CHECK(on.sent() == "200 0+1000 of plain");
  CHECK(got.content_type == "text/csv; charset=utf-8; header=present");
  CHECK(export_says(got, "ETag: " + plain_etag));
  CHECK(export_says(got, "Cache-Control: private, no-transform"));
  CHECK(export_says(got, "Vary: Accept-Encoding"));
  CHECK(export_says(got, "Accept-Ranges: bytes"));
  CHECK(export_says(got, "Content-Disposition: attachment; filename=\"lobby-history_"
                         "00000000-0000-4000-8000-000000000001_7_18446744073709551615.csv\""));
  CHECK(!export_says(got, "Content-Encoding: gzip"));
}

TEST_CASE("who takes gzip gets the compressed file, with an entity tag of its own") {
  export_response_bench on;
  on.request.set(header::accept_encoding, "gzip, br");
  CHECK(on.sent() == "200 0+100 of gzip");
  CHECK(export_says(on.answer(), "ETag: " + gzip_etag));
  CHECK(export_says(on.answer(), "Content-Encoding: gzip"));
  CHECK(export_says(on.answer(), "Vary: Accept-Encoding"));
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
  CHECK(export_says(on.answer(), "ETag: " + plain_etag));
  CHECK(export_says(on.answer(), "Vary: Accept-Encoding"));
  on.request.set(header::accept_encoding, "gzip");
  CHECK(on.answer().status == 200);
  on.request.set(header::if_none_match, plain_etag + ", " + gzip_etag);
  CHECK(on.answer().status == 304);
  CHECK(export_says(on.answer(), "ETag: " + gzip_etag));
}

TEST_CASE("a part is of the representation whose tag If-Range names, and plain without one") {
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
    CHECK(export_says(on.answer(), "Vary: Accept-Encoding"));
  }
}

TEST_CASE("a part behind the end is refused with the size") {
  export_response_bench on;
  on.request.set(header::range, "bytes=1000-");
  CHECK(on.answer().status == 416);
  CHECK(export_says(on.answer(), "Content-Range: bytes */1000"));
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

} // namespace
} // namespace matchcloud::http
