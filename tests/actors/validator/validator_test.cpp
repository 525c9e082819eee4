#include "actors/validator/validator.hpp"

#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/actor_fixture.hpp"

#include <rapidjson/document.h>

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using base::errc;

std::shared_ptr<const std::string> text(std::string of) {
  return std::make_shared<const std::string>(std::move(of));
}

struct validator_bench : deterministic_system {
  std::shared_ptr<probe_log> log = std::make_shared<probe_log>();
  caf::actor front = spawn<probe>(log);
  caf::actor validator =
      spawn<actors::validator>(model::validation_rules{}, two_regions(), SIZE_MAX);

  void ask(validate_payload request) { send_as(front, validator, std::move(request)); }
};

bool has_errors(const std::string& json) {
  rapidjson::Document parsed;
  parsed.Parse(json.c_str());
  REQUIRE(parsed.IsObject());
  return !parsed["errors"].Empty();
}

TEST_CASE("a validator answers with the findings and the exchange they belong to") {
  validator_bench on;
  on.ask({{7, 2}, model::payload_kind::game, {}, text(R"({"display_name":"Fine"})")});
  on.ask({{8, 1}, model::payload_kind::game, {}, text("{}")});
  REQUIRE(on.log->made.size() == 2);
  CHECK(on.log->made[0].exchange == exchange_ref{7, 2});
  CHECK(on.log->made[1].exchange == exchange_ref{8, 1});
  CHECK(has_errors(*on.log->made[1].json));
  CHECK(on.log->failed.empty());
}

TEST_CASE("payloads without findings share one reply") {
  validator_bench on;
  const auto fine = text(R"({"display_name":"Fine","name_id":"fine"})");
  on.ask({{1, 1}, model::payload_kind::group, {}, fine});
  on.ask({{2, 1}, model::payload_kind::group, {}, fine});
  REQUIRE(on.log->made.size() == 2);
  CHECK(*on.log->made[0].json == R"({"errors":[]})");
  CHECK(on.log->made[0].json == on.log->made[1].json);
}

TEST_CASE("a body that is no JSON object fails with its own code") {
  validator_bench on;
  on.ask({{1, 1}, model::payload_kind::game, {}, text("{")});
  on.ask({{2, 1}, model::payload_kind::game, {}, text("[]")});
  on.ask({{3, 1}, model::payload_kind::game, {}, text(std::string(100, '['))});
  REQUIRE(on.log->failed.size() == 3);
  CHECK(on.log->failed[0].error.code == errc::body_malformed);
  CHECK(on.log->failed[1].error.code == errc::body_not_object);
  CHECK(on.log->failed[2].error.code == errc::body_too_deep);
  CHECK(on.log->failed[2].exchange == exchange_ref{3, 1});
  CHECK(on.log->made.empty());
}

TEST_CASE("a version belongs to a game that exists; a body error comes first") {
  validator_bench on;
  on.ask({{1, 1}, model::payload_kind::version, id_of(99), text("{}")});
  on.ask({{2, 1}, model::payload_kind::version, id_of(99), text("{")});
  on.ask({{3, 1}, model::payload_kind::version, id_of(1), text("{}")});
  REQUIRE(on.log->failed.size() == 2);
  CHECK(on.log->failed[0].error.code == errc::game_not_found);
  CHECK(contains(on.log->failed[0].error.detail, to_string(id_of(99))));
  CHECK(on.log->failed[1].error.code == errc::body_malformed);
  REQUIRE(on.log->made.size() == 1);
  CHECK(on.log->made[0].exchange == exchange_ref{3, 1});
}

TEST_CASE("only a version asks for the game") {
  validator_bench on;
  on.ask({{1, 1}, model::payload_kind::game, id_of(99), text("{}")});
  on.ask({{2, 1}, model::payload_kind::group, id_of(99), text("{}")});
  CHECK(on.log->made.size() == 2);
}

TEST_CASE("a changed catalog takes effect with the next payload") {
  validator_bench on;
  auto larger = two_regions();
  larger->games.push_back({id_of(99), "New"});
  caf::anon_send(on.validator, catalog_changed{larger});
  on.ask({{1, 1}, model::payload_kind::version, id_of(99), text("{}")});
  CHECK(on.log->made.size() == 1);
  caf::anon_send(on.validator, catalog_changed{two_regions()});
  on.ask({{2, 1}, model::payload_kind::version, id_of(99), text("{}")});
  CHECK(on.log->failed.size() == 1);
}

TEST_CASE("a validator ignores unknown messages") {
  validator_bench on;
  caf::anon_send(on.validator, std::string{"hello"});
  caf::anon_send(on.validator, make_error(caf::sec::runtime_error));
  on.ask({{1, 1}, model::payload_kind::game, {}, text("{}")});
  CHECK(on.log->made.size() == 1);
}

/// Dies when a message tells it to.
class fragile final : public resident {
public:
  explicit fragile(caf::actor_config& cfg) : resident{cfg, some_gate_points} {}

protected:
  caf::behavior make_behavior() override {
    be_strict();
    return {[](int) { throw std::runtime_error{"a defect"}; }, [](bool) { throw 7; }};
  }
};

TEST_CASE("an exception in a handler ends only its actor") {
  validator_bench on;
  for (const bool known_type : {true, false}) {
    CAPTURE(known_type);
    const auto victim = on.spawn<fragile>();
    caf::error reason;
    victim->attach_functor([&](const caf::error& why) { reason = why; });
    if (known_type)
      caf::anon_send(victim, 1);
    else
      caf::anon_send(victim, true);
    on.run();
    CHECK(reason == caf::sec::runtime_error);
  }
  on.ask({{1, 1}, model::payload_kind::game, {}, text("{}")});
  CHECK(on.log->made.size() == 1);
}

TEST_CASE("a payload with too many findings is deferred") {
  const auto with_findings = [](int count) {
    std::string body = R"({"display_name":"Fine","config":{"matchmaker":{)";
    for (int i = 0; i < count; ++i)
      body.append("\"unknown").append(std::to_string(i)).append("\":1,");
    return text(body + R"("max_players":8}}})");
  };
  deterministic_system on;
  const auto log = std::make_shared<probe_log>();
  const auto front = on.spawn<probe>(log);
  const auto brief = on.spawn<actors::validator>(model::validation_rules{}, two_regions(), 64UL);
  on.send_as(front, brief,
             validate_payload{{1, 1}, model::payload_kind::version, {}, with_findings(60)});
  on.send_as(front, brief,
             validate_payload{{2, 1}, model::payload_kind::version, {}, with_findings(65)});
  REQUIRE(log->made.size() == 1);
  CHECK(log->made[0].exchange == exchange_ref{1, 1});
  REQUIRE(log->deferred.size() == 1);
  CHECK(log->deferred[0].exchange == exchange_ref{2, 1});
  CHECK(*log->deferred[0].request.body == *with_findings(65));
}

} // namespace
} // namespace matchcloud::actors
