#include "app/faults/rule_options.hpp"

#include "tests/catch.hpp"

#include <utility>
#include <vector>

namespace matchcloud::app {
namespace {

using base::fault_kind;
using base::fault_point;

rule_options of(std::string point, std::string kind) {
  rule_options made;
  made.point = std::move(point);
  made.kind = std::move(kind);
  return made;
}

TEST_CASE("a rule of a command line has all that was given") {
  auto options = of("front.reply", "delay");
  options.delay = "5ms..1.5s";
  options.probability = 0.25;
  options.every = 3;
  options.first = 9;
  options.once = options.header = true;
  options.game = "00000000-0000-4000-8000-000000000001";
  options.client = "10.0.0.0/8";
  options.token_id = "00000000-0000-4000-8000-000000000002";
  options.connections = 0.1;
  options.lasts = "5m";
  const auto made = rule_of(options);
  INFO((made ? std::string{} : made.error().detail));
  REQUIRE(made);
  CHECK(made->point == fault_point::front_reply);
  CHECK(rule_json(made->rule) ==
        R"({"kind":"delay","delay_ms":[5,1500],"probability":0.25,"every":3,"first":9,)"
        R"("once":true,"header":true,"game":"00000000-0000-4000-8000-000000000001",)"
        R"("client":"10.0.0.0/8","token":"00000000-0000-4000-8000-000000000002",)"
        R"("connections":0.1,"lasts_s":300})");
}

TEST_CASE("a preset is taken as it is, but for what is given besides") {
  rule_options options;
  options.preset = "lossy-clients";
  options.connections = 0.5;
  options.lasts = "1500ms";
  const auto made = rule_of(options);
  REQUIRE(made);
  CHECK(made->point == fault_point::read);
  CHECK(rule_json(made->rule) ==
        R"({"kind":"delay","delay_ms":[50,300],"probability":0.5,"connections":0.5,"lasts_s":2})");
}

TEST_CASE("a wrong command line is refused with what to write") {
  const auto refused = [](const rule_options& options, std::string_view says) {
    const auto made = rule_of(options);
    REQUIRE_FALSE(made);
    CAPTURE(made.error().detail);
    CHECK(made.error().detail.find(says) != std::string::npos);
  };
  refused(of("store.raed", "error"), "Did you mean `store.read`?");
  refused(of("store.read", "eror"), "is not a kind of fault. Kinds: delay, error");
  refused(of("store.read", "crash"), "store.read has no fault crash");
  refused(of("store.read", "delay"), "needs --delay");
  auto options = of("store.read", "error");
  options.delay = "5ms";
  refused(options, "--delay works only with the kind delay");
  options = of("store.read", "delay");
  options.delay = "5";
  refused(options, "which is not a time");
  options.delay = "20ms..5ms";
  refused(options, "the smaller bound first");
  options = of("store.read", "error");
  options.client = "10.0.0.7";
  refused(options, "does not know the client's address");
  options.client = "10.0.0.7/8";
  refused(options, "with no bits set after the prefix");
  options = of("front.reply", "error");
  options.token_id = "mc_admin_x";
  refused(options, "--token-id is not an id");
  options.token_id.clear();
  options.lasts = "0s";
  refused(options, "--lasts is `0s`");
  options.lasts = "25h";
  refused(options, "Use a time such as 60s");
  options = {};
  options.preset = "slow-dsik";
  refused(options, "Did you mean `slow-disk`?");
  options.preset = "?";
  refused(options, "Presets: lossy-clients, ");
}

} // namespace
} // namespace matchcloud::app
