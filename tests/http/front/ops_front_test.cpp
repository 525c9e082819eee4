#include "tests/fixtures/injected_fault.hpp"
#include "tests/http/front/front_fixture.hpp"

namespace matchcloud::http {
namespace {

using namespace fixtures;
using base::owner;

/// The front of the ops plane between a transport and one owner of everything, who records.
struct ops_front_bench : deterministic_system, answer_checks<ops_front_bench> {
  fake_sink sink;
  std::shared_ptr<std::atomic<service_state>> state =
      std::make_shared<std::atomic<service_state>>(service_state::starting);
  std::shared_ptr<probe_log> log = std::make_shared<probe_log>();
  caf::actor owners_of_all = spawn<probe>(log);
  caf::actor of;
  std::uint64_t last = 0;

  ops_front_bench() {
    front_settings settings;
    settings.plane = plane::ops;
    settings.has_faults = true;
    settings.state = state;
    of = spawn<front>(std::make_shared<const front_settings>(settings),
                      std::ref<exchange_sink>(sink));
    run();
    actors::owners known{std::vector<caf::actor>(base::owner_count)};
    for (const auto each :
         {owner::ingestion, owner::administration, owner::fault_control, owner::reports})
      known.by_role[index_of(each)] = owners_of_all;
    caf::anon_send(of, known);
    run();
  }
  ~ops_front_bench() {
    kill(of);
    sink.attached.clear();
  }

