#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/http/front/front_fixture.hpp"

namespace matchcloud::http {
namespace {

using namespace fixtures;
using base::owner;

const std::string target = "/matchmaker/regions/group";

std::shared_ptr<admitted_request> asking_group(std::string body) {
  auto request = front_bench::make("POST", target);
  request->set(header::content_type, "application/json"); // pages have to say so
  request->body = std::move(body);
  return request;
}

TEST_CASE("a group goes to the ranking, with its origin's host") {
  front_bench on;
  on.start();
  auto request = asking_group(R"({"players": [{"id": "anna", "address": "192.0.2.7"}, {}],
                            "strategy": "fair", "fair_within_ms": 5})");
  request->set(header::origin, "https://Play.Example:8443");
  const auto ref = on.send(request);
  REQUIRE(on.ranking_log->groups.size() == 1);
  const auto& got = on.ranking_log->groups[0];
  CHECK(got.exchange == ref);
  CHECK(got.origin_host == "play.example");
  CHECK_FALSE(got.namespace_id.has_value());
  REQUIRE(got.group.players.size() == 2);
  CHECK(got.group.players[0].id == "anna");
  CHECK(got.group.players[0].address == address_of(7));
  CHECK(got.group.strategy == model::group_strategy::fair);
  CHECK(got.group.fair_within_ms == 5);
  CHECK(on.sink.routes[ref.exchange] == std::pair{operation::rank_group, owner::region_ranking});

  const auto json = std::make_shared<const std::string>(R"({"regions":[]})");
  caf::anon_send(on.front, actors::json_made{ref, json});
  on.run();
  CHECK(on.answer().status == 200);
  CHECK(on.answer().content_type == "application/json");
  CHECK(says(on.answer(), any_origin_headers));
}

TEST_CASE("a group that cannot be read is refused before the ranking hears of it") {
  front_bench on;
  on.start();
  for (const std::string bad : {R"({"players": []})", R"({"players": [{"address": "x"}]})",
                                R"({"players": [{}], "strategy": "best"})", "{}"}) {
    CAPTURE(bad);
    const auto ref = on.send(asking_group(bad));
    CHECK(on.answer().status == 400);
    CHECK(has_code(on.answer(), "query_invalid"));
    CHECK(says(on.answer(), any_origin_headers));
    CHECK(on.sink.routes[ref.exchange] == std::pair{operation::rank_group, owner::none});
  }
  on.send(asking_group("{"));
  CHECK(has_code(on.answer(), "body_malformed"));
  on.send(asking_group("[]"));
  CHECK(has_code(on.answer(), "body_not_object"));
  on.send(asking_group(std::string(row_of(operation::rank_group).body_limit_bytes + 1, ' ')));
  CHECK(on.answer().status == 413);
  on.send("GET", target);
  CHECK(on.answer().status == 405);
  CHECK(on.ranking_log->groups.empty());
}

TEST_CASE("pages of configured origins may ask for a group") {
  front_bench on;
  on.settings->cors_origins = {"https://a.example"};
  on.start();
  auto preflight = front_bench::make("OPTIONS", target);
  preflight->set(header::origin, "https://a.example");
  preflight->set(header::access_control_request_method, "POST");
  on.send(preflight);
  CHECK(on.answer().status == 204);
  CHECK(says(on.answer(), "Access-Control-Allow-Origin: https://a.example\r\n"));
  CHECK(says(on.answer(), "Access-Control-Allow-Methods: POST\r\n"));
  CHECK(says(on.answer(), "Access-Control-Allow-Headers: Authorization, Content-Type, "));
}

} // namespace
} // namespace matchcloud::http
