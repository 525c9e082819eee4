// Which requests a fault hits, and what the service reports about it.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/server.hpp"

namespace {

using namespace matchcloud::e2e;

answer ask_seed(const server& of, const std::string& method, const std::string& target,
                const std::string& body = {}) {
  return raw_connection{of.ops()}.ask(method + " " + target +
                                      " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                                      std::to_string(body.size()) + "\r\n\r\n" + body);
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
    CHECK(std::to_string(parse_json(ask_seed(of, "GET", "/faults").body)["seed"].GetUint64()) ==
          seed);
    return failures(of, 80);
  };
  const auto first = failed_with("18446744073709551615");
  CHECK(first.size() > 5);
  CHECK(first.size() < 40);
  CHECK(failed_with("18446744073709551615") == first);
  CHECK(failed_with("1") != first);
}

TEST_CASE("the seed and how much is injected are printed at the start", "[operations]") {
  const auto first_line = [](const arguments& further) {
    arguments all{
        "serve",        "--data-dir",  shared_world().data_dir(), "--listen", "127.0.0.1:0",
        "--ops-listen", "127.0.0.1:0", "--enable-fault-injection"};
    all.insert(all.end(), further.begin(), further.end());
    child_process process{all};
    std::vector<std::string> lines;
    while (const auto line = process.next_line()) {
      if (line->starts_with("fault injection enabled")) return *line;
      lines.push_back(*line);
      if (line->starts_with("ops plane on")) break;
    }
    FAIL("nothing was said: " << lines.size());
    return std::string{};
  };
  const auto told = first_line({"--fault-seed", "7", "--faults", R"(clock = { kind = "corrupt" }
front.reply = { kind = "drop", first = 3 })"});
  CHECK(told == "fault injection enabled, seed 7, 2 faults injected");
  // Random seeds differ.
  CHECK(first_line({}) != first_line({}));
}

TEST_CASE("what was hit stays counted when the fault is taken away", "[operations]") {
  const server of{{"--enable-fault-injection"}};
  const std::string counted = "matchcloud_faults_hit_total{point=\"avatar.receive\"}";
  for (int round = 1; round <= 2; ++round) {
    CHECK(ask_seed(of, "PUT", "/faults/avatar.receive", R"({"kind":"error"})").status == 200);
    CHECK(failures(of, 3).size() == 3);
    CHECK(ask_seed(of, "DELETE", "/faults/avatar.receive").status == 204);
    CHECK(of.metric(counted) == 3 * round);
  }
}

TEST_CASE("faults that are wrong end the start before anything listens, with their line",
          "[operations]") {
  const auto file = shared_world().directory().file("wrong-faults.toml", R"(
clock = { kind = "corrupt" }

[avatar.receive]
kind = "error"
probability = 2
)");
  const auto refused = run({"serve", "--data-dir", shared_world().data_dir(),
                            "--enable-fault-injection", "--faults", file});
  CHECK(refused.exit_code == 2);
  CHECK(refused.out.empty());
  CHECK(refused.errors.find(file + ":4: avatar.receive: the probability must be 0 to 1.") !=
        std::string::npos);
  const auto twice =
      run({"serve", "--data-dir", shared_world().data_dir(), "--enable-fault-injection", "--faults",
           "clock = { kind = \"corrupt\" }\navatar.receive = { kind = \"error\" }\n"
           "\"avatar.receive\" = { kind = \"drop\" }"});
  CHECK(twice.exit_code == 2);
  CHECK(twice.errors.find("avatar.receive is given twice") != std::string::npos);
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
