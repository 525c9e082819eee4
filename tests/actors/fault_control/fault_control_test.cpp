#include "actors/fault_control/fault_control.hpp"

#include "actors/fault_control/fault_presets.hpp"
#include "base/faults.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/json.hpp"

#include <string>
#include <utility>
#include <vector>

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using base::fault_kind;
using base::fault_point;
using e2e::parse_json;
using e2e::text_at;
using fault_verb = control_faults::verb;

constexpr auto point = fault_point::avatar_receive;

struct fault_control_bench : deterministic_system {
  std::shared_ptr<fault_switch> by = std::make_shared<fault_switch>();
  std::shared_ptr<probe_log> front_log = std::make_shared<probe_log>();
  caf::actor front = spawn<probe>(front_log);
  services with;
  caf::actor of;

  fault_control_bench() {
    with.faults = by;
    of = spawn<fault_control>(with, 77U);
  }
  ~fault_control_bench() { base::faults::clear_all(); }

  /// The status and body of the answer; those of a refusal are its code and detail.
  std::pair<int, std::string> ask(fault_verb what, std::string at = "avatar.receive",
                                  std::string body = {}) {
    *front_log = {};
    send_as(front, of,
            control_faults{
                {1, 1}, what, std::move(at), std::make_shared<const std::string>(std::move(body))});
    if (!front_log->failed.empty()) {
      const auto& why = front_log->failed[0].error;
      return {base::describe(why.code).status, why.detail};
    }
    REQUIRE(front_log->made.size() == 1);
    return {front_log->made[0].status, *front_log->made[0].json};
  }
};

TEST_CASE("a rule that is put is in force and shown, and gone when it is deleted") {
  fault_control_bench one;
  const auto put = one.ask(fault_verb::put, "avatar.receive",
                           R"({"kind":"delay","delay_ms":[0.5,20],"every":3})");
  CHECK(put.first == 200);
  CHECK(put == one.ask(fault_verb::get));
  base::fault_rule expected;
  expected.kind = fault_kind::delay;
  expected.least_delay = std::chrono::microseconds{500};
  expected.most_delay = std::chrono::milliseconds{20};
  expected.every = 3;
  CHECK(base::faults::status(point).rule == expected);

  for (int i = 0; i < 7; ++i)
    static_cast<void>(base::faults::strike(point));
  const auto whole = one.ask(fault_verb::get).second;
  const auto shown = parse_json(whole);
  CHECK(text_at(shown, "point") == "avatar.receive");
  CHECK(text_at(shown, "what") == facts_of(point).sentence);
  CHECK(shown["passes"].GetInt() == 7);
  CHECK(shown["hits"].GetInt() == 2);
  CHECK(text_at(shown, "group") == "actor");
  // A rule as shown is valid input for PUT.
  const auto begin = whole.find("\"rule\":") + 7;
  const auto rule = whole.substr(begin, whole.find('}', begin) + 1 - begin);
  CHECK(one.ask(fault_verb::put, "avatar.receive", rule).first == 200);
  CHECK(base::faults::status(point).rule == expected);

  CHECK(one.ask(fault_verb::clear) == std::pair{204, std::string{}});
  CHECK_FALSE(base::faults::armed(point));
  CHECK(parse_json(one.ask(fault_verb::get).second)["rule"].IsNull());
  CHECK(one.ask(fault_verb::clear).first == 204);
}

TEST_CASE("all points are listed in their order, with the seed") {
  fault_control_bench one;
  one.ask(fault_verb::put, "clock", R"({"kind":"corrupt"})");
  const auto all = parse_json(one.ask(fault_verb::list).second);
  REQUIRE(all.IsObject());
  CHECK(all["seed"].GetInt() == 77);
  REQUIRE(all["points"].Size() == base::fault_point_count);
  for (unsigned i = 0; i < base::fault_point_count; ++i) {
    const auto& each = all["points"][i];
    CHECK(text_at(each, "point") == base::fault_points[i].name);
    CHECK(each["rule"].IsNull() == (text_at(each, "point") != "clock"));
    CHECK_FALSE(each["kinds"].Empty());
  }
}

