#include "http/ops/fault_admin.hpp"

#include "base/faults.hpp"
#include "http/ops/fault_rule.hpp"
#include "http/ops/ops_plane.hpp"
#include "http/ops/single_request_server.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/raw_connection.hpp"

namespace {

using namespace matchcloud;
using base::fault_kind;
using base::fault_point;
using e2e::answer;
using e2e::parse_json;
using e2e::raw_connection;
using e2e::text_at;

constexpr auto point = fault_point::avatar_receive;

/// The fault routes on a separate server.
struct running {
  http::fault_admin admin{77};
  http::single_request_server server{http::httplib_settings{}};
  e2e::address bound;

  running() {
    admin.add_routes(server);
    const auto at = server.bind(http::parse_endpoint("127.0.0.1:0").value()).value();
    bound = {model::to_string(at.address), at.port};
    server.start([] {});
  }
  ~running() {
    server.end();
    base::faults::clear_all();
  }

  answer ask(const std::string& method, const std::string& target, const std::string& body = {}) {
    raw_connection client{bound};
    client.send(method + " " + target + " HTTP/1.1\r\nHost: a\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n" + body);
    return client.receive(method == "HEAD");
  }
};

TEST_CASE("a rule that is put is in force and shown, and gone when it is deleted") {
  running one;
  const auto put =
      one.ask("PUT", "/faults/avatar.receive", R"({"kind":"delay","delay_ms":[0.5,20],"every":3})");
  CHECK(put.status == 200);
  CHECK(put.header("content-type") == "application/json");
  CHECK(put.body == one.ask("GET", "/faults/avatar.receive").body);
  base::fault_rule expected;
  expected.kind = fault_kind::delay;
  expected.least_delay = std::chrono::microseconds{500};
  expected.most_delay = std::chrono::milliseconds{20};
  expected.every = 3;
  CHECK(base::faults::status(point).rule == expected);

  for (int i = 0; i < 7; ++i)
    static_cast<void>(base::faults::strike(point));
  const auto shown = parse_json(one.ask("GET", "/faults/avatar.receive").body);
  CHECK(text_at(shown, "point") == "avatar.receive");
  CHECK(text_at(shown, "what") == facts_of(point).sentence);
  CHECK(shown["passes"].GetInt() == 7);
  CHECK(shown["hits"].GetInt() == 2);
  // A rule as shown is valid input for PUT.
  const auto whole = one.ask("GET", "/faults/avatar.receive").body;
  const auto begin = whole.find("\"rule\":") + 7;
  const auto rule = whole.substr(begin, whole.find('}', begin) + 1 - begin);
  CHECK(one.ask("PUT", "/faults/avatar.receive", rule).status == 200);
  CHECK(base::faults::status(point).rule == expected);

  const auto gone = one.ask("DELETE", "/faults/avatar.receive");
  CHECK(gone.status == 204);
  CHECK(gone.body.empty());
  CHECK_FALSE(base::faults::armed(point));
  CHECK(parse_json(one.ask("GET", "/faults/avatar.receive").body)["rule"].IsNull());
  CHECK(one.ask("DELETE", "/faults/avatar.receive").status == 204);
}

TEST_CASE("all points are listed in their order, with the seed") {
  running one;
  one.ask("PUT", "/faults/clock", R"({"kind":"corrupt"})");
  const auto all = parse_json(one.ask("GET", "/faults").body);
  REQUIRE(all.IsObject());
  CHECK(all["seed"].GetInt() == 77);
  REQUIRE(all["points"].Size() == base::fault_point_count);
  for (unsigned i = 0; i < base::fault_point_count; ++i) {
    const auto& each = all["points"][i];
    CHECK(text_at(each, "point") == base::fault_points[i].name);
    CHECK(each["rule"].IsNull() == (text_at(each, "point") != "clock"));
    CHECK_FALSE(each["kinds"].Empty());
  }
  CHECK(one.ask("HEAD", "/faults").status == 200);
}

TEST_CASE("all faults are taken away at once") {
  running one;
  for (const auto* each : {"avatar.receive", "store.commit", "clock"})
    CHECK(
        one.ask("PUT", std::string{"/faults/"} + each, R"({"kind":"delay","delay_ms":1})").status ==
        200);
  CHECK(one.ask("DELETE", "/faults").status == 204);
  for (std::size_t i = 0; i < base::fault_point_count; ++i)
    CHECK_FALSE(base::faults::armed(static_cast<fault_point>(i)));
}

TEST_CASE("a refused rule says what was found, and the one before stays in force") {
  running one;
  one.ask("PUT", "/faults/avatar.receive", R"({"kind":"error"})");
  const auto before = base::faults::status(point).rule;
  const std::vector<std::pair<std::string, std::string>> cases{
      {"{}", "`kind` is missing"},
      {R"({"kind":"corrupt"})", "has no fault corrupt"},
      {R"({"kind":"crahs"})", "but is `crahs`. Did you mean `crash`?"},
      {R"({"kind":"error","every":"2"})",
       "must be an integer, but is the string `2`. Write the number without"},
      {R"({"kind":"error","every":1.5})", "but is the number `1.5`. Write a whole number."},
      {R"({"kind":"error","once":[]})", "must be a boolean, but is an array."},
      {R"({"kind":"error","kind":"crash"})", "`kind` more than once"},
      {std::string{R"({"kind":"error"})"} + '\0' + "x", "(byte 16)"},
      {"\xff", "(byte 0)"},
      {"7", "a rule is an object such as"}};
  for (const auto& [body, says] : cases) {
    CAPTURE(body);
    const auto refused = one.ask("PUT", "/faults/avatar.receive", body);
    CAPTURE(refused.body);
    CHECK(refused.status == 400);
    CHECK(refused.problem_code() == "query_invalid");
    CHECK(text_at(parse_json(refused.body), "detail").find(says) != std::string::npos);
    CHECK(base::faults::status(point).rule == before);
  }
}

TEST_CASE("what is no point is told with the one that was meant") {
  running one;
  for (const auto* method : {"GET", "PUT", "DELETE"}) {
    const auto got = one.ask(method, "/faults/avatar.recieve", R"({"kind":"error"})");
    CHECK(got.status == 404);
    CHECK(got.problem_code() == "element_not_found");
    CHECK(got.body.find("Did you mean `avatar.receive`?") != std::string::npos);
  }
  // A path may contain any bytes.
  const auto garbled = one.ask("GET", "/faults/%ff%0d%0a");
  CHECK(garbled.status == 404);
  CHECK(parse_json(garbled.body).IsObject());
  CHECK(one.ask("GET", "/faults/avatar.receive/").status == 404);
}

TEST_CASE("other methods are refused with those that there are") {
  running one;
  for (const auto* method : {"POST", "PATCH", "OPTIONS"}) {
    const auto got = one.ask(method, "/faults/avatar.receive", "{}");
    CHECK(got.status == 405);
    CHECK(got.header("allow") == "GET, HEAD, PUT, DELETE");
  }
  const auto put = one.ask("PUT", "/faults", "{}");
  CHECK(put.status == 405);
  CHECK(put.header("allow") == "GET, HEAD, DELETE");
}

TEST_CASE("a rule that does not end is not waited for beyond its limit") {
  running one;
  raw_connection client{one.bound};
  client.send("PUT /faults/clock HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n" +
              std::string(http::fault_rule_limit_bytes + 1, ' '));
  const auto refused = client.receive();
  CHECK(refused.status == 400);
  CHECK(refused.body.find("at most 4096 bytes") != std::string::npos);
}

TEST_CASE("nothing is injected any more once the service ends") {
  running one;
  const std::string rule = R"({"kind":"error"})";
  CHECK(one.ask("PUT", "/faults/avatar.receive", rule).status == 200);
  CHECK(base::faults::armed(point));
  one.admin.end();
  CHECK_FALSE(base::faults::armed(point));
  const auto refused = one.ask("PUT", "/faults/avatar.receive", rule);
  CHECK(refused.status == 503);
  CHECK(refused.problem_code() == "draining");
  CHECK_FALSE(base::faults::armed(point));
}

} // namespace
