#include "http/ops/attention.hpp"

#include "http/ops/service_reports.hpp"
#include "tests/catch.hpp"

#include <string>

namespace matchcloud::http {
namespace {

TEST_CASE("the use of a bound is that of its metric, of all samples or of one label") {
  base::metric_set all;
  base::gauge connections{all, {"connections", "Connections."}};
  constexpr static std::array<std::string_view, 2> owners{"avatar", "media"};
  base::by_label<base::gauge, owners> waiting{all, {"waiting", "Requests that wait."}, "owner"};
  double limit = 40;
  const bound_use of{all,
                     {{"connections", "connections", [&] { return limit; }},
                      {"all", "waiting", [] { return 10.0; }, when_full::wait},
                      {"mailbox_media", "waiting", [] { return 4.0; }, when_full::refuse, "media"},
                      {"bucket_calls", "absent", [] { return 0.0; }}}};
  of.show(all);
  connections.set(10);
  waiting[0].set(4);
  waiting[1].set(1);
  const auto shown = [&] { return render_metrics(all); };
  const auto has = [&](const std::string& line) { return shown().find(line) != std::string::npos; };
  CHECK(has(R"(matchcloud_bound_used_ratio{bound="connections",when_full="refuse"} 0.25)"));
  CHECK(has(R"(matchcloud_bound_used_ratio{bound="all",when_full="wait"} 0.5)"));
  CHECK(has(R"(matchcloud_bound_used_ratio{bound="mailbox_media",when_full="refuse"} 0.25)"));
  CHECK_FALSE(has("bucket_calls"));
  limit = 10; // a reload may change it
  CHECK(has(R"(matchcloud_bound_used_ratio{bound="connections",when_full="refuse"} 1)"));
}

TEST_CASE("of a bound that each event loop has, the fullest loop counts") {
  struct loop : base::metric_set {
    base::gauge waiting{*this, {"waiting", "Requests that wait."}};
  };
  std::array<loop, 2> loops;
  base::metric_set all;
  for (const auto& each : loops)
    all.add(each);
  const bound_use of{
      all, {{"waiting", "waiting", [] { return 8.0; }, when_full::refuse, {}, 0.9, true}}};
  loops[0].waiting.set(1);
  loops[1].waiting.set(8);
  REQUIRE(of.read().size() == 1);
  CHECK(of.read()[0].share == 1);
}

} // namespace
} // namespace matchcloud::http
