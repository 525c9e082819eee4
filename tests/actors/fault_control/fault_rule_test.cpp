#include "actors/fault_control/fault_rule.hpp"

#include "actors/fault_control/fault_presets.hpp"
#include "model/json/rapidjson.hpp"
#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace matchcloud::actors {
namespace {

using base::fault_kind;
using base::fault_point;
using base::fault_rule;

TEST_CASE("a rule is read with all that it says") {
  const auto read = read_fault_rule(
      fault_point::avatar_receive,
      R"({"kind":"delay","delay_ms":[1.5,20],"probability":0.25,"every":3,"first":100,)"
      R"("once":true,"header":true,"client":"10.0.0.0/8",)"
      R"("token":"00000000-0000-4000-8000-000000000007","connections":0.5,"lasts_s":60})");
  REQUIRE(read);
  fault_rule expected;
  expected.kind = fault_kind::delay;
  expected.least_delay = std::chrono::microseconds{1'500};
  expected.most_delay = std::chrono::milliseconds{20};
  expected.probability = 0.25;
  expected.every = 3;
  expected.first = 100;
  expected.once = true;
  expected.by_header = true;
  expected.client = base::fault_network{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10}, 104};
  expected.token = {0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 7};
  expected.connections = 0.5;
  expected.lasts = std::chrono::seconds{60};
  CHECK(*read == expected);
  const auto fixed =
      read_fault_rule(fault_point::avatar_receive, R"({"kind":"delay","delay_ms":7})");
  REQUIRE(fixed);
  CHECK(fixed->least_delay == std::chrono::milliseconds{7});
  CHECK(fixed->most_delay == std::chrono::milliseconds{7});
  const auto plain = read_fault_rule(fault_point::avatar_receive, R"({"kind":"crash"})");
  REQUIRE(plain);
  CHECK(*plain == fault_rule{.kind = fault_kind::crash});
}

TEST_CASE("what is no rule is refused with the point, what is wrong and what to write") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "(byte 0)"},
      {"{", "(byte 1)"},
      {R"({"kind":"error"} x)", "(byte 17)"},
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
      {R"({"kind":"error","every":1.5})", "Write a whole number."},
      {R"({"kind":"error","first":-1})", "`-1`, which is not a count from 1"},
      {R"({"kind":"error","kind":"drop"})", "`kind` more than once. Keep one of them."},
      {R"({"kind":"error","once":1})", "must be a boolean, but is the number `1`"},
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
    CHECK(read.error().detail.find(says) != std::string::npos);
  }
}

TEST_CASE("a header chooses only where the request is known") {
  const auto refused =
      read_fault_rule(fault_point::store_read, R"({"kind":"error","header":true})");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().detail.find("X-Fault") != std::string::npos);
}

TEST_CASE("a point that there is not is told with the one that was meant") {
  CHECK(no_such_fault_point("avatar.recieve").detail ==
        "`avatar.recieve` is not a fault point. Did you mean `avatar.receive`?");
  CHECK(no_such_fault_point("?").detail.find("Allowed: accept, read, write") != std::string::npos);
}

TEST_CASE("what is written of a rule reads back as the rule") {
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

TEST_CASE("every preset has a name of its own and a rule that its point takes") {
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
  const base::steady_time now{std::chrono::hours{5}};
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
  const auto later = now + std::chrono::milliseconds{1'500};
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
