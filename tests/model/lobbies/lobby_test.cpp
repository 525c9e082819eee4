#include "model/lobbies/lobby.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <string>

namespace {

using namespace matchcloud::model;

const std::string lobby_id = "0b24cf2f-3d3d-4a17-8e2e-0d7d2f0d9a01";
const std::string lobby_namespace = "00000000-0000-4000-8000-000000000011";
const std::string version_id = "3c8c8d64-6a0f-4d5c-8f3a-5a3b6c7d8e03";

/// A line with the given times; `more` is inserted before its end.
std::string line(const std::string& start, const std::string& more = {}) {
  return R"({"lobby_id":")" + lobby_id + R"(","namespace_id":")" + lobby_namespace +
         R"(","region_id":"fra","tier":"basic-1d1","version_id":")" + version_id +
         R"(","version_name":"1.4","game_mode":"duel","start_ts":)" + start + more + "}";
}

std::optional<line_finding> read(std::string text, lobby& into) {
  lobby_line_reader reader;
  return reader.read(input_line{1, {text.data(), text.size()}, false}, into);
}

lobby_times any_times() {
  const auto start = *rc::gen::inRange<std::int64_t>(0, 50);
  if (*rc::gen::arbitrary<bool>()) return {start, std::nullopt};
  return {start, start + *rc::gen::inRange<std::int64_t>(0, 50)};
}

} // namespace

TEST_CASE("a lobby line gives a lobby, running where it has no stop") {
  lobby found;
  REQUIRE_FALSE(read(line("1000", R"(,"stop_ts":"1970-01-01T00:00:02Z")"), found));
  CHECK(to_string(found.lobby_id) == lobby_id);
  CHECK(found.times == lobby_times{1'000, 2'000});
  CHECK(found.attributes == lobby_attributes{*parse_uuid(lobby_namespace), *parse_uuid(version_id),
                                             "fra", "basic-1d1", "1.4", "duel"});
  REQUIRE_FALSE(read(line(R"("1970-01-01T00:00:01+00:00")"), found));
  CHECK(found.times == lobby_times{1'000, std::nullopt});
  REQUIRE_FALSE(read(line("7", R"(,"stop_ts":null)"), found));
  CHECK(found.times == lobby_times{7, std::nullopt});
}

TEST_CASE("a lobby that stops before its start is invalid") {
  lobby found;
  CHECK_FALSE(read(line("1000", R"(,"stop_ts":1000)"), found));
  CHECK(read(line("1000", R"(,"stop_ts":999)"), found) ==
        line_finding{line_errc::invalid, "stop_ts: found 999, expected "
                                         "1970-01-01T00:00:01.000Z (start_ts) or later"});
}

TEST_CASE("a lobby line with a missing, unknown or wrong member is refused") {
  lobby found;
  CHECK(read(line("null"), found)->code == line_errc::wrong_type);
  CHECK(read(line("-1"), found)->code == line_errc::invalid);
  CHECK(read(line("1", R"(,"colour":1)"), found)->code == line_errc::unknown_member);
  CHECK(read(R"({"lobby_id":"x"})", found)->code == line_errc::required);
}

TEST_CASE("a duration class is the power of two that a lobby lasted") {
  CHECK(duration_class({5, std::nullopt}) == running_class);
  CHECK(duration_class({5, 5}) == 0);
  CHECK(duration_class({5, 6}) == 0);
  CHECK(duration_class({5, 7}) == 1);
  CHECK(duration_class({0, 1'023}) == 9);
  CHECK(duration_class({0, 1'024}) == 10);
  CHECK(duration_class({0, 253'402'300'799'999}) == 47);
}

TEST_CASE(
    "property: merging is commutative, associative, idempotent and keeps stops after starts") {
  REQUIRE(rc::check([] {
    const auto a = any_times();
    const auto b = any_times();
    const auto c = any_times();
    RC_ASSERT(merge(a, b) == merge(b, a));
    RC_ASSERT(merge(merge(a, b), c) == merge(a, merge(b, c)));
    RC_ASSERT(merge(a, a) == a);
    RC_ASSERT(merge(merge(a, b), b) == merge(a, b));
    const auto merged = merge(a, b);
    RC_ASSERT(merged.start_ts == std::min(a.start_ts, b.start_ts));
    RC_ASSERT(merged.stop_ts.has_value() == (a.stop_ts || b.stop_ts));
    RC_ASSERT(!merged.stop_ts || *merged.stop_ts >= merged.start_ts);
  }));
}

TEST_CASE("the first difference of two lobby kinds is named with both values") {
  const lobby_attributes one{{}, {}, "fra", "basic-1d1", "1.4", "duel"};
  auto other = one;
  CHECK(difference(one, other).empty());
  other.game_mode = "team";
  CHECK(difference(one, other) == R"(game_mode "duel" is not "team")");
  other.region_id = "iad";
  CHECK(difference(one, other) == R"(region_id "fra" is not "iad")");
}

TEST_CASE("lobby kinds are numbered once each, in their order") {
  lobby_attributes_table table;
  const lobby_attributes one{{}, {}, "fra", "basic-1d1", "1.4", "duel"};
  auto other = one;
  other.tier = "basic-1d2";
  CHECK(table.number_of(one) == 0);
  CHECK(table.number_of(other) == 1);
  CHECK(table.number_of(one) == 0);
  CHECK(table.size() == 2);
  CHECK(table[1] == other);
}
