#include "http/ops/service_reports.hpp"

#include "http/ops/attention.hpp"
#include "http/reference/reference.hpp"
#include "http/transport/transport_metrics.hpp"
#include "tests/catch.hpp"

#include <deque>
#include <string>

namespace matchcloud::http {
namespace {

/// Of two event loops and the ops plane.
struct render_metrics_bench {
  std::deque<transport_metrics> loops{2};
  transport_metrics ops{plane::ops};
  base::metric_set all;

  render_metrics_bench() {
    for (const auto& each : loops)
      all.add(each);
    all.add(ops);
  }
  bool shows(const std::string& line) const {
    return render_metrics(all).find("\n" + line + "\n") != std::string::npos;
  }
  bool names(const std::string& name) const {
    return render_metrics(all).find(name) != std::string::npos;
  }
};

TEST_CASE("metrics of several loops add up in one family") {
  render_metrics_bench of;
  of.loops[0].connections.add(2);
  of.loops[1].connections.add(3);
  of.ops.connections.add(1);
  of.loops[0].at_owner[index_of(base::owner::validator)] = 4;
  of.ops.at_owner[index_of(base::owner::validator)] = 5;
  CHECK(of.shows("matchcloud_connections 5"));
  CHECK(of.shows("matchcloud_ops_connections 1"));
  CHECK(of.shows("matchcloud_mailbox_requests{owner=\"validator\"} 9"));
  const auto text = render_metrics(of.all);
  const std::string family = "# TYPE matchcloud_connections gauge\n";
  CHECK(text.find(family) == text.rfind(family));
}

TEST_CASE("histograms add up too, in seconds, and buckets have those below them") {
  render_metrics_bench of;
  of.loops[0].latency[0].observe(50'000);
  of.loops[1].latency[0].observe(60'000);
  of.ops.latency[0].observe(20'000'000'000);
  const auto line = [](const std::string& part, const std::string& bound, int count) {
    return "matchcloud_request_duration_seconds_" + part + "{operation=\"" +
           std::string{operations[0].name} + "\"" + bound + "} " + std::to_string(count);
  };
  CHECK(of.shows(line("bucket", ",le=\"0.0001\"", 2)));
  CHECK(of.shows(line("bucket", ",le=\"10\"", 2)));
  CHECK(of.shows(line("bucket", ",le=\"+Inf\"", 3)));
  CHECK(of.shows(line("count", "", 3)));
}

TEST_CASE("answers without a count are left out, other counts are shown as 0") {
  render_metrics_bench of;
  CHECK_FALSE(of.names("matchcloud_requests_total{"));
  CHECK(of.shows("matchcloud_shed_total{owner=\"media\"} 0"));
  CHECK_FALSE(of.names("owner=\"\""));
  of.loops[0].count_answer(operation::list_regions, 307);
  of.ops.count_answer(operation::list_regions, 299);
  CHECK(of.shows("matchcloud_requests_total{operation=\"list_regions\",status=\"307\"} 1"));
  CHECK(of.shows("matchcloud_requests_total{operation=\"list_regions\",status=\"other\"} 1"));
}

TEST_CASE("an operation's possible failures are shown as 0 before the first") {
  render_metrics_bench of;
  show_failures(of.all, transport_metrics::answers_text);
  const auto of_status = [](operation which, const std::string& status) {
    return "matchcloud_requests_total{operation=\"" + std::string{row_of(which).name} +
           "\",status=\"" + status + "\"}";
  };
  for (const auto& row : operations)
    for (const std::string status : {"500", "503", "504"}) {
      INFO(row.name);
      CHECK(of.shows(of_status(row.id, status) + " 0"));
    }
  for (const auto which :
       {operation::ingest_lobbies, operation::export_lobby_history, operation::put_element})
    CHECK(of.shows(of_status(which, "507") + " 0"));
  CHECK_FALSE(of.names(of_status(operation::list_regions, "507")));
  CHECK_FALSE(of.names("status=\"501\""));
  CHECK_FALSE(of.names("status=\"200\""));
  of.loops[1].count_answer(operation::list_regions, 503);
  CHECK(of.shows(of_status(operation::list_regions, "503") + " 1"));
  const auto text = render_metrics(of.all);
  const std::string family = "# TYPE matchcloud_requests_total counter\n";
  CHECK(text.find(family) == text.rfind(family));
}

TEST_CASE("metrics without a name on the ops plane are not shown for it") {
  render_metrics_bench of;
  of.ops.connections_accepted.add();
  of.ops.sent_bytes.add();
  CHECK(of.shows("matchcloud_connections_accepted_total 0"));
  CHECK(of.shows("matchcloud_sent_bytes_total 0"));
  CHECK_FALSE(of.names("matchcloud_tls_"));
}

TEST_CASE("a label's value is escaped as Prometheus expects") {
  base::metric_set of;
  const base::counter number{of, {"one_total", "One."}, {"name", "a\"b\\c\nd"}};
  CHECK(render_metrics(of) == "# HELP one_total One.\n# TYPE one_total counter\n"
                              "one_total{name=\"a\\\"b\\\\c\\nd\"} 0\n");
}

TEST_CASE("a bound's use comes from its metric or one label of it") {
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
