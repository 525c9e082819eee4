#include "http/ops/attention.hpp"

#include "http/ops/attention_causes.hpp"
#include "http/transport/admitted_request.hpp"
#include "model/net/ip_address.hpp"
#include "model/text/timestamp.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/whole_file.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace matchcloud::http {
namespace {

using namespace std::chrono_literals;
using base::errc;
using e2e::number_at;
using e2e::parse_json;
using e2e::text_at;
using fixtures::contains;
using fixtures::manual_clock;
using std::chrono::days;
using std::chrono::milliseconds;
using std::chrono::seconds;

const admitted_request attention_request;

constexpr double disk_size = 1'000.0 * 1'048'576;

struct attention_bench {
  manual_clock clock;
  transport_metrics counted;
  base::metric_set all;
  base::gauge geoip_built;
  base::gauge certificate{all, {"matchcloud_tls_certificate_expiry_timestamp_seconds", "Expires."}};
  base::gauge replicas{all, {"matchcloud_replicas", "Replicas."}};
  base::gauge age{all, {"matchcloud_store_age_seconds", "Age."}};
  base::counter restarts{
      all, {"matchcloud_place_restarts_total", "Restarts."}, {"place", "avatar.0"}};
  base::counter stored{all, {"matchcloud_ingested_lines_total", "Lines."}, {"outcome", "accepted"}};
  base::counter rejected{
      all, {"matchcloud_ingested_lines_total", "Lines."}, {"outcome", "rejected"}};
  std::uint64_t waited_ns = 0;
  status_sources sources = [this] {
    status_sources made;
    made.loop_waits = {[this] { return waited_ns; }};
    return made;
  }();
  service_history history{sources, clock};
  base::gauge loop_wait{all, {"matchcloud_loop_wait_seconds_total", "Waited."}};
  base::gauge files{all, {"files_bytes", "Files."}};
  base::gauge disk{all, {"disk_bytes", "Disk."}};
  bound_use bounds{
      all,
      {{"files", "files_bytes", [] { return 200.0; }},
       {"cache", "files_bytes", [] { return 1.0; }, when_full::evict},
       {"data_directory", "disk_bytes", [] { return disk_size; }, when_full::refuse, {}, 0.95}}};
  attention of{all, history, bounds, clock};

