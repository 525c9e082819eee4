#include "load/compare.hpp"

#include "base/failure.hpp"
#include "load/latency.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"

#include <cmath>
#include <random>

namespace matchcloud::load {
namespace {

/// A run whose replies take `slower` times as long as usual and are `rarer` times as rare. Each
/// second is a little better or worse than the others.
compared_run made_run(std::uint64_t seed, double slower, double rarer = 1,
                      std::size_t seconds = 20) {
  std::mt19937_64 engine{seed};
  std::normal_distribution<double> second{0, 0.03};
  std::lognormal_distribution<double> latency{std::log(200'000 * slower), 0.6};
  compared_run made;
  made.file = "run" + std::to_string(seed) + ".json";
  for (std::size_t i = 0; i < seconds; ++i) {
    const double luck = std::exp(second(engine));
    latency_bands bands;
    compared_interval interval;
    interval.seconds = 1;
    auto& operation = interval.operations["regions"];
    operation.answered = static_cast<std::uint64_t>(1'000 / rarer / luck);
    for (std::uint64_t k = 0; k < operation.answered; ++k)
      bands.record(static_cast<std::uint64_t>(latency(engine) * luck));
    operation.latency = bands.counts();
    made.intervals.push_back(std::move(interval));
    made.work.push_back({0.3 * slower * luck, 1'000});
  }
  return made;
}

const compared_row& row_of(const comparison& of, compared_measure measure) {
  const auto found =
      std::ranges::find_if(of.rows, [=](const auto& each) { return each.measure == measure; });
  REQUIRE(found != of.rows.end());
  return *found;
}

TEST_CASE("of two runs of the same it cannot tell", "[load]") {
  int slower = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    slower += compare(made_run(2 * seed, 1), made_run(2 * seed + 1, 1), 0, seed)
                      .has(compared_verdict::slower)
                  ? 1
                  : 0;
  // Without a tolerance it may be wrong once in 20, on either side.
  CHECK(slower <= 3);
}

TEST_CASE("a slower run is found by each measure, with the true ratio", "[load]") {
  constexpr double ratio = 1.25;
  int found = 0;
  int covered = 0;
  constexpr int pairs = 30;
  for (std::uint64_t seed = 1; seed <= pairs; ++seed) {
    const auto of = base::attempt([&] {
      return compare(made_run(2 * seed, 1), made_run(2 * seed + 1, ratio, ratio), 0.05, seed);
    });
    REQUIRE(of);
    REQUIRE(of->rows.size() == 4);
    bool all = true;
    bool in_all = true;
    for (const auto& each : of->rows) {
      const double truth = each.measure == compared_measure::throughput ? 1 / ratio : ratio;
      all = all && each.verdict == compared_verdict::slower;
      in_all = in_all && each.ratio.low <= truth && truth <= each.ratio.high;
    }
    found += all ? 1 : 0;
    covered += in_all ? 1 : 0;
  }
  CHECK(found >= pairs * 9 / 10);
  CHECK(covered >= pairs - 5);
}

TEST_CASE("a faster run is not slower, and differences within the tolerance are unclear",
          "[load]") {
  const auto usual = made_run(1, 1);
  const auto of = base::attempt([&] { return compare(usual, made_run(2, 0.8, 0.8), 0.05, 1); });
  REQUIRE(of);
  for (const auto& each : of->rows)
    CHECK(each.verdict == compared_verdict::faster);
  CHECK_FALSE(of->has(compared_verdict::slower));
  const auto within = base::attempt([&] { return compare(usual, made_run(2, 1.1, 1.1), 0.3, 1); });
  REQUIRE(within);
  for (const auto& each : within->rows)
    CHECK(each.verdict == compared_verdict::unclear);
}

TEST_CASE("the measures are those of the runs", "[load]") {
  const auto a = made_run(1, 1, 1, 40);
  const auto of = base::attempt([&] { return compare(a, made_run(2, 1.5, 2, 40), 0.05, 1); });
  REQUIRE(of);
  const auto& p50 = row_of(*of, compared_measure::p50);
  CHECK(p50.a == Approx(200'000).epsilon(0.03));
  CHECK(p50.b == Approx(300'000).epsilon(0.03));
  CHECK(row_of(*of, compared_measure::p99).a ==
        Approx(200'000 * std::exp(0.6 * 2.326)).epsilon(0.05));
  CHECK(row_of(*of, compared_measure::throughput).b == Approx(500).epsilon(0.03));
  CHECK(row_of(*of, compared_measure::processor_time).a == Approx(300'000).epsilon(0.03));
  const auto text = compare_text(a, a, *of, 0.05);
  CHECK(text.find("3 slower, 0 faster, by more than 5.0 %") == std::string::npos);
  CHECK(text.find("4 slower, 0 faster, by more than 5.0 %") != std::string::npos);
  const auto json = e2e::parse_json(compare_json(a, a, *of, 0.05));
  CHECK(json["slower"].GetBool());
  CHECK(json["rows"][0]["verdict"].GetString() == std::string{"slower"});
  CHECK(json["rows"][0]["a"].GetDouble() == Approx(200).epsilon(0.03));
}

TEST_CASE("operations are compared one by one and together", "[load]") {
  auto a = made_run(1, 1);
  auto b = made_run(2, 1);
  for (std::size_t i = 0; i < a.intervals.size(); ++i) {
    a.intervals[i].operations["avatars"] = a.intervals[i].operations["regions"];
    b.intervals[i].operations["avatars"] = b.intervals[i].operations["regions"];
    b.intervals[i].operations["export"] = b.intervals[i].operations["regions"];
  }
  b.errors = 5;
  b.asked["rate"] = "10.00";
  a.work.clear();
  const auto of = base::attempt([&] { return compare(a, b, 0.05, 1); });
  REQUIRE(of);
  CHECK(of->rows.size() == 9);
  CHECK(of->has_more_errors);
  CHECK_FALSE(compare(b, a, 0.05, 1).has_more_errors);
  CHECK(of->notes == std::vector<std::string>{"The runs differ in rate: none and 10.00.",
                                              "Errors, which no row includes: 0 and 5.",
                                              "Only one of the runs has replies to export."});
  b.intervals = {5, compared_interval{1, {{"export", {1, {{1'000, 1}}}}}}};
  const auto apart = base::attempt([&] { return compare(a, b, 0.05, 1); });
  REQUIRE_FALSE(apart);
  CHECK(apart.error().detail.find("have no operation in common") != std::string::npos);
}

TEST_CASE("an operation with replies in few intervals is not judged by them", "[load]") {
  auto a = made_run(1, 1);
  auto b = made_run(2, 1);
  // Each has one reply in one second: that one is slower says nothing.
  a.intervals[3].operations["export"] = {1, {{1'000'000, 1}}};
  b.intervals[5].operations["export"] = {1, {{2'000'000, 1}}};
  const auto of = base::attempt([&] { return compare(a, b, 0.05, 1); });
  REQUIRE(of);
  CHECK_FALSE(of->has(compared_verdict::slower));
  CHECK(
      std::ranges::none_of(of->rows, [](const auto& each) { return each.operation == "export"; }));
  REQUIRE(of->notes.size() == 1);
  CHECK(of->notes[0] == "Too few intervals of a run have replies to export: 1, and 5 are needed. "
                        "Use longer runs.");
  for (auto* const run : {&a, &b})
    for (auto& each : run->intervals)
      each.operations.erase("regions");
  a.work.clear();
  const auto nothing = base::attempt([&] { return compare(a, b, 0.05, 1); });
  REQUIRE_FALSE(nothing);
  CHECK(nothing.error().detail.ends_with("5 are needed. Use longer runs."));
}

TEST_CASE("no interval is narrower than the bands in which latencies are counted", "[load]") {
  // All replies take as long, in both runs, but as long as what in their band is not known.
  auto a = made_run(1, 1);
  for (auto& each : a.intervals)
    each.operations["regions"] = {1'000, {{1'050'000, 1'000}}};
  const auto of = base::attempt([&] { return compare(a, a, 0.01, 1); });
  REQUIRE(of);
  for (const auto measure : {compared_measure::p50, compared_measure::p99}) {
    const auto& row = row_of(*of, measure);
    CHECK(row.ratio.ratio == 1);
    CHECK(row.ratio.low == Approx(1 / 1.05).epsilon(0.001));
    CHECK(row.ratio.high == Approx(1.05).epsilon(0.001));
    CHECK(row.verdict == compared_verdict::unclear);
  }
}

std::string report_of(int intervals, const std::string& bands = "[[1000,3]]",
                      const std::string& measured = "true") {
  std::string text = R"({"began":1000,"rate":5.00,"errors":{"total":2},"intervals":[)";
  for (int i = 0; i < intervals; ++i)
    text += (i == 0 ? "" : ",") + std::string{R"({"begins":)"} + std::to_string(i) +
            R"(,"seconds":)" + std::to_string(i + 1) + R"(,"measured":)" + measured +
            R"(,"operations":[{"name":"regions","answered":3,"latency_ns_counts":)" + bands + "}]}";
  return text + R"(],"service":{"history":{"points":[
    {"at":500,"covers_ms":1000,"loops":[1],"data_plane":{"requests":9}},
    {"at":2000,"covers_ms":1000,"loops":[0.5,0.25],"data_plane":{"requests":7}}]}}})";
}

TEST_CASE("a report is read as it was written", "[load]") {
  const auto run = base::attempt([&] { return parse_run("a.json", report_of(6)); });
  REQUIRE(run);
  CHECK(run->intervals.size() == 6);
  CHECK(run->intervals[0].seconds == 1);
  CHECK(run->intervals[0].operations.at("regions").answered == 3);
  CHECK(run->intervals[0].operations.at("regions").latency == band_counts{{1'000, 3}});
  CHECK(run->errors == 2);
  CHECK(run->asked.at("rate") == "5.00");
  // The first point is from before the run.
  REQUIRE(run->work.size() == 1);
  CHECK(run->work[0].busy_seconds == 0.75);
  CHECK(run->work[0].requests == 7);
}

TEST_CASE("reports that cannot be compared are named, with what to do", "[load]") {
  const auto why = [](const std::string& text) {
    const auto run = base::attempt([&] { return parse_run("a.json", text); });
    REQUIRE_FALSE(run);
    return run.error().detail;
  };
  CHECK(why(R"({"results_version":3,"intervals":[]})") ==
        "a.json was written by a newer matchcloud-load. Use that one.");
  for (const char* const wrong : {"", "[]", "{}", "nonsense"})
    CHECK(why(wrong) == "a.json is not a report of matchcloud-load. Use a file written by --json.");
  CHECK(why(report_of(4)) == "a.json has 4 measured intervals. At least 5 of a second each are "
                             "needed. Use a longer --duration.");
  CHECK(why(report_of(6, "[[1000,3]]", "false")).starts_with("a.json has 0 measured intervals."));
  CHECK(why(report_of(6, "[]")).starts_with("a.json has no replies in its intervals."));
  CHECK(why(report_of(6, R"([5,[1],["a",1],[1,-1]])")).starts_with("a.json has no replies"));
}

TEST_CASE("quantiles are those of the tables", "[load]") {
  CHECK(normal_quantile(0.5) == Approx(0).margin(1e-9));
  CHECK(normal_quantile(0.975) == Approx(1.959964).epsilon(1e-6));
  CHECK(normal_quantile(0.001) == Approx(-3.090232).epsilon(1e-6));
  CHECK(student_quantile(0.975, 8) == Approx(2.306).epsilon(0.002));
  CHECK(student_quantile(0.975, 30) == Approx(2.0423).epsilon(0.0005));
  CHECK(student_quantile(0.995, 10) == Approx(3.1693).epsilon(0.003));
}

/// The mean of some numbers.
run_statistic mean_of(const std::vector<double>& numbers) {
  return [&numbers](const std::vector<std::size_t>& taken) {
    double sum = 0;
    for (const auto i : taken)
      sum += numbers[i];
    return sum / static_cast<double>(taken.size());
  };
}

/// Numbers around `middle`, each like the one before it by `memory` (0 to 1).
std::vector<double> noisy(double middle, std::size_t count, double memory,
                          std::mt19937_64& engine) {
  std::normal_distribution<double> noise{0, 0.1};
  std::vector<double> made;
  double deviation = noise(engine);
  for (std::size_t i = 0; i < count; ++i) {
    made.push_back(middle * std::exp(deviation));
    deviation = memory * deviation + std::sqrt(1 - memory * memory) * noise(engine);
  }
  return made;
}

/// How often, in percent, an interval of 95 % has the true ratio.
double coverage(std::size_t count_of_a, std::size_t count_of_b, double memory) {
  constexpr int runs = 500;
  constexpr double ratio = 1.2;
  int covered = 0;
  for (int seed = 1; seed <= runs; ++seed) {
    std::mt19937_64 engine{static_cast<std::uint64_t>(seed)};
    const auto a = noisy(100, count_of_a, memory, engine);
    const auto b = noisy(100 * ratio, count_of_b, memory, engine);
    const auto found = estimate_ratio(mean_of(a), a.size(), mean_of(b), b.size(), 0.95,
                                      static_cast<std::uint64_t>(seed));
    covered += found.low <= ratio && ratio <= found.high ? 1 : 0;
  }
  return 100.0 * covered / runs;
}

TEST_CASE("an interval of 95 % has the true ratio in 95 % of the cases", "[load]") {
  // The standard error of 500 cases is 1 %.
  for (const auto& [a, b] : {std::pair{10, 10}, std::pair{30, 30}, std::pair{60, 12}}) {
    CAPTURE(a, b);
    const double found = coverage(static_cast<std::size_t>(a), static_cast<std::size_t>(b), 0);
    CHECK(found >= 92);
    CHECK(found <= 99);
  }
  // Intervals that resemble each other do not make it narrower than it is.
  CHECK(coverage(60, 60, 0.5) >= 88);
}

TEST_CASE("the same seed gives the same estimate", "[load]") {
  std::mt19937_64 engine{1};
  const auto a = noisy(100, 20, 0, engine);
  const auto b = noisy(90, 20, 0, engine);
  const auto once = estimate_ratio(mean_of(a), 20, mean_of(b), 20, 0.95, 7);
  const auto again = estimate_ratio(mean_of(a), 20, mean_of(b), 20, 0.95, 7);
  CHECK(once.low == again.low);
  CHECK(once.high == again.high);
  CHECK(once.low < once.ratio);
  CHECK(once.ratio < once.high);
}

} // namespace
} // namespace matchcloud::load
