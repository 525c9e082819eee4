#include "model/latency/predictor.hpp"

#include "model/regions/ranking.hpp"
#include "tests/catch.hpp"

#include <array>
#include <cmath>
#include <rapidcheck.h>

namespace {

using namespace matchcloud::model;

TEST_CASE("The great circle is near the geodesic") {
  REQUIRE(rc::check("any two points", [] {
    const auto any = [] {
      return coordinates{*rc::gen::inRange(-90'000, 90'001) / 1e3,
                         *rc::gen::inRange(-180'000, 180'001) / 1e3};
    };
    const auto a = any();
    const auto b = any();
    const auto exact = geodesic_distance_m(a, b);
    RC_ASSERT(std::abs(great_circle_m(a, b) - exact) <= 0.006 * exact + 1);
  }));
}

TEST_CASE("Light in glass takes 10 ms per 1,000 km and back") {
  CHECK(least_round_trip_ms(1e6) == Approx(9.79).margin(0.01));
}

TEST_CASE("The prior is a line that is fitted to what places have") {
  std::vector<prior_sample> samples;
  for (int i = 1; i < 400; ++i) {
    const double distance = i * 30e3;
    const double ms = 8 + 20 * distance / 1e6;
    samples.push_back({distance, i % 10 == 0 ? 3 * ms : ms, 1});
  }
  const auto prior = fit_prior(samples);
  CHECK(prior.at(5e6) == Approx(108).epsilon(0.08));
  CHECK(prior.at(1e6) == Approx(28).epsilon(0.12));
  CHECK(prior.at(1e6) < prior.at(1.1e6));
  CHECK(fit_prior({}).at(3e6) == Approx(distance_prior{}.at(3e6)).epsilon(0.01));
}

TEST_CASE("Neighbours are those nearby, across the date line, too") {
  const std::vector<latency_region> regions{{"a", {0, 0}}, {"b", {50, 100}}};
  const std::vector<place_residual> places{{{-17, 178}, 0, 0.5, 1}, {{48, 2}, 0, -0.3, 1}};
  const neighbour_field field{regions, places};
  std::array<neighbour_guess, 2> guesses;
  field.guess({-14, -172}, guesses);
  CHECK(guesses[0].residual > 0.3F);
  field.guess({49, 3}, guesses);
  CHECK(guesses[0].residual < -0.2F);
  CHECK(guesses[1].weight < guesses[0].weight);
  neighbour_field{}.guess({0, 0}, guesses);
  CHECK(guesses[0].weight == 0);
}

} // namespace
