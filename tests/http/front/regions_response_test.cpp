#include "http/front/static_content.hpp"

#include "tests/catch.hpp"
#include "tests/contains.hpp"

#include <string>
#include <vector>

namespace {

using namespace matchcloud;
using namespace matchcloud::http;
using matchcloud::fixtures::contains;

std::shared_ptr<const model::region_listing> listing(double distance_m = 0, std::size_t count = 2) {
  std::vector<model::region> regions;
  std::vector<model::listed_region> rows;
  for (std::size_t i = 0; i < count; ++i) {
    regions.push_back({"r" + std::to_string(i), "Region", "Cloud", {1, 2}});
    rows.push_back({i, distance_m});
  }
  return std::make_shared<const model::region_listing>(
      std::make_shared<const model::region_fragments>(regions), rows);
}

struct received {
  request of;

  received& with(header h, std::string_view value) {
    of.set(h, value);
    return *this;
  }
};

std::string header_of(const response& answer, std::string_view name) {
  const auto lines = std::string{answer.fixed_headers} + answer.headers;
  const auto at = lines.find(std::string{name} + ": ");
  if (at == std::string::npos) return {};
  const auto begin = at + name.size() + 2;
  return lines.substr(begin, lines.find("\r\n", begin) - begin);
}

std::string body_of(const response& answer) {
  std::string body;
  answer.append_body(body);
  CHECK(body.size() == answer.body_size());
  CHECK(body.size() == answer.memory_size());
  return body;
}

TEST_CASE("only pages get Access-Control-Expose-Headers") {
  request from;
  CHECK(header_of(regions_response(from, listing(), {true}), "Access-Control-Expose-Headers")
            .empty());
  from.set(header::origin, "https://a.example");
  const auto exposed =
      header_of(regions_response(from, listing(), {true}), "Access-Control-Expose-Headers");
  for (const std::string name : {"ETag", "Retry-After", "RateLimit, ", "RateLimit-Policy",
                                 "X-Request-Id", "Content-Disposition", "Content-Range"})
    CHECK(contains(exposed, name));
}

TEST_CASE("a listing says how it may be cached and what it depends on") {
  const auto answer = regions_response({}, listing(), {true});
  CHECK(answer.status == 200);
  CHECK(answer.content_type == "application/json");
  CHECK(header_of(answer, "Cache-Control") == "private, max-age=60");
  CHECK(header_of(answer, "Vary") == "Accept-Encoding, Origin");
  CHECK(header_of(answer, "Access-Control-Allow-Origin") == "*");
  CHECK(header_of(answer, "Content-Encoding").empty());
  CHECK(header_of(answer, "ETag").size() == 18);
  CHECK(body_of(answer).starts_with(R"({"regions":[{"region_id":"r0",)"));
  CHECK(header_of(regions_response({}, listing(), {false}), "Access-Control-Allow-Origin").empty());
}

TEST_CASE("a client that accepts gzip gets a compressed listing and its own ETag") {
  const auto plain = regions_response({}, listing(), {true});
  const auto gzip =
      regions_response(received{}.with(header::accept_encoding, "br, gzip").of, listing(), {true});
  CHECK(header_of(gzip, "Content-Encoding") == "gzip");
  CHECK(header_of(gzip, "Vary") == "Accept-Encoding, Origin");
  CHECK(body_of(gzip).starts_with("\x1f\x8b"));
  CHECK(gzip.body_size() < plain.body_size());
  const auto tag = header_of(plain, "ETag");
  CHECK(header_of(gzip, "ETag") == tag.substr(0, 17) + "-gzip\"");
  for (const auto* refused : {"identity", "gzip;q=0", "br", "*;q=0", ""}) {
    const auto answer =
        regions_response(received{}.with(header::accept_encoding, refused).of, listing(), {true});
    CHECK(header_of(answer, "Content-Encoding").empty());
    CHECK(header_of(answer, "ETag") == tag);
  }
}

TEST_CASE("a cached compressed listing equals one compressed now") {
  const auto of = listing();
  std::string text;
  of->append_gzip(text);
  const auto kept = std::make_shared<const std::string>(text);
  const auto both = [&](const received& by) {
    return std::pair{regions_response(by.of, of, {true}),
                     regions_response(by.of, of, {true}, kept)};
  };
  received asking;
  asking.with(header::accept_encoding, "gzip");
  const auto tag = header_of(both(asking).first, "ETag");
  for (const auto& [by, status] :
       {std::pair{asking, 200}, std::pair{received{asking}.with(header::if_none_match, tag), 304},
        std::pair{received{asking}.with(header::if_match, "\"other\""), 412}}) {
    const auto [made, sent] = both(by);
    CHECK(made.status == status);
    CHECK(sent.status == status);
    CHECK(sent.headers == made.headers);
    CHECK(sent.fixed_headers == made.fixed_headers);
    CHECK(sent.content_type == made.content_type);
    CHECK(body_of(sent) == body_of(made));
  }
}

TEST_CASE("what gzip would make longer is sent plain") {
  const auto answer =
      regions_response(received{}.with(header::accept_encoding, "gzip").of, listing(0, 0), {true});
  CHECK(header_of(answer, "Content-Encoding").empty());
  CHECK(body_of(answer) == R"({"regions":[]})");
}

TEST_CASE("a known listing is 304, per content coding") {
  const auto tag = header_of(regions_response({}, listing(), {true}), "ETag");
  const auto gzip_tag = tag.substr(0, 17) + "-gzip\"";
  const auto status = [&](std::string_view if_none_match, bool gzip,
                          std::shared_ptr<const model::region_listing> of = listing()) {
    received by;
    by.with(header::if_none_match, if_none_match);
    if (gzip) by.with(header::accept_encoding, "gzip");
    return regions_response(by.of, std::move(of), {true}).status;
  };
  CHECK(status(tag, false) == 304);

  CHECK(status(gzip_tag, true) == 304);
  CHECK(status(gzip_tag, false) == 200);
  CHECK(status(tag, true) == 200);
  CHECK(status("\"x\"", false) == 200);
  CHECK(status(tag, false, listing(1'000)) == 200);

  // The header describes the listing, not a body: there is none.
  const auto gzip = regions_response(
      received{}.with(header::if_none_match, gzip_tag).with(header::accept_encoding, "gzip").of,
      listing(), {true});
  CHECK(header_of(gzip, "ETag") == gzip_tag);
  CHECK(header_of(gzip, "Content-Encoding").empty());
  CHECK(gzip.content_type.empty());

  const auto answer =
      regions_response(received{}.with(header::if_none_match, tag).of, listing(), {true});
  CHECK(header_of(answer, "ETag") == tag);
  CHECK(header_of(answer, "Cache-Control") == "private, max-age=60");
  CHECK(header_of(answer, "Vary") == "Accept-Encoding, Origin");
  CHECK(header_of(answer, "Access-Control-Allow-Origin") == "*");
  CHECK(header_of(answer, "Content-Encoding").empty());
}

TEST_CASE("If-Match of another listing is an uncached 412") {
  const auto tag = header_of(regions_response({}, listing(), {true}), "ETag");
  const auto answer_to = [&](std::string_view if_match) {
    return regions_response(
        received{}.with(header::if_match, if_match).with(header::if_none_match, tag).of, listing(),
        {true});
  };
  CHECK(answer_to(tag).status == 304);
  CHECK(answer_to("*").status == 304);
  const auto refused = answer_to("\"x\"");
  CHECK(refused.status == 412);
  CHECK(header_of(refused, "ETag") == tag);
  CHECK(header_of(refused, "Cache-Control").empty());
  CHECK(header_of(refused, "Vary") == "Accept-Encoding, Origin");
  CHECK(header_of(refused, "Access-Control-Allow-Origin") == "*");
}

TEST_CASE("the ETag of a detailed listing changes with any byte") {
  const auto json = std::make_shared<const std::string>(R"({"regions":[]})");
  const auto answer =
      detailed_response(received{}.with(header::accept_encoding, "gzip").of, json, {true});
  CHECK(answer.status == 200);
  CHECK(body_of(answer) == *json);
  CHECK(header_of(answer, "Content-Encoding").empty());
  CHECK(header_of(answer, "Cache-Control") == "private, max-age=60");
  const auto tag = header_of(answer, "ETag");
  CHECK(tag.size() == 18);
  const auto other = std::make_shared<const std::string>(R"({"regions":[ ]})");
  CHECK(header_of(detailed_response({}, other, {true}), "ETag") != tag);
  const auto known = received{}.with(header::if_none_match, tag).of;
  CHECK(detailed_response(known, json, {true}).status == 304);
  CHECK(detailed_response(known, other, {true}).status == 200);
  CHECK(detailed_response(received{}.with(header::if_match, "\"x\"").of, json, {true}).status ==
        412);
}

} // namespace
