// `matchcloud fault set`, `clear` and `list`, and what a service does with their rules.
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/whole_file.hpp"
#include "tests/service/server.hpp"

namespace {

using namespace matchcloud;
using namespace matchcloud::e2e;
using matchcloud::fixtures::contains;

/// A service into which faults may be injected, and the command.
struct breakable {
  server of;

  explicit breakable(arguments further = {}) : of{with(std::move(further))} {}

  command_result fault(arguments words) const {
    words.insert(words.begin(), "fault");
    words.insert(words.end(), {"--url", "http://" + of.ops().authority()});
    return run(words);
  }
  answer regions(const std::string& headers = {}) const {
    return raw_connection{of.data()}.ask(request("GET", regions_target, {}, headers));
  }

private:
  static arguments with(arguments further) {
    further.insert(further.begin(), {"--enable-fault-injection", "--fault-seed", "7"});
    return further;
  }
};

TEST_CASE("a fault is set, listed and cleared by commands", "[operations]") {
  const breakable at;
  const auto nothing = at.fault({"list"});
  CHECK(nothing.exit_code == 0);
  CHECK(nothing.out.empty());
  CHECK(contains(nothing.errors, "No faults are injected."));
  const auto set =
      at.fault({"set", "region_ranking.reply", "error", "--every", "2", "--lasts", "5m"});
  INFO(set.errors);
  CHECK(set.exit_code == 0);
  CHECK(set.out == "region_ranking.reply: error, every 2, lasts_s 300, heals in 300 s\n");
  CHECK(at.regions().status == 200);
  CHECK(at.regions().status == 503);
  const auto list = at.fault({"list"}).out;
  CHECK(contains(list, "region_ranking.reply  error, every 2, lasts_s 300  1    2 "));
  CHECK_FALSE(contains(list, "store.read"));
  const auto json = parse_json(at.fault({"list", "--json"}).out);
  REQUIRE(json["points"].Size() == 1);
  CHECK((json["points"][0]["hits"].GetUint64() == 1));
  CHECK(contains(at.fault({"list", "--all"}).out, "lossy-clients"));
  CHECK(contains(at.fault({"list", "--search", "slow"}).out, "slow-disk"));
  CHECK(at.fault({"clear", "region_ranking.reply"}).exit_code == 0);
  CHECK(at.fault({"set", "--preset", "unknown-places"}).exit_code == 0);
  CHECK(contains(at.fault({"list"}).out, "geoip.lookup"));
  CHECK(at.fault({"clear"}).exit_code == 0);
  CHECK(at.fault({"list"}).out.empty());
  for (int i = 0; i < 4; ++i)
    CHECK(at.regions().status == 200);
}

TEST_CASE("fault set refuses a point or preset that does not exist before it asks the service",
          "[operations]") {
  const auto refused = [](const arguments& words, const std::string& says) {
    const auto got = run(words);
    INFO(got.errors);
    CHECK(got.exit_code == 2);
    CHECK(contains(got.errors, says));
  };
  refused({"fault", "set", "store.raed", "error"}, "Did you mean `store.read`?");
  const auto nobody = run({"fault", "list", "--url", "http://127.0.0.1:1"});
  CHECK(nobody.exit_code == 1);
  CHECK(contains(nobody.errors, "is the service running"));
  const server without;
  const auto off = run({"fault", "list", "--url", "http://" + without.ops().authority()});
  CHECK(off.exit_code == 1);
  CHECK(contains(off.errors, "Start it with --enable-fault-injection."));
}

TEST_CASE("a fault of the start heals by itself, which the log and the audit log say",
          "[operations][embedded]") {
  const world in;
  const server of{{"--enable-fault-injection", "--faults",
                   "region_ranking.reply = { kind = \"stall\", lasts_s = 1 }"},
                  in};
  // It is stalled at first, and goes on when the fault heals.
  CHECK(raw_connection{of.data()}.ask(request("GET", regions_target)).status == 200);
  CHECK(of.process().says("the fault at region_ranking.reply has healed, 1 s after"));
  CHECK(eventually([&] {
    const auto audit = run({"audit", "--data-dir", in.data_dir()}).out;
    return contains(audit, "fault.heal") && contains(audit, "faults/region_ranking.reply");
  }));
}

TEST_CASE("a rule of a token says when no request can have one", "[operations]") {
  const auto set = [](const breakable& at) {
    return at.fault({"set", "region_ranking.reply", "error", "--token-id",
                     "00000000-0000-4000-8000-000000000007"});
  };
  const breakable open;
  const auto never = set(open);
  CHECK(never.exit_code == 0);
  CHECK(contains(never.errors, "matchcloud fault set: With auth = open, the data plane ignores"));
  CHECK(contains(open.fault({"list", "--json"}).out, R"("note":"With auth = open)"));
  CHECK(set(breakable{{"--auth", "required"}}).errors.empty());
  const auto text = open.fault({"set", "front.reply", "error", "--token", "00000000"});
  CHECK(text.exit_code == 2);
  CHECK(contains(text.errors, "use --token-id ID"));
}

TEST_CASE("the access log names the faults that hit a request", "[operations]") {
  const fixtures::temporary_directory folder;
  const auto file = folder.path("access.log");
  const breakable at{{"--access-log", "all", "--access-log-file", file}};
  CHECK(at.regions().status == 200);
  at.fault({"set", "front.reply", "error"});
  at.fault({"set", "region_ranking.receive", "delay", "--delay", "1ms"});
  CHECK(at.regions().status == 503);
  at.fault({"clear"});
  CHECK(eventually([&] {
    const auto lines = fixtures::read_whole(file);
    return contains(lines, R"("faults":["front.reply","region_ranking.receive"]})");
  }));
  const auto lines = fixtures::read_whole(file);
  CHECK(lines.find("\"faults\"") == lines.rfind("\"faults\""));
}

} // namespace
