#include "http/front/front.hpp"

#include "tests/catch.hpp"
#include "tests/contains.hpp"
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

TEST_CASE("a deferred payload goes to the pool's validator") {
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
  CHECK(on.status() == 200);
  CHECK(on.answer().content_type == "application/json");
  // The bytes are shared, not copied.
  CHECK(std::get<std::shared_ptr<const std::string>>(on.answer().body) == json);
  CHECK(!on.says("Access-Control"));
}

TEST_CASE("a failed operation becomes a problem with the request's id") {
  front_bench on;
  on.start();
  const auto ref = on.send("POST", "/cloud/games/validate");
  caf::anon_send(on.front,
                 actors::operation_failed{ref, {base::errc::body_malformed, "line 1, column 2"}});
  on.run();
  CHECK(on.status() == 400);
  CHECK(on.has_code("body_malformed"));
  CHECK(contains(on.answer().body_bytes(), "\"request_id\":\"id-1\""));
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
}

TEST_CASE("paths live below the base path") {
  front_bench on;
  on.settings->base_path = "/api";
  on.start();
  on.send("GET", "/api/matchmaker/regions");
  CHECK(on.ranking_log->rankings.size() == 1);
  on.send("GET", "/matchmaker/regions");
  CHECK(on.status() == 404);
}

TEST_CASE("a wrong method is 405 with the allowed ones") {
  front_bench on;
  on.start();
  on.send("POST", "/matchmaker/regions");
  CHECK(on.status() == 405);
  CHECK(on.answer().headers == "Allow: GET, HEAD, OPTIONS\r\n" + std::string{no_store_header} +
                                   std::string{any_origin_headers});
  CHECK(on.sink.routes[on.last] == std::pair{operation::list_regions, owner::none});
  on.send("GET", "/cloud/games/validate");
  CHECK(on.status() == 405);
  CHECK(on.answer().headers == "Allow: POST, OPTIONS\r\n" + std::string{no_store_header});
  CHECK(contains(on.answer().body_bytes(), "GET"));
}

TEST_CASE("a malformed id is refused before the body's type") {
  front_bench on;
  on.start();
  auto request = front_bench::make("POST", "/cloud/games/nonsense/versions/validate");
  request->set(header::content_type, "text/plain");
  on.send(request);
  CHECK(on.has_code("id_malformed"));
  CHECK(on.sink.routes[on.last] == std::pair{operation::validate_version, owner::none});
  CHECK(on.validator_log->validations.empty());
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
  CHECK(on.status() == 200);
  CHECK(on.answer().content_type == json_type);
  CHECK(on.answer().body_bytes().data() == body->data()); // shared, not copied
}

