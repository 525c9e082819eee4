#include "http/ops/status_report.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"

#include <deque>

namespace matchcloud::http {
namespace {

using actors::child_spec;
using base::owner;
using e2e::parse_json;
using e2e::text_at;

/// The children of two loops and the pool, without actors.
struct actor_report_bench {
  std::deque<transport_metrics> counted{2};
  transport_metrics ops;
  actors::child_table children{
      {{"catalog", child_spec::kind::worker, owner::none, child_spec::every_loop, {}},
       {"geoip_watch", child_spec::kind::worker, owner::none, child_spec::every_loop, {}},
       {"validator/large",
        child_spec::kind::owner,
        owner::large_validator,
        child_spec::every_loop,
        {}},
       {"lobby_export", child_spec::kind::owner, owner::lobby_export, child_spec::every_loop, {}},
       {"validator/0", child_spec::kind::owner, owner::validator, 0, {}},
       {"validator/1", child_spec::kind::owner, owner::validator, 1, {}},
       {"front/0", child_spec::kind::front, owner::none, 0, {}},
       {"front/1", child_spec::kind::front, owner::none, 1, {}},
       {"ingestion", child_spec::kind::owner, owner::ingestion, child_spec::every_loop, {}},
       {"ops_front", child_spec::kind::front, owner::none, 2, {}}},
      actors::initial_state{},
      5,
      std::chrono::seconds{10}};

  rapidjson::Document report() const {
    status_sources sources;
    sources.children = &children;
    sources.transports = {&counted[0], &counted[1]};
    sources.ops = &ops;
    return parse_json(actor_report(sources));
  }
};

TEST_CASE("the supervisor and every place are reported, with what they are and whom they serve") {
  const actor_report_bench of;
  const auto all = of.report();
  REQUIRE(all.IsObject());
  struct expected {
    std::string place;
    std::string kind;
    /// -1 for all loops.
    int loop;
  };
  const std::vector<expected> rows{{"supervisor", "supervisor", -1},
                                   {"catalog", "catalog", -1},
                                   {"geoip_watch", "geoip_watch", -1},
                                   {"validator/large", "large_validator", -1},
                                   {"lobby_export", "lobby_export", -1},
                                   {"validator/0", "validator", 0},
                                   {"validator/1", "validator", 1},
                                   {"front/0", "front", 0},
                                   {"front/1", "front", 1},
                                   {"ingestion", "ingestion", -1},
                                   {"ops_front", "front", 2}};
  REQUIRE(all["actors"].Size() == rows.size());
  for (unsigned i = 0; i < rows.size(); ++i) {
    const auto& got = all["actors"][i];
    CAPTURE(rows[i].place);
    CHECK(text_at(got, "place") == rows[i].place);
    CHECK(text_at(got, "kind") == rows[i].kind);
    CHECK((got["loop"].IsNull() ? -1 : got["loop"].GetInt()) == rows[i].loop);
    CHECK(text_at(got, "state") == "running");
    CHECK(got["depth"].GetInt() == 0);
    CHECK(got["restarts"].GetInt() == 0);
    CHECK(got["handled"].GetInt() == 0);
    CHECK(got["last_error"].IsNull());
  }
}

TEST_CASE("the depth of a loop's place is its loop's, that of others the sum of all") {
  actor_report_bench of;
  of.counted[0].at_owner[index_of(owner::validator)] = 3;
  of.counted[1].at_owner[index_of(owner::validator)] = 5;
  of.counted[0].at_owner[index_of(owner::large_validator)] = 10;
  of.counted[1].at_owner[index_of(owner::large_validator)] = 20;
  of.counted[0].at_owner[index_of(owner::avatar)] = 100; // has no place here
  of.counted[1].at_owner[index_of(owner::lobby_export)] = 7;
  of.counted[0].in_flight = 200;
  of.counted[1].in_flight = 400;
  of.ops.in_flight = 9;
  of.ops.at_owner[index_of(owner::ingestion)] = 8;
  const auto all = of.report();
  REQUIRE(all.IsObject());
  std::vector<int> depths;
  for (const auto& each : all["actors"].GetArray())
    depths.push_back(each["depth"].GetInt());
  CHECK(depths == std::vector<int>{0, 0, 0, 30, 7, 3, 5, 200, 400, 8, 9});
}

TEST_CASE("children that serve every loop show what all transports count") {
  transport_metrics counted;
  counted.in_flight = 4;
  counted.at_owner[index_of(owner::validator)] = 3;
  const actors::child_table children{
      {{"validator", child_spec::kind::owner, owner::validator, child_spec::every_loop, {}},
       {"front", child_spec::kind::front, owner::none, child_spec::every_loop, {}}},
      actors::initial_state{},
      5,
      std::chrono::seconds{10}};
  const transport_metrics ops;
  status_sources sources;
  sources.children = &children;
  sources.transports = {&counted};
  sources.ops = &ops;
  const auto all = parse_json(actor_report(sources));
  REQUIRE(all.IsObject());
  CHECK(all["actors"][1]["depth"].GetInt() == 3);
  CHECK(all["actors"][2]["depth"].GetInt() == 4);
}

} // namespace
} // namespace matchcloud::http