TEST_CASE("a fault heals by itself after its time, at that moment") {
  fault_control_bench one;
  CHECK(one.ask(fault_verb::put, "avatar.receive", R"({"kind":"error","lasts_s":2})").first == 200);
  CHECK(one.ask(fault_verb::put, "clock", R"({"kind":"corrupt"})").first == 200);
  CHECK(parse_json(one.ask(fault_verb::get).second)["heals_in_s"].GetInt() == 2);
  CHECK(parse_json(one.ask(fault_verb::get, "clock").second)["heals_in_s"].GetInt() == 3'600);
  one.advance(std::chrono::milliseconds{1'999});
  CHECK(base::faults::armed(point));
  CHECK(parse_json(one.ask(fault_verb::get).second)["heals_in_s"].GetInt() == 1);
  one.advance(std::chrono::milliseconds{1});
  CHECK_FALSE(base::faults::armed(point));
  CHECK(parse_json(one.ask(fault_verb::get).second)["heals_in_s"].IsNull());
  CHECK(base::faults::armed(fault_point::clock));
  for (int i = 0; i < 3'598; ++i)
    one.advance(std::chrono::seconds{1});
  CHECK_FALSE(base::faults::armed(fault_point::clock));
}

TEST_CASE("a rule that replaces another lasts for its own time") {
  fault_control_bench one;
  one.ask(fault_verb::put, "avatar.receive", R"({"kind":"error","lasts_s":2})");
  one.advance(std::chrono::seconds{1});
  one.ask(fault_verb::put, "avatar.receive", R"({"kind":"drop","lasts_s":5})");
  for (int i = 0; i < 4; ++i)
    one.advance(std::chrono::seconds{1});
  CHECK(base::faults::armed(point));
  one.advance(std::chrono::seconds{1});
  CHECK_FALSE(base::faults::armed(point));
}

TEST_CASE("the list has presets, whose rules are as they are put") {
  fault_control_bench one;
  const auto all = parse_json(one.ask(fault_verb::list).second);
  REQUIRE(all["presets"].Size() == fault_presets.size());
  for (const auto& each : all["presets"].GetArray()) {
    const auto& rule = fault_presets[static_cast<std::size_t>(&each - all["presets"].Begin())].rule;
    CHECK(one.ask(fault_verb::put, text_at(each, "point"), std::string{rule}).first == 200);
  }
}

TEST_CASE("all faults are taken away at once") {
  fault_control_bench one;
  for (const auto* each : {"avatar.receive", "store.commit", "clock"})
    CHECK(one.ask(fault_verb::put, each, R"({"kind":"delay","delay_ms":1})").first == 200);
  CHECK(one.ask(fault_verb::clear_all).first == 204);
  for (std::size_t i = 0; i < base::fault_point_count; ++i)
    CHECK_FALSE(base::faults::armed(static_cast<fault_point>(i)));
}

TEST_CASE("a refused rule says what was found, and the one before stays in force") {
  fault_control_bench one;
  one.ask(fault_verb::put, "avatar.receive", R"({"kind":"error"})");
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
      {"7", "a rule must be an object such as"}};
  for (const auto& [body, says] : cases) {
    CAPTURE(body);
    const auto refused = one.ask(fault_verb::put, "avatar.receive", body);
    CHECK(refused.first == 400);
    CHECK(refused.second.find(says) != std::string::npos);
    CHECK(base::faults::status(point).rule == before);
  }
}

TEST_CASE("what is no point is told with the one that was meant") {
  fault_control_bench one;
  for (const auto what : {fault_verb::get, fault_verb::put, fault_verb::clear}) {
    const auto got = one.ask(what, "avatar.recieve", R"({"kind":"error"})");
    CHECK(got.first == 404);
    CHECK(got.second.find("Did you mean `avatar.receive`?") != std::string::npos);
  }
  CHECK(one.ask(fault_verb::get, "\xff\r\n").first == 404);
}

TEST_CASE("nothing is injected any more once the service ends") {
  fault_control_bench one;
  const std::string rule = R"({"kind":"error"})";
  CHECK(one.ask(fault_verb::put, "avatar.receive", rule).first == 200);
  CHECK(base::faults::armed(point));
  one.by->end();
  CHECK_FALSE(base::faults::armed(point));
  CHECK(one.ask(fault_verb::put, "avatar.receive", rule).first == 503);
  CHECK_FALSE(base::faults::armed(point));
}

/// A `fault_control` whose changes go to an audit log.
struct audited_bench : fault_control_bench {
  manual_pool pool;
  std::shared_ptr<fake_database> database = std::make_shared<fake_database>();

  audited_bench() {
    kill(of);
    with.administered = open_fake(database);
    with.administering = &pool;
    of = spawn<fault_control>(with, 77U);
  }
  ~audited_bench() { pool.tasks.clear(); }

  void put(std::string body = R"({"kind":"drop"})", std::string at = "avatar.receive") {
    *front_log = {};
    send_as(front, of,
            control_faults{{1, 1},
                           fault_verb::put,
                           std::move(at),
                           std::make_shared<const std::string>(std::move(body))});
  }
  /// The audit log takes what it is given.
  void write() {
    while (pool.run_one())
      run();
  }
};

TEST_CASE("a fault is injected once the audit log has its entry") {
  audited_bench on;
  on.put();
  CHECK_FALSE(base::faults::armed(point));
  CHECK(on.front_log->made.empty());
  on.write();
  CHECK(base::faults::armed(point));
  REQUIRE(on.front_log->made.size() == 1);
  REQUIRE(on.database->recorded.size() == 1);
  CHECK(on.database->recorded[0].action == "fault.put");
  CHECK(on.database->recorded[0].subject == "faults/avatar.receive");
  CHECK(on.database->recorded[0].after == R"({"kind":"drop"})");
}

TEST_CASE("the audit log has an entry of a fault that healed, no matter who injected it") {
  audited_bench on;
  base::fault_rule rule{.kind = fault_kind::error};
  rule.lasts = std::chrono::seconds{1};
  REQUIRE(on.by->inject(point, rule, base::steady_time{} + std::chrono::seconds{1}));
  for (int i = 0; i < 4; ++i)
    on.advance(std::chrono::seconds{1});
  CHECK_FALSE(base::faults::armed(point));
  on.write();
  REQUIRE(on.database->recorded.size() == 1);
  CHECK(on.database->recorded[0].action == "fault.heal");
  CHECK(on.database->recorded[0].subject == "faults/avatar.receive");
  CHECK(on.database->recorded[0].before == R"({"kind":"error","lasts_s":1})");
}

TEST_CASE("without an entry there is no fault") {
  audited_bench on;
  on.database->failure = base::error{base::errc::store_failed, "no disk"};
  on.put();
  on.write();
  CHECK_FALSE(base::faults::armed(point));
  REQUIRE(on.front_log->failed.size() == 1);
  CHECK(on.front_log->failed[0].error.code == base::errc::store_failed);
  on.pool.full = true;
  on.put();
  CHECK_FALSE(base::faults::armed(point));
  REQUIRE(on.front_log->failed.size() == 1);
  CHECK(on.front_log->failed[0].error.code == base::errc::overloaded);
}

TEST_CASE("a rule that is refused leaves no entry") {
  audited_bench on;
  on.put("{}");
  on.put(R"({"kind":"drop"})", "nowhere");
  CHECK(on.pool.tasks.empty());
  CHECK(on.front_log->failed.size() == 1);
}

TEST_CASE("a fault is removed at once, whatever the store does, and noted afterwards") {
  audited_bench on;
  on.put();
  on.write();
  on.database->failure = base::error{base::errc::store_failed, "no disk"};
  CHECK(on.ask(fault_verb::clear).first == 204);
  CHECK_FALSE(base::faults::armed(point));
  on.write();
  CHECK(on.database->recorded.size() == 1);
  on.database->failure.reset();
  CHECK(on.ask(fault_verb::clear_all).first == 204);
  CHECK(on.pool.tasks.empty()); // nothing was injected any more
  on.put();
  on.write();
  CHECK(on.ask(fault_verb::clear_all).first == 204);
  on.write();
  REQUIRE(on.database->recorded.size() == 3);
  CHECK(on.database->recorded[2].action == "fault.clear");
  CHECK(on.database->recorded[2].subject == "faults");
}

} // namespace
} // namespace matchcloud::actors