  attention_bench() {
    sources.transports = {&counted};
    all.add({"matchcloud_geoip_built_timestamp_seconds", "Built."}, geoip_built,
            {"file", "/var/lib/city.mmdb"});
    all.add(counted);
    geoip_built.set(now_s());
    certificate.set(now_s() + 90 * 86'400);
    replicas.set(3);
    pass(attention::interval);
  }

  std::int64_t now_s() const { return clock.unix_ms() / 1'000; }
  void pass(seconds how_long) {
    for (seconds each{0}; each < how_long; ++each) {
      clock.advance(1s);
      history.sample();
      of.sample(true);
    }
  }
  /// Answers with 4xx to clients of a network, of which each has another address.
  void refuse(const std::string& network, int count) {
    for (int i = 0; i < count; ++i) {
      counted.count_answer(operation::unmatched, 404);
      counted.refused.note(*model::parse_ip_address(network + std::to_string(i % 200)),
                           clock.now());
    }
  }
  rapidjson::Document report(bool is_ready = true) const {
    return parse_json(render_attention(of.find(is_ready), of.looked_for()));
  }
  /// The causes that are found, in order.
  std::string found(bool is_ready = true) const {
    std::string names;
    const auto report = this->report(is_ready);
    for (const auto& each : report["findings"].GetArray())
      names.append(text_at(each, "cause")).append(" ");
    return names;
  }
  bool looks_for(std::string_view cause) const {
    const auto report = this->report();
    return std::ranges::any_of(report["looked_for"].GetArray(),
                               [cause](const auto& each) { return cause == each.GetString(); });
  }
};

TEST_CASE("docs/metrics.md has the metric of every cause") {
  const auto page = fixtures::read_whole(fixtures::source_path("docs/metrics.md"));
  for (const auto& each : attention_causes::causes) {
    CAPTURE(each.name);
    CHECK(contains(page, "| `" + std::string{each.metric} + "` |"));
  }
}

TEST_CASE("a healthy service has no findings, and lists what was looked for") {
  const attention_bench of;
  CHECK(of.found() == "");
  CHECK(of.looks_for("store_away"));
  CHECK(of.looks_for("not_ready"));
  CHECK(of.looks_for("geoip_absent"));
  CHECK_FALSE(of.looks_for("bucket_calls_refused")); // there is no bucket
}

TEST_CASE("counts that rise are causes for five minutes, the worst first") {
  attention_bench of;
  of.restarts.add(2);
  of.counted.count_answer(operation::list_avatars, 503);
  CHECK(of.found() == "failed_requests actor_restarts ");
  CHECK(text_at(of.report()["findings"][1], "look_at") == "/actors");
  of.pass(attention::span - attention::interval);
  CHECK(of.found() == "failed_requests actor_restarts ");
  of.pass(3 * attention::interval);
  CHECK(of.found() == "");
}

TEST_CASE("a nearly full disk is one finding, with the free space") {
  attention_bench of;
  of.disk.set(static_cast<std::int64_t>(disk_size) / 100 * 94);
  CHECK(of.found() == "");
  of.disk.set(static_cast<std::int64_t>(disk_size) - 12'900'000);
  of.counted.count_problem(errc::store_full);
  CHECK(of.found() == "disk_full ");
  const auto report = of.report();
  const auto& finding = report["findings"][0];
  CHECK(contains(text_at(finding, "what"), "is 99 % full: 12 MiB are left"));
  CHECK(text_at(finding, "severity") == "critical");
  CHECK(number_at(finding, "limit") == static_cast<std::int64_t>(disk_size));
}

TEST_CASE("failures are named by operation, status and code, with their number and beginning") {
  attention_bench of;
  of.counted.count_answer(operation::ingest_lobbies, 503);
  of.counted.count_problem(errc::store_failed);
  of.pass(2 * attention::span); // what was before does not count
  CHECK(of.found() == "");
  const auto began = of.clock.unix_ms();
  for (int i = 0; i < 12; ++i)
    of.counted.count_answer(operation::ingest_lobbies, 503);
  for (int i = 0; i < 9; ++i)
    of.counted.count_problem(errc::store_failed);
  of.counted.count_problem(errc::route_not_found); // not a failure
  of.pass(attention::span - attention::interval);
  for (int i = 0; i < 3; ++i)
    of.counted.count_answer(operation::ingest_lobbies, 503);
  of.pass(attention::span - attention::interval);
  const auto report = of.report();
  REQUIRE(report["findings"].Size() == 1);
  const auto& finding = report["findings"][0];
  CHECK(contains(text_at(finding, "what"), "So far: ingest_lobbies 503 (15), store_failed (9)."));
  CHECK(number_at(finding, "value") == 15);
  CHECK(number_at(finding, "since_ms") >= began);
  CHECK(number_at(finding, "since_ms") <= began + milliseconds{attention::interval}.count());
  CHECK(text_at(finding, "look_at") == "/v1/traces?operation=ingest_lobbies");
  REQUIRE(finding["about"].Size() == 2);
  CHECK(text_at(finding["about"][0]["of"], "operation") == "ingest_lobbies");
  CHECK(text_at(finding["about"][0]["of"], "status") == "503");
  CHECK(text_at(finding["about"][1]["of"], "code") == "store_failed");
}

TEST_CASE("of many subjects the five with most are named") {
  attention_bench of;
  for (const auto which : {operation::list_regions, operation::list_avatars, operation::ping,
                           operation::rank_group, operation::validate_game})
    for (int i = 0; i < 2; ++i)
      of.counted.count_answer(which, 503);
  for (int i = 0; i < 3; ++i)
    of.counted.count_answer(operation::ingest_lobbies, 500);
  of.counted.count_answer(operation::validate_group, 503);
  const auto report = of.report();
  const auto& finding = report["findings"][0];
  CHECK(finding["about"].Size() == 5);
  CHECK(text_at(finding["about"][0]["of"], "operation") == "ingest_lobbies");
  CHECK(number_at(finding, "value") == 14);
  CHECK(text_at(finding, "look_at") == "/v1/traces");
}

TEST_CASE("restarts name the actors, and old files have a date") {
  attention_bench of;
  of.restarts.add(2);
  of.geoip_built.set(*model::parse_timestamp("2020-02-29T12:00:00Z") / 1'000);
  const auto report = of.report();
  CHECK(contains(text_at(report["findings"][0], "what"), "So far: avatar.0 (2)."));
  CHECK(
      contains(text_at(report["findings"][1], "what"), "These: /var/lib/city.mmdb (2020-02-29)."));
}

TEST_CASE("a flood of refusals is found, with its busiest networks") {
  attention_bench of;
  const auto answer = [&of](int count) {
    for (int i = 0; i < count; ++i)
      of.counted.count_answer(operation::list_regions, 200);
  };
  of.refuse("203.0.113.", 500);
  of.pass(1s);
  CHECK(of.found() == ""); // few
  of.refuse("2001:db8:1::", 100);
  answer(700);
  of.pass(1s);
  CHECK(of.found() == ""); // most requests are served
  of.refuse("198.51.100.", 300);
  of.pass(1s);
  CHECK(of.found() == "requests_refused ");
  const auto report = of.report();
  const auto& finding = report["findings"][0];
  CHECK(contains(text_at(finding, "what"),
                 "These are 56 % of 1600. Busiest networks: 203.0.113.0/24 (500), "
                 "198.51.100.0/24 (300), 2001:db8:1::/48 (100)."));
  CHECK(number_at(finding, "value") == 56);
  CHECK(number_at(finding, "limit") == 50);
  of.pass(61s);
  CHECK(of.found() == "");
}

TEST_CASE("a loop that waits for a processor is named, however little it works") {
  attention_bench of;
  for (const int percent : {9, 34}) {
    for (int i = 0; i < 61; ++i) {
      of.waited_ns += static_cast<std::uint64_t>(percent) * 10'000'000;
      of.pass(1s);
    }
    CHECK(of.found() == (percent > 10 ? "processor_waits " : ""));
  }
  const auto report = of.report();
  CHECK(contains(text_at(report["findings"][0], "what"), "In percent, by loop: 0 (34)."));
}

TEST_CASE("failed health checks and unknown methods are no failed requests") {
  attention_bench of;
  of.counted.count_answer(operation::get_readiness, 503);
  of.counted.count_answer(operation::unmatched, 501);
  of.counted.count_answer(operation::unmatched, 505);
  CHECK(of.found() == "");
  of.counted.count_answer(operation::ingest_lobbies, 503);
  CHECK(of.found() == "failed_requests ");
}

TEST_CASE("requests that are refused before their path is read are failed requests") {
  attention_bench of;
  of.counted.count_answer(operation::unmatched, 503);
  REQUIRE(of.found() == "failed_requests ");
  CHECK(contains(text_at(of.report()["findings"][0], "what"), "So far: unmatched 503 (1)."));
}

TEST_CASE("clients that give up are not refused") {
  attention_bench of;
  for (int i = 0; i < 900; ++i)
    of.counted.count_answer(operation::list_avatars, 499);
  of.pass(1s);
  CHECK(of.found() == "clients_gone ");
}

TEST_CASE("stopped ingestion is found after 15 minutes, for three hours") {
  attention_bench of;
  of.replicas.set(1);
  of.pass(attention::span + 2 * attention::interval);
  CHECK(of.looks_for("ingestion_stopped"));
  CHECK(of.found() == "");
  of.stored.add(7);
  of.pass(14min);
  of.rejected.add(7);
  CHECK(of.found() == "");
  of.pass(2min);
  CHECK(of.found() == "ingestion_stopped ");
  of.stored.add();
  CHECK(of.found() == ""); // at once
  of.pass(16min);
  CHECK(of.found() == "ingestion_stopped ");
  of.pass(3h);
  CHECK(of.found() == "");
}

TEST_CASE("with several replicas, stopped ingestion is not looked for") {
  attention_bench of;
  of.stored.add(7);
  of.pass(16min);
  CHECK_FALSE(of.looks_for("ingestion_stopped"));
  CHECK(of.found() == "");
}

TEST_CASE("gauges are judged by their current value") {
  attention_bench of;
  of.age.set(11);
  of.certificate.set(of.now_s() + 13 * 86'400);
  of.replicas.set(2);
  of.geoip_built.set(of.now_s() - 91 * 86'400);
  CHECK(of.found(false) == "not_ready store_away certificate_expires replicas_missing geoip_old ");
}

TEST_CASE("a missing replica is a cause until it is back, or for five minutes") {
  attention_bench of;
  of.replicas.set(2);
  CHECK(of.found() == "replicas_missing ");
  of.pass(2 * attention::interval);
  CHECK(of.found() == "replicas_missing ");
  of.replicas.set(3);
  CHECK(of.found() == "");
  of.replicas.set(2);
  of.pass(attention::span + 2 * attention::interval);
  CHECK(of.found() == "");
}

TEST_CASE("an event loop that works nearly always is named") {
  manual_clock clock;
  loop_metrics loop;
  status_sources sources;
  sources.loops = {&loop};
  service_history history{sources, clock};
  base::metric_set none;
  base::gauge geoip{none, {"matchcloud_geoip_built_timestamp_seconds", "Built."}};
  geoip.set(clock.unix_ms() / 1'000);
  const bound_use bounds{none, {}};
  const attention of{none, history, bounds, clock};
  for (const auto busy : {850ms, 990ms}) {
    history.sample();
    for (int i = 0; i < 61; ++i) {
      loop.stall.observe(static_cast<std::uint64_t>(std::chrono::nanoseconds{busy}.count()));
      clock.advance(1s);
      history.sample();
    }
    const auto found = of.find(true);
    CHECK(found.size() == (busy.count() > 900 ? 1 : 0));
    if (!found.empty()) CHECK(found[0].what.find("Event loop 0 worked 99 %") == 0);
  }
}

TEST_CASE("a bound that is nearly reached is named, if it refuses what comes") {
  attention_bench of;
  of.files.set(179);
  CHECK(of.found() == "");
  of.files.set(181);
  CHECK(of.found() == "bound_nearly_reached ");
  CHECK(contains(std::string{text_at(of.report()["findings"][0], "what")},
                 "bound files is 91 % used"));
}

TEST_CASE("an operation whose slowest percent takes long is named, with its traces") {
  attention_bench of;
  for (int i = 0; i < 50; ++i)
    of.counted.note_answer(attention_request, operation::list_avatars, 200, {},
                           base::steady_time{milliseconds{i == 7 ? 300 : 2}});
  for (const auto which : {operation::download_export, // files may take long
                           operation::unmatched})      // and what is no request of this service
    of.counted.note_answer(attention_request, which, 200, {}, base::steady_time{9s});
  of.pass(1s);
  CHECK(of.found() == "slow_operation ");
  const auto report = of.report();
  CHECK(text_at(report["findings"][0], "look_at") == "/v1/traces?operation=list_avatars");
  of.pass(61s);
  CHECK(of.found() == "");
}

// Each cause is found when its metric or the history shows it, and not before.
using attention_causes::cause;
using attention_causes::sign;

const admitted_request refused_request;

/// A service with one metric, by which one cause is found.
struct caused_bench {
  fixtures::manual_clock clock;
  transport_metrics counted;
  base::metric_set all;
  base::gauge metric;
  std::uint64_t waited_ns = 0;
  status_sources sources = [this] {
    status_sources made;
    made.loop_waits = {[this] { return waited_ns; }};
    return made;
  }();
  service_history history{sources, clock};
  bound_use bounds{all, {}};
  cause of;
  attention watch;

  caused_bench(const cause& which, bool has_metric)
      : of{which}, watch{with_metric(has_metric), history, bounds, clock} {
    sources.transports = {&counted};
    pass(attention::interval);
  }

  const base::metric_set& with_metric(bool has_metric) {
    metric.set(value(false));
    if (has_metric) all.add({of.metric, "What it counts."}, metric, of.only);
    return all;
  }
  /// What the metric is when all is well, or when the cause is there.
  std::int64_t value(bool is_there) const {
    const auto now_s = clock.unix_ms() / 1'000;
    const auto bound = static_cast<std::int64_t>(of.bound);
    switch (of.tells) {
    case sign::falls: return is_there ? 2 : 3;
    case sign::above: return is_there ? bound + 1 : bound;
    case sign::due_within: return now_s + bound + (is_there ? -3'600 : 3'600);
    case sign::older_than: return now_s - bound + (is_there ? -3'600 : 3'600);
    default: return is_there ? 1 : 0;
    }
  }
  /// Lets the cause be there.
  void show() {
    metric.set(value(true));
    if (of.tells == sign::waits) waited_ns += 60'000'000'000;
    for (std::uint64_t i = 0; of.tells == sign::share && i < attention_causes::refused_least; ++i)
      counted.note_answer(refused_request, operation::list_regions, 404, {}, clock.now());
  }
  void pass(seconds how_long) {
    for (seconds each{0}; each < how_long; ++each) {
      clock.advance(seconds{1});
      history.sample();
      watch.sample(true);
    }
  }
  bool is_found() const {
    return std::ranges::any_of(watch.find(true),
                               [&](const auto& each) { return each.cause == of.name; });
  }
};

TEST_CASE("every cause is found once its metric or the history shows it") {
  for (const auto& each : attention_causes::causes) {
    CAPTURE(each.name);
    caused_bench on{each, true};
    CHECK_FALSE(on.is_found());
    if (each.tells == sign::absent) {
      CHECK(caused_bench{each, false}.is_found());
      continue;
    }
    on.show();
    on.pass(attention::interval);
    if (each.tells == sign::stops) {
      CHECK_FALSE(on.is_found());
      on.pass(attention_causes::still_from);
    }
    CHECK(on.is_found());
  }
}

} // namespace
} // namespace matchcloud::http
