#include "http/front/front.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/http/front/front_fixture.hpp"

#include <map>

namespace matchcloud::http {
namespace {

using namespace fixtures;
using actors::exchange_ref;
using base::owner;

const std::string game = "00000000-0000-0000-0000-000000000001";
constexpr auto export_body_limit = row_of(operation::export_lobby_history).body_limit_bytes;

TEST_CASE("a front attaches to its transport once, when it knows the owners") {
  front_bench on;
  on.start(false);
  CHECK(on.sink.attached.empty());
  on.announce();
  on.announce();
  REQUIRE(on.sink.attached.size() == 1);
  CHECK(on.sink.attached[0] == on.front);
}

TEST_CASE("validations go to the validator with kind, game and body") {
  front_bench on;
  on.start();
  struct expectation {
    std::string path;
    operation which;
    model::payload_kind kind;
    model::uuid game_id;
  };
  for (const auto& row :
       {expectation{"/cloud/games/" + game + "/versions/validate", operation::validate_version,
                    model::payload_kind::version, id_of(1)},
        expectation{
            "/cloud/games/validate", operation::validate_game, model::payload_kind::game, {}},
        expectation{
            "/cloud/groups/validate", operation::validate_group, model::payload_kind::group, {}}}) {
    CAPTURE(row.path);
    auto request = front_bench::make("POST", row.path);
    request->body = "{\"a\":1}";
    const auto ref = on.send(request);
    REQUIRE(!on.validator_log->validations.empty());
    const auto& got = on.validator_log->validations.back();
    CHECK(got.exchange == ref);
    CHECK(got.kind == row.kind);
    CHECK(got.game_id.value_or(model::uuid{}) == row.game_id);
    CHECK(*got.body == "{\"a\":1}");
    CHECK(on.sink.routes[ref.exchange] == std::pair{row.which, owner::validator});
  }
  CHECK(on.sink.answers.empty());
}

TEST_CASE("a payload that its validator defers goes to the pool's, and its place with it") {
  front_bench on;
  on.start();
  auto request = front_bench::make("POST", "/cloud/games/validate");
  request->body = "{}";
  const auto ref = on.send(request);
  REQUIRE(on.validator_log->validations.size() == 1);
  const auto deferred = on.validator_log->validations[0];
  caf::anon_send(on.front, actors::validation_deferred{ref, deferred});
  on.run();
  REQUIRE(on.large_log->validations.size() == 1);
  CHECK(on.large_log->validations[0].body == deferred.body);
  CHECK(on.sink.routes[ref.exchange] ==
        std::pair{operation::validate_game, owner::large_validator});
  CHECK(on.sink.answers.empty());
}

TEST_CASE("large bodies are validated on the pool") {
  front_bench on;
  on.start();
  auto largest = front_bench::make("POST", "/cloud/games/validate");
  largest->body.assign(actors::large_body_bytes, ' ');
  on.send(largest);
  CHECK(on.validator_log->validations.size() == 1);
  CHECK(on.large_log->validations.empty());
  auto beyond = front_bench::make("POST", "/cloud/games/validate");
  beyond->body.assign(actors::large_body_bytes + 1, ' ');
  const auto ref = on.send(beyond);
  CHECK(on.large_log->validations.size() == 1);
  CHECK(on.sink.routes[ref.exchange].second == owner::large_validator);
}

TEST_CASE("a reply becomes a response of the exchange it names") {
  front_bench on;
  on.start();
  const auto json = std::make_shared<const std::string>(R"({"errors":[]})");
  const auto ref = on.send("POST", "/cloud/games/validate");
  caf::anon_send(on.front, actors::json_made{ref, json});
  on.run();
  CHECK(on.answer().status == 200);
  CHECK(on.answer().content_type == "application/json");
  // The bytes are shared, not copied.
  CHECK(std::get<std::shared_ptr<const std::string>>(on.answer().body) == json);
  CHECK(!says(on.answer(), "Access-Control"));
}

TEST_CASE("a failed operation becomes a problem with the request's id") {
  front_bench on;
  on.start();
  const auto ref = on.send("POST", "/cloud/games/validate");
  caf::anon_send(on.front,
                 actors::operation_failed{ref, {base::errc::body_malformed, "line 1, column 2"}});
  on.run();
  CHECK(on.answer().status == 400);
  CHECK(has_code(on.answer(), "body_malformed"));
  CHECK(on.answer().body_bytes().find("\"request_id\":\"id-1\"") != std::string_view::npos);
}

TEST_CASE("a failure for a client that is gone is dropped") {
  front_bench on;
  on.start();
  caf::anon_send(on.front, actors::operation_failed{{77, 1}, {base::errc::body_malformed, ""}});
  on.run();
  CHECK(on.sink.answers.empty());
}

TEST_CASE("listing regions asks for the client's address and its origin's host") {
  front_bench on;
  on.start();
  auto request = front_bench::make("GET", "/matchmaker/regions?x=1");
  request->set(header::origin, "https://Play.Example:8443");
  const auto ref = on.send(request);
  REQUIRE(on.ranking_log->rankings.size() == 1);
  CHECK(on.ranking_log->rankings[0].exchange == ref);
  CHECK(on.ranking_log->rankings[0].client == address_of(1));
  CHECK(on.ranking_log->rankings[0].origin_host == "play.example");
  CHECK(on.sink.routes[ref.exchange] == std::pair{operation::list_regions, owner::region_ranking});

  for (const auto& [origin, host] : std::map<std::string, std::string>{
           {"null", ""}, {"http://[::1]:80", "[::1]"}, {"http://a.example", "a.example"}}) {
    CAPTURE(origin);
    auto other = front_bench::make("GET", "/matchmaker/regions");
    other->set(header::origin, origin);
    on.send(other);
    CHECK(on.ranking_log->rankings.back().origin_host == host);
  }
}

TEST_CASE("HEAD asks what GET asks") {
  front_bench on;
  on.start();
  on.send("HEAD", "/matchmaker/regions");
  CHECK(on.ranking_log->rankings.size() == 1);
}

TEST_CASE("the address behind a trusted proxy counts, any other's word does not") {
  front_bench on;
  on.settings->proxies.trusted_proxies = {*model::parse_cidr("192.0.2.1")};
  on.start();
  auto by_proxy = front_bench::make("GET", "/matchmaker/regions");
  by_proxy->set(header::x_forwarded_for, "198.51.100.7");
  on.send(by_proxy);
  CHECK(to_string(on.ranking_log->rankings.back().client) == "198.51.100.7");
  auto by_stranger = front_bench::make("GET", "/matchmaker/regions");
  by_stranger->peer = address_of(2);
  by_stranger->set(header::x_forwarded_for, "198.51.100.7");
  on.send(by_stranger);
  CHECK(on.ranking_log->rankings.back().client == address_of(2));
}

TEST_CASE("an unknown path is 404, a path with a broken escape 400") {
  front_bench on;
  on.start();
  on.send("GET", "/nowhere");
  CHECK(on.answer().status == 404);
  CHECK(has_code(on.answer(), "route_not_found"));
  CHECK(on.sink.routes[on.last] == std::pair{operation::unmatched, owner::none});
  on.send("GET", "/%zz");
  CHECK(on.answer().status == 400);
  CHECK(has_code(on.answer(), "target_malformed"));
}

TEST_CASE("paths live below the base path") {
  front_bench on;
  on.settings->base_path = "/api";
  on.start();
  on.send("GET", "/api/matchmaker/regions");
  CHECK(on.ranking_log->rankings.size() == 1);
  on.send("GET", "/matchmaker/regions");
  CHECK(on.answer().status == 404);
}

TEST_CASE("another method is 405 and told which there are") {
  front_bench on;
  on.start();
  on.send("POST", "/matchmaker/regions");
  CHECK(on.answer().status == 405);
  CHECK(on.answer().headers == "Allow: GET, HEAD, OPTIONS\r\n" + std::string{no_store_header} +
                                   std::string{any_origin_headers});
  CHECK(on.sink.routes[on.last] == std::pair{operation::list_regions, owner::none});
  on.send("GET", "/cloud/games/validate");
  CHECK(on.answer().status == 405);
  CHECK(on.answer().headers == "Allow: POST, OPTIONS\r\n" + std::string{no_store_header});
  on.send("PATCH", "/cloud/games/validate");
  CHECK(on.answer().status == 405);
  CHECK(on.answer().body_bytes().find("PATCH") != std::string_view::npos);
}

TEST_CASE("a method that the service does not know is 501, whatever the path") {
  front_bench on;
  on.start();
  for (const std::string method : {"BREW", "TRACE", "get", "Post", "QUERY"})
    for (const std::string path : {"/cloud/games/validate", "/nowhere", "/%zz"}) {
      CAPTURE(method, path);
      on.send(method, path);
      CHECK(on.answer().status == 501);
      CHECK(has_code(on.answer(), "method_not_implemented"));
      CHECK(on.answer().body_bytes().find("'" + method + "'") != std::string_view::npos);
      CHECK(on.sink.routes[on.last] == std::pair{operation::unmatched, owner::none});
    }
}

TEST_CASE("405 comes before 400 ids, ids before 415") {
  front_bench on;
  on.start();
  on.send("GET", "/cloud/games/nonsense/versions/validate");
  CHECK(on.answer().status == 405);
  auto request = front_bench::make("POST", "/cloud/games/nonsense/versions/validate");
  request->set(header::content_type, "text/plain");
  on.send(request);
  CHECK(has_code(on.answer(), "id_malformed"));
  CHECK(on.sink.routes[on.last] == std::pair{operation::validate_version, owner::none});
  CHECK(on.validator_log->validations.empty());
}

TEST_CASE("a body is JSON or undeclared") {
  front_bench on;
  on.start();
  for (const auto& [type, accepted] :
       std::map<std::string, bool>{{"application/json", true},
                                   {"Application/JSON;charset=utf-8", true},
                                   {"application/json ; charset=utf-8", true},
                                   {"application/jsonp", false},
                                   {"application/json+x", false},
                                   {"application", false},
                                   {"text/json", false},
                                   {"", true}}) {
    CAPTURE(type);
    const auto before = on.validator_log->validations.size();
    auto request = front_bench::make("POST", "/cloud/games/validate");
    request->set(header::content_type, type);
    on.send(request);
    CHECK((on.validator_log->validations.size() == before + 1) == accepted);
    if (!accepted) CHECK(on.answer().status == 415);
  }
}

TEST_CASE("a game's avatars are asked of their owner, which answers with the body") {
  front_bench on;
  on.start();
  const auto asked = on.send("GET", "/cloud/games/" + game + "/avatars");
  REQUIRE(on.avatar_log->avatar_lists.size() == 1);
  const auto& got = on.avatar_log->avatar_lists.back();
  CHECK(got.game_id == id_of(1));
  CHECK(got.exchange == asked);
  REQUIRE(got.ticket);
  CHECK_FALSE(is_over(got.ticket));
  CHECK(on.sink.routes[asked.exchange] == std::pair{operation::list_avatars, owner::avatar});
  const exchange_ref ref{on.last, 1};
  const auto body = std::make_shared<const std::string>(R"({"custom_avatars":[]})");
  caf::anon_send(on.front, actors::json_made{ref, body, true});
  on.run();
  CHECK(on.answer().status == 200);
  CHECK(on.answer().content_type == json_type);
  CHECK(on.answer().body_bytes().data() == body->data()); // shared, not copied
}

TEST_CASE("requests that wait together are performed in order, and listings asked for together") {
  front_bench on;
  on.start();
  const auto first = on.wait("GET", "/matchmaker/regions");
  on.wait("GET", "/ping");
  const auto third = on.wait("GET", "/matchmaker/regions");
  on.wait("GET", "/nowhere");
  on.take_waiting();
  REQUIRE(on.sink.answers.size() == 2);
  CHECK(on.sink.answers[0].second.status == 204);
  CHECK(on.sink.answers[1].second.status == 404);
  const auto& asked = on.ranking_log->rankings;
  REQUIRE(asked.size() == 2);
  CHECK(asked[0].exchange == first);
  CHECK(asked[1].exchange == third);
  CHECK(on.ranking_log->together == std::vector<std::size_t>{2});

  const std::vector<model::region> regions{{"lon", "London", "Cloud", {51.5, 0}}};
  const auto listing = std::make_shared<const model::region_listing>(
      std::make_shared<const model::region_fragments>(regions),
      std::vector<model::listed_region>{{0, 0}});
  caf::anon_send(on.front,
                 actors::many_ranked{{{first, listing}, {{99, 1}, listing}, {third, listing}}});
  on.run();
  REQUIRE(on.sink.answers.size() == 4); // who is gone gets none
  CHECK(on.sink.answers[2].first == first);
  CHECK(on.sink.answers[3].first == third);
  CHECK(on.sink.answers[3].second.status == 200);
}

TEST_CASE("however many requests wait, each is performed, and so many together at most") {
  front_bench on;
  on.start();
  constexpr auto at_once = front::requests_at_once;
  for (std::size_t i = 0; i < 2 * at_once + 1; ++i)
    on.wait("GET", "/matchmaker/regions");
  on.take_waiting();
  CHECK(on.sink.waiting.empty());
  CHECK(on.ranking_log->rankings.size() == 2 * at_once + 1);
  CHECK(on.ranking_log->together == std::vector<std::size_t>{at_once, at_once});
}

TEST_CASE("listings that find the mailbox full are answered, and not asked for") {
  front_bench on;
  on.start();
  on.sink.full = true;
  on.wait("GET", "/matchmaker/regions");
  on.wait("GET", "/matchmaker/regions");
  on.take_waiting();
  CHECK(on.sink.answers.size() == 2);
  CHECK(on.ranking_log->rankings.empty());
}

TEST_CASE("avatars of what is no UUID are 400, without their owner") {
  front_bench on;
  on.start();
  on.send("GET", "/cloud/games/42/avatars");
  CHECK(on.answer().status == 400);
  CHECK(has_code(on.answer(), "id_malformed"));
}

TEST_CASE("an export goes to its actor with game and body, and its answer is a response") {
  front_bench on;
  on.start();
  auto request =
      front_bench::make("POST", "/cloud/games/" + game + "/matchmaker/lobbies/export-history");
  request->body.assign(export_body_limit, ' ');
  const auto ref = on.send(request);
  REQUIRE(on.export_log->exports.size() == 1);
  CHECK(on.export_log->exports[0].exchange == ref);
  CHECK(on.export_log->exports[0].game_id == id_of(1));
  CHECK(on.export_log->exports[0].body->size() == export_body_limit);
  CHECK(on.sink.routes[on.last] == std::pair{operation::export_lobby_history, owner::lobby_export});
  const auto link = std::make_shared<const std::string>(R"({"url":"u"})");
  caf::anon_send(on.front, actors::export_linked{ref, link});
  on.run();
  CHECK(on.answer().status == 200);
  CHECK(on.answer().content_type == "application/json");
  CHECK(on.answer().body_bytes() == R"({"url":"u"})");
  CHECK(on.answer().headers.find("Matchcloud") == std::string::npos);
  const auto again = on.send(request);
  caf::anon_send(on.front, actors::export_linked{again, link, 1'767'225'600'000});
  on.run();
  CHECK(on.answer().headers.find("Matchcloud-Complete-From: 2026-01-01T00:00:00.000Z\r\n") !=
        std::string::npos);
}

TEST_CASE("what cannot be an export is refused before anybody works on it") {
  front_bench on;
  on.start();
  const auto path = "/cloud/games/" + game + "/matchmaker/lobbies/export-history";
  on.send("POST", "/cloud/games/7/matchmaker/lobbies/export-history");
  CHECK(has_code(on.answer(), "id_malformed"));
  auto text = front_bench::make("POST", path);
  text->set(header::content_type, "text/plain");
  on.send(text);
  CHECK(has_code(on.answer(), "media_type_unsupported"));
  auto large = front_bench::make("POST", path);
  large->body.assign(export_body_limit + 1, ' ');
  on.send(large);
  CHECK(on.answer().status == 413);
  on.send("GET", path);
  CHECK(on.answer().status == 405);
  CHECK(on.export_log->exports.empty());
}

TEST_CASE("a download goes to its actor with what the URL says and what the client takes") {
  front_bench on;
  on.start();
  const auto path = "/exports/" + game + "/lobby-history.csv";
  auto request = front_bench::make("GET", path + "?expires=17&signature=ab");
  request->set(header::accept_encoding, "gzip");
  const auto ref = on.send(request);
  REQUIRE(on.download_log->export_openings.size() == 1);
  const auto& got = on.download_log->export_openings[0];
  CHECK(got.exchange == ref);
  CHECK(got.export_id == id_of(1));
  CHECK(got.expires_s == 17);
  CHECK(got.signature == "ab");
  CHECK(got.gzip);
  on.send("HEAD", path + "?signature=ab&expires=17");
  CHECK(on.download_log->export_openings.size() == 2);
  CHECK(!on.download_log->export_openings[1].gzip);
  auto part = front_bench::make("GET", path + "?expires=17&signature=ab");
  part->set(header::accept_encoding, "gzip");
  part->set(header::range, "bytes=0-9");
  on.send(part); // must not wait until the file is compressed
  REQUIRE(on.download_log->export_openings.size() == 3);
  CHECK(!on.download_log->export_openings[2].gzip);

  on.send("GET", path);
  CHECK(on.answer().status == 403);
  CHECK(has_code(on.answer(), "signature_invalid"));
  on.send("GET", "/exports/7/lobby-history.csv?expires=17&signature=ab");
  CHECK(has_code(on.answer(), "id_malformed"));
  on.send("POST", path + "?expires=17&signature=ab");
  CHECK(on.answer().status == 405);
  CHECK(on.download_log->export_openings.size() == 3);
}

TEST_CASE("OPTIONS says what a path takes") {
  front_bench on;
  on.start();
  on.send("OPTIONS", "*");
  CHECK(on.answer().status == 204);
  CHECK(says(on.answer(), "Allow: GET, HEAD, POST, OPTIONS\r\n"));
  on.send("OPTIONS", "/cloud/games/validate");
  CHECK(on.answer().status == 204);
  CHECK(on.answer().headers == "Allow: POST, OPTIONS\r\n");
  on.send("OPTIONS", "/matchmaker/regions");
  CHECK(on.answer().headers == "Allow: GET, HEAD, OPTIONS\r\n");
  on.send("OPTIONS", "/nowhere");
  CHECK(on.answer().status == 404);
}

std::shared_ptr<admitted_request> preflight(const std::string& path, const std::string& origin) {
  auto request = front_bench::make("OPTIONS", path);
  request->set(header::origin, origin);
  request->set(header::access_control_request_method, "GET");
  return request;
}

TEST_CASE("any origin may read the regions by default, and nothing else") {
  front_bench on;
  on.start();
  on.send(preflight("/matchmaker/regions", "https://a.example"));
  CHECK(on.answer().status == 204);
  CHECK(says(on.answer(), "Access-Control-Allow-Origin: *\r\n"));
  CHECK(says(on.answer(), "Access-Control-Allow-Methods: GET, HEAD\r\n"));
  CHECK(says(on.answer(), "Access-Control-Max-Age: "));
  // A page's own If-None-Match header needs a preflight.
  CHECK(says(on.answer(),
             "Access-Control-Allow-Headers: Authorization, If-Match, If-None-Match, X-Request-Id, "
             "baggage, sentry-trace, traceparent, tracestate\r\n"));
  on.send(preflight("/cloud/games/validate", "https://a.example"));
  CHECK(!says(on.answer(), "Access-Control"));
  on.reply_regions(on.send("GET", "/matchmaker/regions"));
  CHECK(says(on.answer(), "Access-Control-Allow-Origin: *\r\n"));
  // Browsers reject the header if it is repeated or names a further origin.
  auto request = front_bench::make("GET", "/matchmaker/regions");
  request->set(header::origin, "https://a.example");
  on.reply_regions(on.send(request));
  CHECK(on.answer().headers.find("Access-Control-Allow-Origin") == std::string::npos);
  CHECK(says(on.answer(), "Access-Control-Allow-Origin: *\r\n"));
  CHECK(says(on.answer(), exposed_headers));
}

TEST_CASE("a page may send what cors-headers names, wherever it may read the answer") {
  front_bench on;
  on.settings->cors_headers = {"X-Session", "x-datadog-origin"};
  on.settings->cors_origins = {"https://a.example"};
  on.start();
  for (const std::string path : {"/matchmaker/regions", "/ping", "/openapi.json"}) {
    CAPTURE(path);
    on.send(preflight(path, "https://a.example"));
    CHECK(says(on.answer(), ", tracestate, X-Session, x-datadog-origin\r\n"));
  }
  on.send(preflight("/matchmaker/regions", "https://b.example"));
  CHECK(!says(on.answer(), "X-Session"));
  on.send(preflight("/cloud/games/validate", "https://a.example"));
  CHECK(!says(on.answer(), "X-Session"));
}

TEST_CASE("of configured origins each is named alone, and caches are told") {
  front_bench on;
  on.settings->cors_origins = {"https://a.example", "https://b.example"};
  on.start();
  on.send(preflight("/matchmaker/regions", "https://b.example"));
  CHECK(says(on.answer(), "Access-Control-Allow-Origin: https://b.example\r\n"));
  CHECK(says(on.answer(), "Access-Control-Allow-Methods"));
  CHECK(says(on.answer(), "Vary: Origin\r\n"));
  for (const std::string stranger :
       {"https://c.example", "http://a.example", "https://a.example:444", "null", "*"}) {
    CAPTURE(stranger);
    on.send(preflight("/matchmaker/regions", stranger));
    CHECK(!says(on.answer(), "Access-Control"));
    CHECK(says(on.answer(), "Vary: Origin\r\n"));
  }
  auto request = front_bench::make("GET", "/matchmaker/regions");
  request->set(header::origin, "https://a.example");
  on.reply_regions(on.send(request));
  CHECK(says(on.answer(), "Access-Control-Allow-Origin: https://a.example\r\n"));
  CHECK(says(on.answer(), exposed_headers));
  CHECK(says(on.answer(), "Vary: Accept-Encoding, Origin\r\n"));
  on.reply_regions(on.send("GET", "/matchmaker/regions"));
  CHECK(!says(on.answer(), "Access-Control"));
  CHECK(says(on.answer(), "Vary: Accept-Encoding, Origin\r\n"));
}

TEST_CASE("latencies in the query go to the ranking, decoded") {
  front_bench on;
  on.start();
  on.send("GET", "/matchmaker/regions?a=b&rtt=lon%3A23%2Cfra:31.5&c");
  REQUIRE(on.ranking_log->rankings.size() == 1);
  CHECK(on.ranking_log->rankings[0].measured ==
        std::vector<model::measured_latency>{{"fra", 31.5}, {"lon", 23}});
  on.send("GET", "/matchmaker/regions?RTT=x&rt=y&rtts=z");
  CHECK(on.ranking_log->rankings.back().measured.empty());
  on.send("GET", "/matchmaker/regions?rtt=");
  CHECK(on.ranking_log->rankings.back().measured.empty());
}

TEST_CASE("bad latencies are refused before the ranking hears of them, and pages may read that") {
  front_bench on;
  on.start();
  for (const std::string bad : {"rtt=lon", "rtt=lon:1&rtt=fra:2", "rtt=%zz", "rtt=lon:1%00",
                                "rtt=lon:5,%20syd:6", "rtt=SYD:6"}) {
    CAPTURE(bad);
    const auto ref = on.send("GET", "/matchmaker/regions?" + bad);
    CHECK(on.answer().status == 400);
    CHECK(has_code(on.answer(), "query_invalid"));
    CHECK(says(on.answer(), any_origin_headers));
    CHECK(on.sink.routes[ref.exchange] == std::pair{operation::list_regions, owner::none});
  }
  CHECK(on.ranking_log->rankings.empty());
}

TEST_CASE("a ping is answered at once, to any page") {
  front_bench on;
  on.settings->cors_origins = {"https://a.example"};
  on.start();
  for (const std::string method : {"GET", "HEAD"}) {
    const auto ref = on.send(method, "/ping");
    CHECK(on.answer().status == 204);
    CHECK(on.answer().body_size() == 0);
    CHECK(says(on.answer(), any_origin_headers));
    CHECK(says(on.answer(), "Timing-Allow-Origin: *\r\n"));
    CHECK(says(on.answer(), "Cache-Control: no-store\r\n"));
    CHECK(on.sink.routes[ref.exchange] == std::pair{operation::ping, owner::none});
  }
  on.send(preflight("/ping", "https://b.example"));
  CHECK(on.answer().status == 204);
  CHECK(says(on.answer(), "Access-Control-Allow-Origin: *\r\n"));
  CHECK(says(on.answer(), "Access-Control-Allow-Methods: GET, HEAD\r\n"));
  // A star does not stand for Authorization.
  CHECK(says(on.answer(), "Access-Control-Allow-Headers: *, Authorization, "));
  on.send("POST", "/ping");
  CHECK(on.answer().status == 405);
  CHECK(says(on.answer(), "Access-Control-Allow-Origin: *\r\n"));
}

TEST_CASE("no configured origin: no page may read the regions") {
  front_bench on;
  on.settings->cors_origins = {};
  on.start();
  on.send(preflight("/matchmaker/regions", "https://a.example"));
  CHECK(!says(on.answer(), "Access-Control"));
}

const std::string image = "0123456789abcdef0123456789abcdef.png";

TEST_CASE("a download goes to the media actor as values, and its file becomes the answer") {
  front_bench on;
  on.start();
  const auto ref = on.send("GET", "/media/avatars/" + game + "/" + image);
  REQUIRE(on.media_log->openings.size() == 1);
  const auto& request = on.media_log->openings[0];
  CHECK(request.exchange == ref);
  CHECK(request.key.upload_id == id_of(1));
  CHECK(model::to_string(request.key.name) == image);
  CHECK(on.sink.routes[on.last] == std::pair{operation::download_media, owner::media});
  caf::anon_send(on.front, actors::media_opened{ref,
                                                request.key,
                                                {std::make_shared<const base::open_file>(
                                                    base::file_descriptor{}, 5'000)}});
  on.run();
  CHECK(on.answer().status == 200);
  CHECK(on.answer().body_size() == 5'000);
}

TEST_CASE("no text of a client goes further than the front") {
  front_bench on;
  on.start();
  for (const auto& name : std::vector<std::string>{"x.png", "..%2f" + image, "..", image + "%20",
                                                   image + "%2f..", "%2e%2e%2fcatalog.db"}) {
    CAPTURE(name);
    on.send("GET", "/media/avatars/" + game + "/" + name);
    CHECK(on.answer().status == 404);
    CHECK(has_code(on.answer(), "media_not_found"));
    CHECK(says(on.answer(), "Access-Control-Allow-Origin: *\r\n"));
  }
  for (const std::string upload : {"x", "..%2f..", "00000000-0000-0000-0000-00000000000g"}) {
    CAPTURE(upload);
    on.send("GET", "/media/avatars/" + upload + "/" + image);
    CHECK(on.answer().status == 400);
    CHECK(has_code(on.answer(), "id_malformed"));
  }
  CHECK(on.media_log->openings.empty());
}

TEST_CASE("a page can tell that an image is missing") {
  front_bench on;
  on.start();
  const auto ref = on.send("GET", "/media/avatars/" + game + "/" + image);
  caf::anon_send(on.front,
                 actors::operation_failed{ref, {base::errc::media_not_found, "Not there."}});
  on.run();
  CHECK(has_code(on.answer(), "media_not_found"));
  CHECK(says(on.answer(), "Access-Control-Allow-Origin: *\r\n"));
}

TEST_CASE("any page may ask for parts of an image") {
  front_bench on;
  on.settings->cors_origins = {"https://b.example"};
  on.start();
  on.send(preflight("/media/avatars/" + game + "/" + image, "https://a.example"));
  CHECK(on.answer().status == 204);
  CHECK(says(on.answer(), "Allow: GET, HEAD, OPTIONS\r\n"));
  CHECK(says(on.answer(), "Access-Control-Allow-Origin: *\r\n"));
  CHECK(says(on.answer(), "Access-Control-Allow-Methods: GET, HEAD\r\n"));
  CHECK(says(on.answer(), "Range"));
}

TEST_CASE("while an owner is missing its exchanges are parked, unanswered") {
  front_bench on;
  on.start(false);
  on.tell(); // no actor is running yet
  const auto ref = on.send("GET", "/matchmaker/regions");
  CHECK(on.sink.routes[ref.exchange] == std::pair{operation::list_regions, owner::region_ranking});
  CHECK(on.sink.answers.empty());
  CHECK(on.sink.redispatched.empty());
  on.announce();
  CHECK(std::count(on.sink.redispatched.begin(), on.sink.redispatched.end(),
                   owner::region_ranking) == 1);
  on.send("GET", "/matchmaker/regions");
  CHECK(on.ranking_log->rankings.size() == 1);
}

TEST_CASE("a new owner gets what the old one held, the others' work is left alone") {
  front_bench on;
  on.start();
  on.sink.redispatched.clear();
  on.kill(on.at(owner::validator));
  on.send("POST", "/cloud/games/validate");
  CHECK(on.validator_log->validations.empty()); // not sent to the dead actor
  CHECK(on.sink.redispatched.empty());          // no successor to send to yet
  on.at(owner::validator) = nullptr;
  on.tell();
  CHECK(on.sink.redispatched.empty());
  on.at(owner::validator) = on.spawn<probe>(on.validator_log);
  on.tell();
  CHECK(on.sink.redispatched == std::vector{owner::validator});
  on.tell(); // nothing changed
  CHECK(on.sink.redispatched.size() == 1);
  on.send("POST", "/cloud/games/validate");
  CHECK(on.validator_log->validations.size() == 1);
}

TEST_CASE("an owner that dies before its successor is named gets no more messages") {
  front_bench on;
  on.start();
  on.kill(on.at(owner::region_ranking));
  const auto ref = on.send("GET", "/matchmaker/regions");
  CHECK(on.sink.routes[ref.exchange].second == owner::region_ranking);
  CHECK(on.ranking_log->rankings.empty());
  CHECK(on.sink.answers.empty());
}

} // namespace
} // namespace matchcloud::http
