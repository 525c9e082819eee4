// Nothing that the service or a command says or writes down holds a token, a key or a signature.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/tokens.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using namespace matchcloud::e2e;

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// Where a client may put a token by mistake: as credentials, in the path, in the query, in headers
/// that are logged or answered, in names and in bodies.
std::vector<std::string> misplaced(const std::string& token) {
  const auto plain = [](const std::string& target, const std::string& headers = {}) {
    return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n";
  };
  const auto put = [](const std::string& target, const std::string& body) {
    return "PUT " + target +
           " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
  };
  return {
      plain("/" + token),
      plain("/v1/games/" + token),
      plain("/v1/tokens/" + token),
      plain("/v1/audit?since=" + token),
      plain("/faults/" + token),
      plain("/cloud/games/" + token + "/avatars"),
      plain("/matchmaker/regions?rtt=" + token + ":5"),
      plain("/matchmaker/regions?token=" + token),
      plain("/exports/00000000-0000-4000-8000-00000000aaaa/lobby-history.csv?expires=1&signature=" +
            token),
      plain("/healthz", bearer(token)),
      plain("/metrics", bearer(token)),
      plain("/metrics", bearer(token.substr(0, token.size() - 1))),
      plain("/actors", "Authorization: " + token + "\r\n"),
      plain("/actors", "X-Request-Id: " + token + "\r\n"),
      plain("/nowhere", "X-Request-Id: a:" + token + "\r\n"),
      plain("/actors", "Origin: http://" + token + "\r\n"),
      "GET /actors HTTP/1.1\r\nHost: " + token + "\r\n\r\n",
      token + " / HTTP/1.1\r\nHost: localhost\r\n\r\n",
      plain("/actors", token + ": x\r\n"),
      plain("/actors", "Range: " + token + "\r\n"),
      put("/v1/tiers/" + token, ""),
      put("/faults/clock", R"({"kind":")" + token + "\"}"),
      put("/v1/games/00000000-0000-4000-8000-00000000bbbb", token)};
}

TEST_CASE("no output holds a secret, wherever a client puts it", "[operations]") {
  world of;
  std::vector<std::string> secrets;
  std::string heard;
  const auto hear = [&](const address& to, const std::string& text) {
    raw_connection client{to};
    client.send(text);
    const auto got = client.try_receive();
    if (!got) return;
    for (const auto& [name, value] : got->headers)
      heard += name + ": " + value + "\n";
    heard += got->body + "\n";
  };
  server at{{"--enable-fault-injection"}, of};
  for (const std::string kind : {"admin", "viewer", "metrics", "studio"}) {
    secrets.push_back(create_token(at, kind).text);
    const auto rotated = create_token(at, kind);
    secrets.push_back(rotated.text);
    const auto next =
        ask_ops(at, "POST", "/v1/tokens/" + rotated.id + "/rotate", R"({"grace_s":0})");
    secrets.push_back(text_at(parse_json(next.body), "token"));
  }
  // An export's URL is a secret, too: anyone who has its signature is let in.
  raw_connection client{at.data()};
  const auto exported = client.ask(request(
      "POST", "/cloud/games/" + std::string{demo_game} + "/matchmaker/lobbies/export-history",
      R"({"query_start":0,"query_end":1})"));
  const auto url = text_at(parse_json(exported.body), "url");
  const auto signature = url.substr(url.find("signature=") + 10);
  REQUIRE(signature.size() >= 32);
  for (const auto& secret : secrets)
    for (const auto& text : misplaced(secret)) {
      hear(at.data(), text);
      hear(at.ops(), text);
    }
  hear(at.data(), "GET " + url.substr(url.find("/exports")) + "x HTTP/1.1\r\nHost: a\r\n\r\n");
  for (const std::string target :
       {"/metrics", "/actors", "/v1/audit?limit=1000", "/v1/tokens", "/faults"})
    heard += ask_ops(at, "GET", target).body;
  at.process().signal(SIGTERM);
  CHECK(at.process().exit_code() == 0);
  heard += at.process().errors();
  for (const auto& arguments : {std::vector<std::string>{"token", "list"},
                                {"token", "list", "--format", "json"},
                                {"audit", "--limit", "1000"},
                                {"audit", "--format", "json", "--limit", "1000"}}) {
    auto all = arguments;
    all.insert(all.end(), {"--data-dir", of.data_dir()});
    const auto got = run(all);
    heard += got.out + got.errors;
  }
  CHECK(heard.size() > 100'000);
  // What signs is in its file alone, what was signed and the tokens' texts are nowhere.
  std::string kept;
  for (const auto& each : std::filesystem::recursive_directory_iterator{of.data_dir()})
    if (each.is_regular_file() && each.path().filename() != "signing-keys")
      kept += content_of(each.path());
  CHECK(heard.find(signature) == std::string::npos);
  CHECK(kept.find(signature) == std::string::npos);
  for (const auto& secret : secrets) {
    const auto part = secret.substr(secret.rfind('_') + 1, 20);
    CHECK(heard.find(part) == std::string::npos);
    if (const auto where = kept.find(part); where != std::string::npos)
      FAIL_CHECK("a file of the store has a token: " +
                 kept.substr(where > 60 ? where - 60 : 0, 90));
  }
}

} // namespace
