#include "actors/fault_control/fault_presets.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/tokens.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace {

using namespace matchcloud;
using namespace matchcloud::e2e;

const std::string point = "/faults/avatar.receive";

answer ask_faults(const server& of, const std::string& method, const std::string& target,
                  const std::string& body = {}, const std::string& headers = {}) {
  auto text = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers;
  if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return raw_connection{of.ops()}.ask(text + "\r\n" + body);
}

answer avatars(const server& of, const std::string& headers = {}) {
  return raw_connection{of.data()}.ask(request("GET", demo_avatars_target, {}, headers));
}

TEST_CASE("faults are put, looked at and taken away by the ops plane", "[operations]") {
  const server of{{"--enable-fault-injection", "--fault-seed", "5"}};
  auto all = parse_json(ask_faults(of, "GET", "/faults").body);
  REQUIRE(all.IsObject());
  CHECK((all["seed"].GetUint64() == 5));
  REQUIRE(all["points"].Size() > 30);
  CHECK((all["points"][0]["point"] == "accept"));
  CHECK(all["points"][0]["rule"].IsNull());

  const auto put = ask_faults(of, "PUT", point, R"({"kind":"error","every":2})");
  CHECK(put.status == 200);
  CHECK(text_at(parse_json(put.body)["rule"], "kind") == "error");
  CHECK(avatars(of).status == 200);
  const auto hit = avatars(of);
  CHECK(hit.status == 503);
  CHECK(hit.problem_code() == "unavailable");
  CHECK(hit.header("retry-after") == "1");
  const auto status = parse_json(ask_faults(of, "GET", point).body);
  CHECK((status["passes"].GetUint64() == 2));
  CHECK((status["hits"].GetUint64() == 1));
  CHECK(of.metric("matchcloud_faults_hit_total{point=\"avatar.receive\"}") == 1);

  CHECK(ask_faults(of, "DELETE", point).status == 204);
  CHECK(parse_json(ask_faults(of, "GET", point).body)["rule"].IsNull());
  ask_faults(of, "PUT", point, R"({"kind":"error"})");
  ask_faults(of, "PUT", "/faults/front.dispatch", R"({"kind":"error"})");
  CHECK(ask_faults(of, "DELETE", "/faults").status == 204);
  CHECK(avatars(of).status == 200);
}

