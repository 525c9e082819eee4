#include "app/faults/fault_listing.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"

namespace matchcloud::app {
namespace {

constexpr std::string_view listing =
    R"({"seed":7,"points":[{"point":"store.read","what":"Reading rows begins.","group":"store",)"
    R"("kinds":["delay","error"],"choose_by":["game"],"rule":{"kind":"delay","delay_ms":[5,20],)"
    R"("once":true,"connections":0.1},"passes":12,"hits":3,"heals_in_s":3599},)"
    R"({"point":"clock","what":"The time is read.","group":"clock","kinds":["corrupt"],)"
    R"("choose_by":[],"rule":null,"passes":0,"hits":0,"heals_in_s":null}],)"
    R"("presets":[{"name":"slow-store","effect":"Lists wait.","point":"store.read",)"
    R"("rule":{"kind":"delay","delay_ms":[20,100]}},)"
    R"({"name":"wrong-clock","effect":"Tokens expire.",)"
    R"("point":"clock","rule":{"kind":"corrupt"}}]})";

rapidjson::Document chosen(const listing_choice& by) {
  return *read_fault_listing(listing, by);
}

TEST_CASE("what is injected is shown with its hits and when it heals") {
  CHECK(text_of(chosen({}), 0) ==
        "POINT       FAULT                                  HIT  OF  HEALS IN\n"
        "store.read  delay 5..20 ms, once, connections 0.1  3    12  60 min\n");
  CHECK(text_of(*read_fault_listing(R"({"points":[],"presets":[]})", {}), 0).empty());
}

TEST_CASE("all points are shown by group, and presets") {
  const auto text = text_of(chosen({true, {}}), 0);
  CHECK(text.find("clock  clock  corrupt  The time is read.\n") != std::string::npos);
  CHECK(text.find("slow-store   store.read  delay 20..100 ms  Lists wait.\n") != std::string::npos);
}

TEST_CASE("a search looks in names, groups and effects, in any case") {
  const auto slow = chosen({false, "SLOW"});
  CHECK(slow["points"].Empty());
  REQUIRE(slow["presets"].Size() == 1);
  CHECK(e2e::text_at(slow["presets"][0], "name") == "slow-store");
  CHECK(chosen({false, "store"})["points"].Size() == 1);
  CHECK(e2e::text_at(chosen({false, "the time"})["points"][0], "point") == "clock");
  CHECK(e2e::text_at(chosen({false, "expire"})["presets"][0], "name") == "wrong-clock");
}

TEST_CASE("as JSON a listing has the same members as the service's") {
  CHECK(as_json(chosen({})) ==
        R"({"seed":7,"points":[{"point":"store.read","what":"Reading rows begins.",)"
        R"("group":"store","kinds":["delay","error"],"choose_by":["game"],)"
        R"("rule":{"kind":"delay","delay_ms":[5,20],"once":true,"connections":0.1},)"
        R"("passes":12,"hits":3,"heals_in_s":3599}],"presets":[]})");
}

TEST_CASE("what is no listing is refused") {
  for (const auto* text : {"", "7", "{}", R"({"points":7})"})
    CHECK_FALSE(read_fault_listing(text, {}));
  CHECK_FALSE(read_fault_point("{}"));
}

} // namespace
} // namespace matchcloud::app
