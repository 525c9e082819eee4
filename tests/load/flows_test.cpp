// The flows that are shipped, against the service.
#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/server.hpp"
#include "tests/service/tokens.hpp"

#include <string>

namespace matchcloud::e2e {
namespace {

command_result walked(const server& service, const std::string& flow, const arguments& more = {}) {
  arguments words{
      "--duration", "500ms", "--connections", "8",
      "--json",     "-",     "--mix",         fixtures::source_path("load/flows/" + flow)};
  words.insert(words.end(), more.begin(), more.end());
  words.push_back("http://127.0.0.1:" + std::to_string(service.data().port));
  return run(words, {}, {}, fixtures::load_program());
}

TEST_CASE("the shipped flows reach their end", "[load]") {
  const server service;
  for (const auto* const flow : {"export.toml", "validate.toml"}) {
    CAPTURE(flow);
    const auto done = walked(service, flow, {"--rate", "80", "--assert", "errors=0"});
    INFO(done.errors);
    REQUIRE(done.exit_code == 0);
    const auto report = parse_json(done.out);
    const auto& whole = report["flows"][0];
    CHECK(whole["sent"].GetUint64() == 40);
    CHECK(whole["answered"].GetUint64() == 40);
    REQUIRE(report["operations"].Size() == 3);
    for (const auto& step : report["operations"].GetArray())
      CHECK(step["answered"].GetUint64() == 40);
    CHECK(report["operations"][2]["latency_us"]["p50"].GetDouble() <
          whole["latency_us"]["p50"].GetDouble());
  }
}

TEST_CASE("a step of a flow that fails says which and why", "[load]") {
  const world own; // without exports of other tests
  const server service{{"--enable-fault-injection"}, own};
  REQUIRE(ask_ops(service, "PUT", "/faults/export.write", R"({"kind":"error"})").status / 100 == 2);
  const auto done = walked(service, "export.toml", {"--rate", "40"});
  CHECK(done.exit_code == 0);
  const auto report = parse_json(done.out);
  const auto& whole = report["flows"][0];
  CHECK(whole["sent"].GetUint64() == 20);
  CHECK(whole["errors"]["total"].GetUint64() == 20);
  CHECK(report["operations"][1]["sent"].GetUint64() == 0);
  INFO(done.errors);
  CHECK(done.errors.find("; the first: ask: 5") != std::string::npos);
}

} // namespace
} // namespace matchcloud::e2e