TEST_CASE("what the ops plane cannot inject is refused, and what was there stays", "[operations]") {
  const server of{{"--enable-fault-injection"}};
  ask_faults(of, "PUT", point, R"({"kind":"error"})");
  const auto refused = ask_faults(of, "PUT", point, R"({"kind":"corrupt"})");
  CHECK(refused.status == 400);
  CHECK(refused.body.find("Choose one of") != std::string::npos);
  CHECK(ask_faults(of, "PUT", point, "{").status == 400);
  CHECK(ask_faults(of, "PUT", point, std::string(5'000, ' ')).status == 413);
  const auto unknown = ask_faults(of, "PUT", "/faults/avatar.recieve", R"({"kind":"error"})");
  CHECK(unknown.status == 404);
  CHECK(unknown.body.find("Did you mean `avatar.receive`?") != std::string::npos);
  CHECK(ask_faults(of, "GET", "/faults/").status == 404);
  const auto posted = ask_faults(of, "POST", point, "{}");
  CHECK(posted.status == 405);
  CHECK(posted.header("allow") == "GET, HEAD, PUT, DELETE, OPTIONS");
  CHECK(ask_faults(of, "PUT", "/faults", "{}").header("allow") == "GET, HEAD, DELETE, OPTIONS");
  // A page in the operator's browser must not be able to inject faults.
  CHECK(ask_faults(of, "PUT", point, R"({"kind":"crash"})", "Origin: https://evil.example\r\n")
            .status == 403);
  CHECK(avatars(of).status == 503);
}

TEST_CASE("X-Fault chooses the one request that a fault hits", "[operations]") {
  const server of{{"--enable-fault-injection"}};
  ask_faults(of, "PUT", "/faults/avatar.reply", R"({"kind":"error","header":true})");
  CHECK(avatars(of).status == 200);
  CHECK(avatars(of, "X-Fault: avatar.reply\r\n").status == 503);
  CHECK(avatars(of, "X-Fault: avatar.receive\r\n").status == 200);
  CHECK(avatars(of).status == 200);
}

TEST_CASE("a read or a write that stalls holds up a connection, as docs/faults.md says",
          "[lifecycle]") {
  const server of{{"--enable-fault-injection", "--head-timeout-ms", "600", "--body-timeout-ms",
                   "700", "--idle-timeout-ms", "800", "--write-timeout-ms", "900", "--listen",
                   "127.0.0.1:0"}};
  const auto whole = request("POST", groups_target, good_group);
  const auto get = request("GET", "/ping");
  const auto wait_for_hit = [&](const std::string& at) {
    return eventually(
        [&] { return (parse_json(ask_faults(of, "GET", at).body)["hits"].GetUint64() > 0); });
  };
  const std::string read = "/faults/read";
  for (const std::size_t known : {std::size_t{9}, whole.size() - 3}) {
    CAPTURE(known);
    const auto received = [&] { return of.metric("matchcloud_received_bytes_total"); };
    const auto before = received();
    raw_connection client{of.data()};
    client.send(std::string_view{whole}.substr(0, known));
    REQUIRE(eventually([&] { return received() >= before + static_cast<double>(known); }));
    ask_faults(of, "PUT", read, R"({"kind":"stall"})");
    client.send(std::string_view{whole}.substr(known));
    CHECK(client.receive().status == 408);
    CHECK(client.closed());
    ask_faults(of, "DELETE", read);
  }
  for (const bool is_new : {true, false}) {
    CAPTURE(is_new);
    raw_connection client{of.data()};
    if (!is_new) CHECK(client.ask(get).status == 204);
    ask_faults(of, "PUT", read, R"({"kind":"stall"})");
    client.send(get);
    CHECK(wait_for_hit(read));
    CHECK(client.closed());
    ask_faults(of, "DELETE", read);
  }
  ask_faults(of, "PUT", "/faults/write", R"({"kind":"stall"})");
  raw_connection client{of.data()};
  client.send(get);
  CHECK(wait_for_hit("/faults/write"));
  CHECK(client.closed());
  ask_faults(of, "DELETE", "/faults/write");
  CHECK(raw_connection{of.data()}.ask(get).status == 204);
}

/// The minute of the day in an answer's `Date`.
int minute_of(const answer& got) {
  const auto date = got.header("date"); // Thu, 26 Nov 2026 03:46:59 GMT
  REQUIRE(date.size() == 29);
  return std::stoi(date.substr(17, 2)) * 60 + std::stoi(date.substr(20, 2));
}

TEST_CASE("a fault of the clock shows where the time of day is read, and not in deadlines",
          "[operations][embedded]") {
  const world in;
  const server open{{}, in};
  const auto token = create_token(open, "studio", R"(,"expires_in_s":600)").text;
  const server of{{"--enable-fault-injection", "--auth", "required"}, in};
  const auto validate = [&] {
    return raw_connection{of.data()}.ask(request("POST", groups_target, good_group, bearer(token)));
  };
  const auto right = validate();
  CHECK(right.status == 200);
  ask_faults(of, "PUT", "/faults/clock", R"({"kind":"delay","delay_ms":3600000})");
  const auto ahead = validate();
  CHECK(ahead.problem_code() == "token_expired");
  // An event loop writes the date once a second.
  CHECK(eventually([&] {
    const auto by_minutes = (minute_of(validate()) - minute_of(right) + 1'440) % 1'440;
    return by_minutes >= 60 && by_minutes <= 62;
  }));
  CHECK(ask_faults(of, "GET", "/healthz").status == 200); // no deadline has passed
  ask_faults(of, "DELETE", "/faults/clock");
  CHECK(validate().status == 200);
}

TEST_CASE("a store that fails and a disk that is full are answered as what they are",
          "[operations]") {
  const server of{{"--enable-fault-injection"}};
  const auto change_with = [&](std::string_view name) {
    const auto& preset =
        *std::ranges::find(actors::fault_presets, name, &actors::fault_preset::name);
    const auto at = "/faults/" + std::string{base::facts_of(preset.point).name};
    CHECK(ask_faults(of, "PUT", at, std::string{preset.rule}).status == 200);
    return ask_faults(of, "PUT", "/v1/regions/new",
                      R"({"region_display_name":"New","provider_display_name":"P",)"
                      R"("datacenter_coord":{"latitude":1.5,"longitude":-2}})",
                      "Content-Type: application/json\r\n");
  };
  const auto failed = change_with("failing-store");
  CHECK(failed.status == 503);
  CHECK(failed.problem_code() == "store_failed");
  CHECK(failed.header("retry-after") == "1");
  const auto full = change_with("full-disk");
  CHECK(full.status == 507);
  CHECK(full.problem_code() == "store_full");
  CHECK(of.metric("matchcloud_requests_total{operation=\"put_element\",status=\"507\"}") == 1);
}

TEST_CASE("a failure that meets every request does not flood the log", "[operations]") {
  const server of{{"--enable-fault-injection"}};
  CHECK(ask_faults(of, "PUT", "/faults/store.read", R"({"kind":"error"})").status / 100 == 2);
  for (int i = 0; i < 100; ++i)
    CHECK(ask_faults(of, "GET", "/v1/tiers").status == 503);
  const auto lines = [&] {
    const auto log = of.process().errors();
    int count = 0;
    for (auto at = log.find("ops: "); at != std::string::npos; at = log.find("ops: ", at + 1))
      ++count;
    return count;
  };
  CHECK(eventually([&] { return lines() >= 20; }));
  CHECK(lines() <= 60); // in a window that ends meanwhile and the next, with their sum
}

TEST_CASE("faults come from a file or the environment", "[operations]") {
  const auto file =
      shared_world().directory().file("faults.toml", "avatar.receive = { kind = \"error\" }\n");
  const server by_flag{{"--enable-fault-injection", "--faults", file}};
  CHECK(avatars(by_flag).status == 503);
  const server by_environment{{},
                              shared_world(),
                              {"MATCHCLOUD_ENABLE_FAULT_INJECTION=true",
                               "MATCHCLOUD_FAULTS=avatar.receive = { kind = \"error\" }"}};
  CHECK(avatars(by_environment).status == 503);
}

TEST_CASE("a service that is not to be broken has no faults", "[operations]") {
  const server of;
  for (const auto* target : {"/faults", "/faults/avatar.receive"})
    CHECK(ask_faults(of, "GET", target).status == 404);
  CHECK(ask_faults(of, "PUT", point, R"({"kind":"crash"})").status == 404);
  CHECK(avatars(of, "X-Fault: avatar.receive\r\n").status == 200);
  for (const arguments& flags :
       {arguments{"--faults", "avatar.receive = { kind = \"crash\" }"}, {"--fault-seed", "1"}}) {
    auto all = flags;
    all.insert(all.begin(), {"serve", "--data-dir", shared_world().data_dir()});
    const auto refused = run(all);
    CHECK(refused.exit_code == 2);
    CHECK(refused.errors.find("only with --enable-fault-injection") != std::string::npos);
  }
  const auto wrong = run({"serve", "--enable-fault-injection", "--faults", "acept={}"});
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.errors.find("Did you mean `accept`?") != std::string::npos);
}

TEST_CASE("the ops plane tells of every actor, and of one that died why", "[operations]") {
  const server of{{"--enable-fault-injection", "--loops", "2"}};
  // So that it is known which actor gets a request.
  const server one{{"--enable-fault-injection", "--loops", "1"}};
  const auto place_of = [](const server& whose, std::string_view name) {
    auto all = parse_json(ask_faults(whose, "GET", "/actors").body);
    REQUIRE(all.IsObject());
    for (const auto& each : all["actors"].GetArray())
      if (text_at(each, "place") == name) {
        rapidjson::Document found;
        found.CopyFrom(each, found.GetAllocator());
        return found;
      }
    FAIL("no such place: " << name);
    return rapidjson::Document{};
  };
  for (const auto* name : {"supervisor", "catalog", "validator/0", "validator/1", "validator/large",
                           "region_ranking/1", "media/0", "avatar/0", "avatar/ops", "lobby_export",
                           "export_download", "latency_map", "front/0", "front/1"}) {
    const auto here = place_of(of, name);
    CAPTURE(name);
    CHECK((here["state"] == "running"));
    CHECK((here["restarts"].GetUint64() == 0));
    CHECK((here["depth"].GetUint64() == 0));
    CHECK(here["last_error"].IsNull());
  }
  const auto place = [&] { return place_of(one, "avatar/0"); };
  CHECK(avatars(one).status == 200);
  CHECK((place()["handled"].GetUint64() == 1));

  ask_faults(one, "PUT", point, R"({"kind":"crash","once":true})");
  CHECK(avatars(one).status == 200);
  const auto died = place();
  CHECK((died["state"] == "running"));
  CHECK((died["restarts"].GetUint64() == 1));
  CHECK((died["handled"].GetUint64() == 2));
  CHECK(text_at(died, "last_error") == "fault injection at avatar.receive");
  CHECK(one.metric("matchcloud_place_restarts_total{place=\"avatar/0\"}") == 1);
  CHECK(one.metric("matchcloud_actor_restarts_total") == 1);

  ask_faults(one, "PUT", point, R"({"kind":"stall"})");
  raw_connection waiting{one.data()};
  waiting.send(request("GET", demo_avatars_target));
  CHECK(eventually([&] { return place()["depth"].GetUint64() == 1; }));
  ask_faults(one, "DELETE", point);
  CHECK(waiting.receive().status == 200);
  CHECK(eventually([&] { return place()["depth"].GetUint64() == 0; }));
}

TEST_CASE("a request that kills who handles it is sent again twice, then refused", "[operations]") {
  const server of{{"--enable-fault-injection"}};
  ask_faults(of, "PUT", "/faults/validator.receive", R"({"kind":"crash","header":true})");
  raw_connection client{of.data()};
  const auto poison = client.ask(request("POST", groups_target, good_group,
                                         "Content-Type: application/json\r\n"
                                         "X-Fault: validator.receive\r\n"));
  CHECK(poison.status == 503);
  CHECK(poison.problem_code() == "unavailable");
  CHECK(poison.header("retry-after") == "1");
  CHECK(of.metric("matchcloud_actor_restarts_total") == 3);
  CHECK(client.ask(request("POST", groups_target, good_group)).status == 200);
}

TEST_CASE("a restart storm makes the service not ready, or ends it where it is told so",
          "[lifecycle]") {
  const arguments flags{"--enable-fault-injection", "--restart-intensity", "2"};
  {
    const server of{flags};
    ask_faults(of, "PUT", "/faults/region_ranking.receive", R"({"kind":"crash"})");
    for (int i = 0; i < 3; ++i) {
      raw_connection client{of.data()};
      static_cast<void>(client.ask(request("GET", regions_target)));
    }
    CHECK(eventually([&] { return of.ready_status() == 503; }));
    CHECK(ask_faults(of, "GET", "/healthz").status == 200);
    ask_faults(of, "DELETE", "/faults");
    check_serves(of.data());
    CHECK(eventually([&] { return of.ready_status() == 200; }));
  }
  auto ending = flags;
  ending.push_back("--exit-on-restart-storm");
  server of{ending};
  ask_faults(of, "PUT", "/faults/region_ranking.receive", R"({"kind":"crash"})");
  for (int i = 0; i < 3 && of.process().running(); ++i)
    try {
      raw_connection client{of.data()};
      static_cast<void>(client.ask(request("GET", regions_target)));
    } catch (const std::runtime_error&) {
      // The process has ended by now.
    }
  CHECK(of.process().exit_code() == 1);
}

} // namespace