TEST_CASE("requests that wait together are performed in order, listings in one batch") {
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

TEST_CASE("waiting listings are sent to the ranking in bounded batches") {
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

TEST_CASE("listings that find the mailbox full are 503") {
  front_bench on;
  on.start();
  on.sink.full = true;
  on.wait("GET", "/matchmaker/regions");
  on.wait("GET", "/matchmaker/regions");
  on.take_waiting();
  CHECK(on.sink.answers.size() == 2);
  CHECK(on.has_code("overloaded"));
  CHECK(on.says("Retry-After: "));
  CHECK(on.says("Access-Control-Allow-Origin: *\r\n"));
  CHECK(on.ranking_log->rankings.empty());
}

TEST_CASE("an export goes to its actor, and the link is the answer") {
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
  CHECK(on.status() == 200);
  CHECK(on.answer().content_type == "application/json");
  CHECK(on.answer().body_bytes() == R"({"url":"u"})");
  CHECK_FALSE(contains(on.answer().headers, "Matchcloud"));
  const auto again = on.send(request);
  caf::anon_send(on.front, actors::export_linked{again, link, 1'767'225'600'000});
  on.run();
  CHECK(contains(on.answer().headers, "Matchcloud-Complete-From: 2026-01-01T00:00:00.000Z\r\n"));
}

TEST_CASE("a download goes to its actor with the URL's signature and coding") {
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
  CHECK(on.status() == 403);
  CHECK(on.has_code("signature_invalid"));
  on.send("GET", "/exports/7/lobby-history.csv?expires=17&signature=ab");
  CHECK(on.has_code("id_malformed"));
  CHECK(on.download_log->export_openings.size() == 3);
}

TEST_CASE("OPTIONS says what a path takes") {
  front_bench on;
  on.start();
  on.send("OPTIONS", "*");
  CHECK(on.status() == 204);
  CHECK(on.says("Allow: GET, HEAD, POST, OPTIONS\r\n"));
  on.send("OPTIONS", "/cloud/games/validate");
  CHECK(on.status() == 204);
  CHECK(on.answer().headers == "Allow: POST, OPTIONS\r\n");
  on.send("OPTIONS", "/matchmaker/regions");
  CHECK(on.answer().headers == "Allow: GET, HEAD, OPTIONS\r\n");
  on.send("OPTIONS", "/nowhere");
  CHECK(on.status() == 404);
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
  CHECK(on.status() == 204);
  CHECK(on.says("Access-Control-Allow-Origin: *\r\n"));
  CHECK(on.says("Access-Control-Allow-Methods: GET, HEAD\r\n"));
  CHECK(on.says("Access-Control-Max-Age: "));
  // A page's own If-None-Match header needs a preflight.
  CHECK(says(on.answer(),
             "Access-Control-Allow-Headers: Authorization, If-Match, If-None-Match, X-Request-Id, "
             "baggage, sentry-trace, traceparent, tracestate\r\n"));
  on.send(preflight("/cloud/games/validate", "https://a.example"));
  CHECK(!on.says("Access-Control"));
  on.reply_regions(on.send("GET", "/matchmaker/regions"));
  CHECK(on.says("Access-Control-Allow-Origin: *\r\n"));
  // Browsers reject the header if it is repeated or names a further origin.
  auto request = front_bench::make("GET", "/matchmaker/regions");
  request->set(header::origin, "https://a.example");
  on.reply_regions(on.send(request));
  CHECK_FALSE(contains(on.answer().headers, "Access-Control-Allow-Origin"));
  CHECK(on.says("Access-Control-Allow-Origin: *\r\n"));
  CHECK(on.says(exposed_headers));
}

TEST_CASE("a page may send what cors-headers names, wherever it may read the answer") {
  front_bench on;
  on.settings->cors_headers = {"X-Session", "x-datadog-origin"};
  on.settings->cors_origins = {"https://a.example"};
  on.start();
  for (const std::string path : {"/matchmaker/regions", "/ping", "/openapi.json"}) {
    CAPTURE(path);
    on.send(preflight(path, "https://a.example"));
    CHECK(on.says(", tracestate, X-Session, x-datadog-origin\r\n"));
  }
  on.send(preflight("/matchmaker/regions", "https://b.example"));
  CHECK(!on.says("X-Session"));
  on.send(preflight("/cloud/games/validate", "https://a.example"));
  CHECK(!on.says("X-Session"));
}

TEST_CASE("of configured origins each is named alone, and caches are told") {
  front_bench on;
  on.settings->cors_origins = {"https://a.example", "https://b.example"};
  on.start();
  on.send(preflight("/matchmaker/regions", "https://b.example"));
  CHECK(on.says("Access-Control-Allow-Origin: https://b.example\r\n"));
  CHECK(on.says("Access-Control-Allow-Methods"));
  CHECK(on.says("Vary: Origin\r\n"));
  for (const std::string path : {"/matchmaker/latencies", "/matchmaker/regions/group"}) {
    on.send(preflight(path, "https://b.example"));
    CHECK(on.status() == 204);
    CHECK(on.says("Access-Control-Allow-Origin: https://b.example\r\n"));
    CHECK(on.says("Access-Control-Allow-Methods: POST\r\n"));
    CHECK(on.says("Access-Control-Allow-Headers: Authorization, Content-Type, "));
  }
  for (const std::string stranger :
       {"https://c.example", "http://a.example", "https://a.example:444", "null", "*"}) {
    CAPTURE(stranger);
    on.send(preflight("/matchmaker/regions", stranger));
    CHECK(!on.says("Access-Control"));
    CHECK(on.says("Vary: Origin\r\n"));
  }
  auto request = front_bench::make("GET", "/matchmaker/regions");
  request->set(header::origin, "https://a.example");
  on.reply_regions(on.send(request));
  CHECK(on.says("Access-Control-Allow-Origin: https://a.example\r\n"));
  CHECK(on.says(exposed_headers));
  CHECK(on.says("Vary: Accept-Encoding, Origin\r\n"));
  on.reply_regions(on.send("GET", "/matchmaker/regions"));
  CHECK(!on.says("Access-Control"));
  CHECK(on.says("Vary: Accept-Encoding, Origin\r\n"));
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

TEST_CASE("bad latencies are refused without asking the ranking") {
  front_bench on;
  on.start();
  for (const std::string bad : {"rtt=lon", "rtt=lon:1&rtt=fra:2", "rtt=%zz", "rtt=lon:1%00",
                                "rtt=lon:5,%20syd:6", "rtt=SYD:6"}) {
    CAPTURE(bad);
    const auto ref = on.send("GET", "/matchmaker/regions?" + bad);
    CHECK(on.status() == 400);
    CHECK(on.has_code("query_invalid"));
    CHECK(on.says(any_origin_headers));
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
    CHECK(on.status() == 204);
    CHECK(on.answer().body_size() == 0);
    CHECK(on.says(any_origin_headers));
    CHECK(on.says("Timing-Allow-Origin: *\r\n"));
    CHECK(on.says("Cache-Control: no-store\r\n"));
    CHECK(on.sink.routes[ref.exchange] == std::pair{operation::ping, owner::none});
  }
  on.send(preflight("/ping", "https://b.example"));
  CHECK(on.status() == 204);
  CHECK(on.says("Access-Control-Allow-Origin: *\r\n"));
  CHECK(on.says("Access-Control-Allow-Methods: GET, HEAD\r\n"));
  // A star does not stand for Authorization.
  CHECK(on.says("Access-Control-Allow-Headers: *, Authorization, "));
  on.send("POST", "/ping");
  CHECK(on.status() == 405);
  CHECK(on.says("Access-Control-Allow-Origin: *\r\n"));
}

const std::string image = "0123456789abcdef0123456789abcdef.png";

TEST_CASE("an image request goes to the media actor, and its file is the answer") {
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
  CHECK(on.status() == 200);
  CHECK(on.answer().body_size() == 5'000);
}

TEST_CASE("malformed image paths are refused without an owner") {
  front_bench on;
  on.start();
  for (const auto& name : std::vector<std::string>{"x.png", "..%2f" + image, "..", image + "%20",
                                                   image + "%2f..", "%2e%2e%2fcatalog.db"}) {
    CAPTURE(name);
    on.send("GET", "/media/avatars/" + game + "/" + name);
    CHECK(on.status() == 404);
    CHECK(on.has_code("media_not_found"));
    CHECK(on.says("Access-Control-Allow-Origin: *\r\n"));
  }
  for (const std::string upload : {"x", "..%2f..", "00000000-0000-0000-0000-00000000000g"}) {
    CAPTURE(upload);
    on.send("GET", "/media/avatars/" + upload + "/" + image);
    CHECK(on.status() == 400);
    CHECK(on.has_code("id_malformed"));
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
  CHECK(on.has_code("media_not_found"));
  CHECK(on.says("Access-Control-Allow-Origin: *\r\n"));
}

TEST_CASE("any page may ask for parts of an image") {
  front_bench on;
  on.settings->cors_origins = {"https://b.example"};
  on.start();
  on.send(preflight("/media/avatars/" + game + "/" + image, "https://a.example"));
  CHECK(on.status() == 204);
  CHECK(on.says("Allow: GET, HEAD, OPTIONS\r\n"));
  CHECK(on.says("Access-Control-Allow-Origin: *\r\n"));
  CHECK(on.says("Access-Control-Allow-Methods: GET, HEAD\r\n"));
  CHECK(on.says("Range"));
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

TEST_CASE("a new owner gets the requests of its predecessor only") {
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

} // namespace
} // namespace matchcloud::http
