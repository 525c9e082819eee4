#include "app/faults/fault_listing.hpp"

#include "actors/fault_control/fault_rule.hpp"
#include "app/faults/rule_options.hpp"
#include "base/failure.hpp"
#include "model/json/members.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"

#include <algorithm>
#include <utility>
#include <vector>

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

TEST_CASE("an injected fault is shown with its hits and the time until it heals") {
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

TEST_CASE("the JSON of a listing has the members of the service's") {
  CHECK(model::as_json(chosen({})) ==
        R"({"seed":7,"points":[{"point":"store.read","what":"Reading rows begins.",)"
        R"("group":"store","kinds":["delay","error"],"choose_by":["game"],)"
        R"("rule":{"kind":"delay","delay_ms":[5,20],"once":true,"connections":0.1},)"
        R"("passes":12,"hits":3,"heals_in_s":3599}],"presets":[]})");
}

TEST_CASE("a text that is not a listing is refused") {
  for (const auto* text : {"", "7", "{}", R"({"points":7})"})
    CHECK_FALSE(read_fault_listing(text, {}));
  CHECK_FALSE(read_fault_point("{}"));
}

using base::fault_kind;
using base::fault_point;

/// The rule of `fault set` with these words.
base::expected<placed_rule> made_of(std::vector<std::string> words) {
  CLI::App command;
  rule_options options;
  add_rule_options(command, options);
  std::ranges::reverse(words); // as CLI11 wants them
  try {
    command.parse(std::move(words));
    return base::attempt([&] { return rule_of(options); });
  } catch (const CLI::ParseError& wrong) {
    return base::fail(base::errc::config_invalid, wrong.what());
  }
}

TEST_CASE("a rule of a command line has all that was given") {
  const auto made = made_of({"front.reply",   "delay",
                             "--delay",       "5ms..1.5s",
                             "--probability", "0.25",
                             "--every",       "3",
                             "--first",       "9",
                             "--once",        "--header",
                             "--game",        "00000000-0000-4000-8000-000000000001",
                             "--client",      "10.0.0.0/8",
                             "--token-id",    "00000000-0000-4000-8000-000000000002",
                             "--connections", "0.1",
                             "--lasts",       "5m"});
  INFO((made ? std::string{} : made.error().detail));
  REQUIRE(made);
  CHECK(made->point == fault_point::front_reply);
  CHECK(actors::fault_rule_json(made->rule) ==
        R"({"kind":"delay","delay_ms":[5,1500],"probability":0.25,"every":3,"first":9,)"
        R"("once":true,"header":true,"game":"00000000-0000-4000-8000-000000000001",)"
        R"("client":"10.0.0.0/8","token":"00000000-0000-4000-8000-000000000002",)"
        R"("connections":0.1,"lasts_s":300})");
}

TEST_CASE("a preset is taken as it is, but for what is given besides") {
  const auto made =
      made_of({"--connections", "0.5", "--preset", "lossy-clients", "--lasts", "1500ms"});
  REQUIRE(made);
  CHECK(made->point == fault_point::read);
  CHECK(actors::fault_rule_json(made->rule) ==
        R"({"kind":"delay","delay_ms":[50,300],"probability":0.5,"connections":0.5,"lasts_s":2})");
}

TEST_CASE("a wrong command line is refused with what to write") {
  const auto refused = [](const std::vector<std::string>& words, std::string_view says) {
    const auto made = made_of(words);
    REQUIRE_FALSE(made);
    CAPTURE(made.error().detail);
    CHECK(made.error().detail.find(says) != std::string::npos);
  };
  refused({}, "Give POINT and KIND, or --preset");
  refused({"store.raed", "error"}, "Did you mean `store.read`?");
  refused({"store.read", "eror"}, "must be a kind of fault, but is `eror`. Did you mean `error`?");
  refused({"store.read", "crash"}, "store.read has no fault crash");
  refused({"store.read", "delay"}, "needs --delay");
  refused({"store.read", "error", "--delay", "5ms"}, "--delay works only with the kind delay");
  refused({"store.read", "delay", "--delay", "5"}, "which is not a time");
  refused({"store.read", "delay", "--delay", "20ms..5ms"}, "the smaller bound first");
  refused({"store.read", "error", "--client", "10.0.0.7"}, "does not know the client's address");
  refused({"store.read", "error", "--client", "10.0.0.7/8"}, "without bits set after the prefix");
  refused({"front.reply", "error", "--token-id", "mc_admin_x"},
          "`token` must be the id of a token, a UUID");
  refused({"store.read", "error", "--probability", "nan"}, "the probability must be 0 to 1");
  refused({"read", "error", "--connections", "inf"}, "must be above 0 and at most 1");
  refused({"front.reply", "error", "--lasts", "0s"}, "--lasts is `0s`");
  refused({"front.reply", "error", "--lasts", "25h"}, "Use a time such as 60s");
  refused({"--preset", "slow-dsik"}, "Did you mean `slow-disk`?");
  refused({"--preset", "?"}, "Presets: lossy-clients, ");
}

} // namespace
} // namespace matchcloud::app
