// Each cause is found when its metric or the history shows it, and not before.
#include "http/ops/attention_causes.hpp"

#include "http/ops/attention.hpp"
#include "http/transport/admitted_request.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"

#include <algorithm>
#include <cstdint>

namespace matchcloud::http {
namespace {

using attention_causes::cause;
using attention_causes::sign;
using std::chrono::seconds;

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

TEST_CASE("every cause is found when its metric or the history shows it, and not before") {
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