  actors::exchange_ref ask(std::string method, std::string target, std::string body = {},
                           bool body_follows = false) {
    auto made = front_bench::make(std::move(method), std::move(target));
    made->set(header::host, "localhost");
    made->peer = *model::parse_ip_address("127.0.0.1");
    made->body = std::move(body);
    made->body_follows = body_follows;
    const actors::exchange_ref ref{++last, 1};
    sink.requests[last] = made;
    caf::anon_send(of, dispatch{ref, made});
    run();
    return ref;
  }
  template <class Message>
  void reply(Message message) {
    send_as(owners_of_all, of, std::move(message));
  }
  const response& answer() {
    REQUIRE(!sink.answers.empty());
    CHECK(sink.answers.back().first.exchange == last);
    return sink.answers.back().second;
  }
};

TEST_CASE("health and readiness are answered without an owner") {
  ops_front_bench on;
  on.ask("GET", "/healthz");
  CHECK(on.answer().body_bytes() == R"({"status":"ok"})");
  on.ask("GET", "/readyz");
  CHECK(on.status() == 503);
  CHECK(on.answer().body_bytes() == R"({"ready":false,"reason":"starting"})");
  *on.state = service_state::ready;
  on.ask("GET", "/readyz");
  CHECK(on.status() == 200);
  CHECK(on.sink.routes[on.last].second == owner::none);
}

TEST_CASE("a store that is gone or for newer programs is not asked") {
  for (const bool gone : {false, true}) {
    ops_front_bench on;
    *on.state = gone ? service_state::store_gone : service_state::store_newer;
    on.ask("GET", "/readyz");
    CHECK(on.status() == 503);
    CHECK(on.answer().body_bytes() == (gone ? R"({"ready":false,"reason":"store_gone"})"
                                            : R"({"ready":false,"reason":"store_newer"})"));
    on.ask("GET", "/v1/tiers");
    CHECK(on.status() == 503);
    CHECK(on.has_code(gone ? "store_failed" : "store_newer"));
    CHECK(on.says("Retry-After") == gone);
    CHECK(on.log->administrations.empty());
  }
}

TEST_CASE("reports are asked of their owner, and their text is the answer") {
  ops_front_bench on;
  const auto ref = on.ask("GET", "/metrics");
  REQUIRE(on.log->reports.size() == 1);
  CHECK(on.log->reports[0].what == actors::render_report::kind::metrics);
  on.reply(actors::text_made{ref, "text/plain", std::make_shared<const std::string>("a 1\n")});
  CHECK(on.answer().content_type == "text/plain");
  CHECK(on.answer().body_bytes() == "a 1\n");
  on.ask("GET", "/actors");
  CHECK(on.log->reports.at(1).what == actors::render_report::kind::actors);
}

TEST_CASE("elements are administered by kind and id") {
  ops_front_bench on;
  const auto put = on.ask("PUT", "/v1/tiers/a%20b", "{}");
  REQUIRE(on.log->administrations.size() == 1);
  const auto request = [&on](std::size_t at) {
    return std::get<actors::element_request>(on.log->administrations.at(at).what);
  };
  using verb = actors::element_request::verb;
  const auto got = request(0);
  CHECK(got.what == verb::put);
  CHECK(got.kind == model::element_kind::tier);
  CHECK(got.id == "a b");
  CHECK(*got.body == "{}");
  on.reply(actors::json_made{put, std::make_shared<const std::string>("\"a\""), false, 201});
  CHECK(on.status() == 201);
  on.ask("GET", "/v1/games");
  CHECK(request(1).what == verb::list);
  on.ask("DELETE", "/v1/games/x");
  CHECK(request(2).what == verb::remove);
  on.ask("PUT", "/v1/games/x", std::string(65'537, ' '));
  CHECK(on.status() == 413);
  CHECK(on.log->administrations.size() == 3);
}

TEST_CASE("faults are controlled by name") {
  ops_front_bench on;
  on.ask("PUT", "/faults/clock", "{}");
  on.ask("DELETE", "/faults");
  REQUIRE(on.log->fault_controls.size() == 2);
  CHECK(on.log->fault_controls[0].point == "clock");
  CHECK(on.log->fault_controls[0].what == actors::control_faults::verb::put);
  CHECK(on.log->fault_controls[1].what == actors::control_faults::verb::clear_all);
}

TEST_CASE("parts of a body and credit for it pass between transport and owner") {
  ops_front_bench on;
  const auto ref = on.ask("POST", "/v1/lobbies", {}, true);
  REQUIRE(on.log->ingests.size() == 1);
  CHECK(on.log->ingests[0].has_body);
  on.reply(actors::body_credit{ref, 100});
  REQUIRE(on.sink.granted.size() == 1);
  CHECK(on.sink.granted[0] == std::pair{ref, std::size_t{100}});
  caf::anon_send(on.of,
                 actors::body_part{ref, 7, std::make_shared<const std::string>("abc"), true});
  on.run();
  REQUIRE(on.log->parts.size() == 1);
  CHECK(on.log->parts[0].offset == 7);
  // Parts of an exchange that is over have no owner any more.
  on.sink.requests.clear();
  caf::anon_send(on.of, actors::body_part{ref, 10, std::make_shared<const std::string>("x"), true});
  on.run();
  CHECK(on.log->parts.size() == 1);
}

TEST_CASE("a streamed answer begins with its head, and the owner hears of taken bytes") {
  ops_front_bench on;
  const auto ref = on.ask("GET", "/events");
  REQUIRE(on.log->watches.size() == 1);
  on.reply(actors::answer_begun{ref, "text/event-stream"});
  CHECK(std::holds_alternative<body_in_parts>(on.answer().body));
  CHECK(on.says("Cache-Control: no-store, no-transform\r\n"));
  CHECK(on.says("X-Accel-Buffering: no\r\n"));
  on.reply(actors::answer_part{ref, std::make_shared<const std::string>("event"), false});
  REQUIRE(on.sink.parts.size() == 1);
  CHECK(*on.sink.parts[0].bytes == "event");
  caf::anon_send(on.of, actors::answer_taken{ref, 5});
  on.run();
  REQUIRE(on.log->taken.size() == 1);
  CHECK(on.log->taken[0].bytes == 5);
}

TEST_CASE("faults of fronts do not hit the ops plane: they are removed there") {
  ops_front_bench on;
  const injected_fault lost{base::fault_point::front_dispatch, base::fault_kind::drop};
  const injected_fault failing{base::fault_point::front_reply, base::fault_kind::error};
  on.ask("GET", "/healthz");
  CHECK(on.status() == 200);
  const auto ref = on.ask("DELETE", "/faults");
  on.reply(actors::json_made{ref, std::make_shared<const std::string>(), false, 204});
  CHECK(on.status() == 204);
}

TEST_CASE("OPTIONS * says which methods the ops plane has") {
  ops_front_bench on;
  on.ask("OPTIONS", "*");
  CHECK(on.says("Allow: GET, HEAD, POST, PUT, DELETE, OPTIONS\r\n"));
}

} // namespace
} // namespace matchcloud::http
