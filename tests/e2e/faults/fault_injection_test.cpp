// Faults that are injected into a service by its ops plane, a file or the environment.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/tokens.hpp"

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

TEST_CASE("faults are set, shown and removed by the ops plane", "[operations]") {
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

TEST_CASE("faults come from a file or the environment", "[operations]") {
  const auto file =
      shared_world().directory().file("faults.toml", "avatar.receive = { kind = \"error\" }\n");
  const server by_flag{{"--enable-fault-injection", "--fault-seed", "7", "--faults", file}};
  CHECK(avatars(by_flag).status == 503);
  const server by_environment{{},
                              shared_world(),
                              {"MATCHCLOUD_ENABLE_FAULT_INJECTION=true",
                               "MATCHCLOUD_FAULTS=avatar.receive = { kind = \"error\" }"}};
  CHECK(avatars(by_environment).status == 503);
}

TEST_CASE("without --enable-fault-injection a service has no faults", "[operations]") {
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
  // Faults that are wrong end the start before anything listens, with their line.
  const auto file = shared_world().directory().file(
      "wrong-faults.toml", "\n[avatar.receive]\nkind = \"error\"\nprobability = 2\n");
  const auto wrong = run({"serve", "--enable-fault-injection", "--faults", file});
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.errors.find(file + ":2: avatar.receive: the probability must be 0 to 1.") !=
        std::string::npos);
}

TEST_CASE("the ops plane lists all actors, and why one died", "[operations]") {
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
  for (const auto* name : {"supervisor", "validator/1", "validator/large", "front/1"}) {
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

TEST_CASE("a restart storm makes the service unready, or ends it with --exit-on-restart-storm",
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

/// The numbers of the failed requests among `requests` consecutive ones.
std::vector<int> failures(const server& of, int requests) {
  raw_connection client{of.data()};
  std::vector<int> all;
  for (int i = 0; i < requests; ++i)
    if (client.ask(request("GET", demo_avatars_target)).status != 200) all.push_back(i);
  return all;
}

TEST_CASE("the same seed hits the same requests, another seed others", "[operations]") {
  const auto failed_with = [](const std::string& seed) {
    const server of{{"--enable-fault-injection", "--fault-seed", seed, "--faults",
                     "avatar.receive = { kind = \"error\", probability = 0.25 }"}};
    CHECK(std::to_string(parse_json(ask_faults(of, "GET", "/faults").body)["seed"].GetUint64()) ==
          seed);
    return failures(of, 80);
  };
  const auto first = failed_with("18446744073709551615");
  CHECK(first.size() > 5);
  CHECK(first.size() < 40);
  CHECK(failed_with("18446744073709551615") == first);
  CHECK(failed_with("1") != first);
}

TEST_CASE("while an avatar actor dies every fiftieth time all requests are answered 200",
          "[operations]") {
  const server of{{"--enable-fault-injection", "--fault-seed", "3", "--faults",
                   "avatar.receive = { kind = \"crash\", probability = 0.02 }"}};
  CHECK(failures(of, 400).empty());
  const auto crashes = of.metric("matchcloud_faults_hit_total{point=\"avatar.receive\"}");
  CHECK(crashes > 0);
  CHECK(of.metric("matchcloud_actor_restarts_total") == crashes);
  CHECK(of.ready_status() == 200);
}

} // namespace
