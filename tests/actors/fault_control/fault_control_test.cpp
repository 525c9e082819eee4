#include "actors/fault_control/fault_control.hpp"

#include "actors/fault_control/fault_presets.hpp"
#include "actors/fault_control/fault_rule.hpp"
#include "base/faults.hpp"
#include "model/json/rapidjson.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/json.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <rapidcheck.h>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using base::errc;
using namespace std::chrono_literals;
using base::fault_kind;
using base::fault_point;
using e2e::number_at;
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

TEST_CASE("a rule is in force and shown until it is deleted") {
  fault_control_bench one;
  const auto put = one.ask(fault_verb::put, "avatar.receive",
                           R"({"kind":"delay","delay_ms":[0.5,20],"every":3})");
  CHECK(put.first == 200);
  CHECK(put == one.ask(fault_verb::get));
  base::fault_rule expected;
  expected.kind = fault_kind::delay;
  expected.least_delay = 500us;
  expected.most_delay = 20ms;
  expected.every = 3;
  CHECK(base::faults::status(point).rule == expected);

  for (int i = 0; i < 7; ++i)
    static_cast<void>(base::faults::strike(point));
  const auto whole = one.ask(fault_verb::get).second;
  const auto shown = parse_json(whole);
  CHECK(text_at(shown, "point") == "avatar.receive");
  CHECK(text_at(shown, "what") == facts_of(point).sentence);
  CHECK(number_at(shown, "passes") == 7);
  CHECK(number_at(shown, "hits") == 2);
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

TEST_CASE("all points are listed in their order, with the seed and the presets") {
  fault_control_bench one;
  one.ask(fault_verb::put, "clock", R"({"kind":"corrupt"})");
  const auto all = parse_json(one.ask(fault_verb::list).second);
  REQUIRE(all.IsObject());
  CHECK(number_at(all, "seed") == 77);
  CHECK(all["presets"].Size() == fault_presets.size());
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
  one.advance(1'999ms);
  CHECK(base::faults::armed(point));
  CHECK(parse_json(one.ask(fault_verb::get).second)["heals_in_s"].GetInt() == 1);
  one.advance(1ms);
  CHECK_FALSE(base::faults::armed(point));
  CHECK(parse_json(one.ask(fault_verb::get).second)["heals_in_s"].IsNull());
  CHECK(base::faults::armed(fault_point::clock));
  for (int i = 0; i < 3'598; ++i)
    one.advance(1s);
  CHECK_FALSE(base::faults::armed(fault_point::clock));
}

TEST_CASE("a rule that replaces another lasts for its own time") {
  fault_control_bench one;
  one.ask(fault_verb::put, "avatar.receive", R"({"kind":"error","lasts_s":2})");
  one.advance(1s);
  one.ask(fault_verb::put, "avatar.receive", R"({"kind":"drop","lasts_s":5})");
  for (int i = 0; i < 4; ++i)
    one.advance(1s);
  CHECK(base::faults::armed(point));
  one.advance(1s);
  CHECK_FALSE(base::faults::armed(point));
}

TEST_CASE("all faults are taken away at once") {
  fault_control_bench one;
  for (const auto* each : {"avatar.receive", "store.commit", "clock"})
    CHECK(one.ask(fault_verb::put, each, R"({"kind":"delay","delay_ms":1})").first == 200);
  CHECK(one.ask(fault_verb::clear_all).first == 204);
  for (std::size_t i = 0; i < base::fault_point_count; ++i)
    CHECK_FALSE(base::faults::armed(static_cast<fault_point>(i)));
}

TEST_CASE("a refused rule leaves the one before in force") {
  fault_control_bench one;
  one.ask(fault_verb::put, "avatar.receive", R"({"kind":"error"})");
  const auto before = base::faults::status(point).rule;
  const auto refused = one.ask(fault_verb::put, "avatar.receive", "{}");
  CHECK(refused.first == 400);
  CHECK(contains(refused.second, "`kind` is missing"));
  CHECK(base::faults::status(point).rule == before);
}

TEST_CASE("an unknown fault point is 404, for every verb") {
  fault_control_bench one;
  for (const auto what : {fault_verb::get, fault_verb::put, fault_verb::clear})
    CHECK(one.ask(what, "avatar.recieve", R"({"kind":"error"})").first == 404);
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

TEST_CASE("the audit log has an entry of a healed fault") {
  audited_bench on;
  base::fault_rule rule{.kind = fault_kind::error};
  rule.lasts = 1s;
  REQUIRE(on.by->inject(point, rule, base::steady_time{} + 1s));
  for (int i = 0; i < 4; ++i)
    on.advance(1s);
  CHECK_FALSE(base::faults::armed(point));
  on.write();
  REQUIRE(on.database->recorded.size() == 1);
  CHECK(on.database->recorded[0].action == "fault.heal");
  CHECK(on.database->recorded[0].subject == "faults/avatar.receive");
  CHECK(on.database->recorded[0].before == R"({"kind":"error","lasts_s":1})");
}

TEST_CASE("without an entry there is no fault") {
  audited_bench on;
  on.database->failure = base::error{errc::store_failed, "no disk"};
  on.put();
  on.write();
  CHECK_FALSE(base::faults::armed(point));
  REQUIRE(on.front_log->failed.size() == 1);
  CHECK(on.front_log->failed[0].error.code == errc::store_failed);
  on.pool.full = true;
  on.put();
  CHECK_FALSE(base::faults::armed(point));
  REQUIRE(on.front_log->failed.size() == 1);
  CHECK(on.front_log->failed[0].error.code == errc::overloaded);
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
  on.database->failure = base::error{errc::store_failed, "no disk"};
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

using base::fault_rule;
using fixtures::contains;

TEST_CASE("a rule is read with all that it says") {
  const auto read = read_fault_rule(
      fault_point::avatar_receive,
      R"({"kind":"delay","delay_ms":[1.5,20],"probability":0.25,"every":3,"first":100,)"
      R"("once":true,"header":true,"client":"10.0.0.0/8",)"
      R"("token":"00000000-0000-4000-8000-000000000007","connections":0.5,"lasts_s":60})");
  REQUIRE(read);
  fault_rule expected;
  expected.kind = fault_kind::delay;
  expected.least_delay = 1'500us;
  expected.most_delay = 20ms;
  expected.probability = 0.25;
  expected.every = 3;
  expected.first = 100;
  expected.once = true;
  expected.by_header = true;
  expected.client = base::fault_network{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10}, 104};
  expected.token = {0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 7};
  expected.connections = 0.5;
  expected.lasts = 60s;
  CHECK(*read == expected);
  const auto fixed =
      read_fault_rule(fault_point::avatar_receive, R"({"kind":"delay","delay_ms":7})");
  REQUIRE(fixed);
  CHECK(fixed->least_delay == 7ms);
  CHECK(fixed->most_delay == 7ms);
  const auto plain = read_fault_rule(fault_point::avatar_receive, R"({"kind":"crash"})");
  REQUIRE(plain);
  CHECK(*plain == fault_rule{.kind = fault_kind::crash});
}

TEST_CASE("malformed rules are refused with the point and advice") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "(byte 0)"},
      {"{", "(byte 1)"},
      {R"({"kind":"error"} x)", "(byte 17)"},
      {std::string{R"({"kind":"error"})"} + '\0' + "x", "(byte 16)"},
      {"\xff", "(byte 0)"},
      {"[]", "an object such as"},
      {"null", "an object such as"},
      {"{}", "`kind` is missing"},
      {R"({"kind":7})", "`kind` must be a kind of fault"},
      {R"({"kind":"none"})", "`kind` must be a kind of fault"},
      {R"({"kind":"crahs"})", "Did you mean `crash`?"},
      {R"({"kind":"corrupt"})", "has no fault corrupt. Choose one of: delay, error, drop"},
      {R"({"kind":"error","probabilty":1})", "Did you mean `probability`?"},
      {R"({"kind":"error","zzz":1})", "It can have: `kind`, `delay_ms`, `probability`"},
      {R"({"kind":"error","delay_ms":1})", "`delay_ms` belongs to the kind \"delay\""},
      {R"({"kind":"delay"})", "`delay_ms` is missing"},
      {R"({"kind":"delay","delay_ms":"1"})", "a number of milliseconds, or [least, most]"},
      {R"({"kind":"delay","delay_ms":[1]})", "or [least, most]"},
      {R"({"kind":"delay","delay_ms":[1,2,3]})", "or [least, most]"},
      {R"({"kind":"delay","delay_ms":-1})", "0 to 3600000 ms"},
      {R"({"kind":"delay","delay_ms":[2,1]})", "the smaller bound first"},
      {R"({"kind":"delay","delay_ms":1e300})", "0 to 3600000 ms"},
      {R"({"kind":"error","probability":"1"})", "from 0 to 1"},
      {R"({"kind":"error","probability":1.5})", "must be 0 to 1"},
      {R"({"kind":"error","every":0})", "`0`, which is not a count from 1"},
      {R"({"kind":"error","every":"2"})",
       "must be an integer, but is the string `2`. Write the number without"},
      {R"({"kind":"error","every":1.5})", "but is the number `1.5`. Write a whole number."},
      {R"({"kind":"error","first":-1})", "`-1`, which is not a count from 1"},
      {R"({"kind":"error","kind":"drop"})", "`kind` more than once. Keep one of them."},
      {R"({"kind":"error","once":1})", "must be a boolean, but is the number `1`"},
      {R"({"kind":"error","once":[]})", "must be a boolean, but is an array."},
      {R"({"kind":"error","header":"avatar.receive"})", "must be a boolean"},
      {R"({"kind":"error","client":"10.0.0.1/8"})", "without bits set after the prefix"},
      {R"({"kind":"error","client":7})", "`client` must be an address"},
      {R"({"kind":"error","token":"mc_admin_x"})", "not the token itself"},
      {R"({"kind":"error","connections":0})", "above 0 and at most 1"},
      {R"({"kind":"error","connections":true})", "such as 0.1 for a tenth"},
      {R"({"kind":"error","lasts_s":0})", "which is not a number of seconds from 1 to 86400"},
      {R"({"kind":"error","lasts_s":1.5})", "Write a whole number."},
      {std::string(5'000, ' '), "at most 4096 bytes"}};
  for (const auto& [json, says] : cases) {
    CAPTURE(json);
    const auto read = read_fault_rule(fault_point::avatar_receive, json);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == base::errc::config_invalid);
    CAPTURE(read.error().detail);
    CHECK(read.error().detail.starts_with("avatar.receive"));
    CHECK(contains(read.error().detail, says));
  }
}

TEST_CASE("a header chooses only where the request is known") {
  const auto refused =
      read_fault_rule(fault_point::store_read, R"({"kind":"error","header":true})");
  REQUIRE_FALSE(refused);
  CHECK(contains(refused.error().detail, "X-Fault"));
}

TEST_CASE("an unknown point is refused with the likely one") {
  CHECK(no_such_fault_point("avatar.recieve").detail ==
        "`avatar.recieve` is not a fault point. Did you mean `avatar.receive`?");
  CHECK(contains(no_such_fault_point("?").detail, "Allowed: accept, read, write"));
}

TEST_CASE("a written rule reads back unchanged") {
  CHECK(rc::check([] {
    fault_rule rule;
    rule.kind = *rc::gen::element(fault_kind::delay, fault_kind::error, fault_kind::drop,
                                  fault_kind::crash, fault_kind::abort, fault_kind::stall);
    if (rule.kind == fault_kind::delay) {
      rule.least_delay = std::chrono::microseconds{*rc::gen::inRange(0, 3'600'000)};
      rule.most_delay =
          rule.least_delay + std::chrono::microseconds{*rc::gen::inRange(0, 1'000'000)};
    }
    rule.probability = *rc::gen::inRange(0, 1'000'001) / 1e6;
    rule.every = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
    rule.first = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
    rule.once = *rc::gen::arbitrary<bool>();
    rule.by_header = *rc::gen::arbitrary<bool>();
    const auto bytes = [] {
      base::fault_bytes made;
      for (auto& each : made)
        each = *rc::gen::arbitrary<std::uint8_t>();
      return made;
    };
    if (*rc::gen::arbitrary<bool>()) rule.client = base::fault_network{bytes(), 128};
    if (*rc::gen::arbitrary<bool>()) rule.token = bytes();
    rule.connections = *rc::gen::inRange(1, 1'001) / 1e3;
    rule.lasts = std::chrono::seconds{*rc::gen::inRange(1, 86'401)};
    model::json_writer json;
    write_fault_rule(json, rule);
    const auto read = read_fault_rule(fault_point::front_reply, json.take());
    RC_ASSERT(read.has_value());
    RC_ASSERT(*read == rule);
  }));
}

TEST_CASE("a block of addresses is written as it was read") {
  for (const std::string block : {"10.0.0.0/8", "0.0.0.0/0", "192.0.2.7", "fd00::/8", "::1"}) {
    const auto read =
        read_fault_rule(fault_point::read, R"({"kind":"error","client":")" + block + R"("})");
    REQUIRE(read);
    model::json_writer json;
    write_fault_rule(json, *read);
    CHECK(json.take() == R"({"kind":"error","client":")" + block + R"("})");
  }
}

TEST_CASE("presets have unique names and valid rules") {
  for (const auto& each : fault_presets) {
    CAPTURE(each.name);
    CHECK(std::ranges::count(fault_presets, each.name, &fault_preset::name) == 1);
    CHECK(each.effect.ends_with('.'));
    const auto rule = read_fault_rule(each.point, each.rule);
    CHECK((rule ? std::string{} : rule.error().detail).empty());
  }
}

TEST_CASE("any bytes are read or refused") {
  CHECK(rc::check([](const std::string& bytes) {
    const auto read = read_fault_rule(fault_point::write, bytes);
    if (!read) RC_ASSERT(read.error().detail.starts_with("write"));
  }));
}

TEST_CASE("a status says all that is known of a point") {
  const base::steady_time now{5h};
  rapidjson::Document read;
  read.Parse(model::to_json(shown_point{{fault_point::clock, std::nullopt, 0, 0}, now}).c_str());
  REQUIRE(read.IsObject());
  CHECK((read["point"] == "clock"));
  CHECK(std::string_view{read["what"].GetString()} == facts_of(fault_point::clock).sentence);
  REQUIRE(read["kinds"].Size() == 2);
  CHECK((read["kinds"][0] == "delay"));
  CHECK(read["rule"].IsNull());
  CHECK(read["heals_in_s"].IsNull());
  CHECK((read["group"] == "clock"));
  CHECK(read["choose_by"].Empty());
  const auto later = now + 1'500ms;
  read.Parse(
      model::to_json(shown_point{{fault_point::front_dispatch, fault_rule{}, 20, 7, 7, later}, now})
          .c_str());
  REQUIRE(read.IsObject());
  CHECK((read["rule"]["kind"] == "error"));
  CHECK((read["passes"].GetUint64() == 20));
  CHECK((read["hits"].GetUint64() == 7));
  CHECK((read["heals_in_s"].GetUint64() == 2));
  REQUIRE(read["choose_by"].Size() == 3);
  CHECK((read["choose_by"][1] == "client"));
  CHECK_FALSE(read.HasMember("note"));
}

TEST_CASE("a rule of a token that no request can have says so") {
  const auto noted = [](const fault_rule& rule, bool reads_tokens) {
    return model::to_json(shown_point{{fault_point::front_reply, rule, 0, 0}, {}, reads_tokens})
               .find(R"("note":"With auth = open, the data plane ignores tokens)") !=
           std::string::npos;
  };
  fault_rule of_token;
  of_token.token = base::fault_bytes{1};
  CHECK(noted(of_token, false));
  CHECK_FALSE(noted(of_token, true));
  CHECK_FALSE(noted(fault_rule{}, false));
}

} // namespace
} // namespace matchcloud::actors
