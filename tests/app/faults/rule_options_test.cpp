#include "app/faults/rule_options.hpp"

#include "actors/fault_control/fault_rule.hpp"
#include "base/failure.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace matchcloud::app {
namespace {

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
