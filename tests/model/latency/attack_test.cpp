// The attack table of docs/latency.md: lying networks against honest ones.
#include "model/latency/learner.hpp"

#include "tests/catch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace matchcloud::model;

constexpr std::int64_t attack_begin_ms = 1'700'000'000'000;
constexpr std::size_t measured_regions = 6;
/// What a lie may cost a player.
constexpr double allowed_ms = 5;

enum class lie : std::uint8_t { huge, zero, swapped, plausible, unmeasured };
constexpr std::array lies{lie::huge, lie::zero, lie::swapped, lie::plausible, lie::unmeasured};

struct attack {
  std::uint32_t honest = 0;
  std::uint32_t liars = 0;
  lie kind = lie::huge;
  bool liars_first = false;
  /// Reports of each lying network, from as many addresses.
  std::uint32_t addresses = 20;
};

/// A city, ten regions, and their true latencies, which are often far from those that distance
/// suggests.
class attacked_city {
public:
  explicit attacked_city(std::uint64_t seed) : random_{seed} {
    const auto any = [this](double low, double high) {
      return std::uniform_real_distribution{low, high}(random_);
    };
    where_ = {any(-50, 60), any(-180, 180)};
    for (std::size_t i = 0; i < true_ms_.size(); ++i) {
      regions_.push_back({"r" + std::to_string(i), {any(-50, 60), any(-180, 180)}});
      distances_.push_back(
          {static_cast<std::uint16_t>(i), great_circle_m(where_, regions_.back().where)});
    }
    for (const auto& each : distances_)
      true_ms_[each.region] =
          5 + least_round_trip_ms(each.distance_m) *
                  (1.2 + std::exponential_distribution{random_() % 3 == 0 ? 0.8 : 4.0}(random_));
    nearest_ = distances_;
    std::ranges::sort(nearest_, {}, &region_distance::distance_m);
  }

  /// What a player loses who is in the city and in no network that has reported; or in one of a
  /// network, if that is given.
  double loss_after(const attack& by, std::optional<std::uint32_t> network = std::nullopt) {
    latency_learner learner;
    learner.set_regions(regions_);
    std::mt19937_64 honest_random{7};
    const auto tell_truth = [&] {
      for (std::uint32_t i = 0; i < by.honest; ++i)
        learner.add({client(i, 0), truth(honest_random), attack_begin_ms, i});
    };
    if (!by.liars_first) tell_truth();
    for (std::uint32_t i = 0; i < by.liars; ++i)
      for (std::uint32_t address = 0; address < by.addresses; ++address)
        learner.add({client(1'000 + i, address), lies_of(by.kind), attack_begin_ms, address});
    if (by.liars_first) tell_truth();
    learner.refit();
    return loss(learner, network.value_or(5'000));
  }

  /// The same in a network of honest clients with one liar, and without it.
  double loss_in_network(lie kind, bool has_liar, std::uint32_t honest) {
    latency_learner learner;
    learner.set_regions(regions_);
    std::mt19937_64 honest_random{7};
    for (std::uint32_t address = 0; address < honest; ++address)
      learner.add({client(1, address), truth(honest_random), attack_begin_ms, address});
    for (int i = 0; has_liar && i < 20; ++i)
      learner.add({client(1, 200), lies_of(kind), attack_begin_ms, 200});
    return loss(learner, 1);
  }

  /// Whether the region that is ranked first is one that nobody honest measures.
  bool is_unmeasured_first(const attack& by) {
    loss_after(by);
    return std::ranges::find(nearest_.begin(), nearest_.begin() + measured_regions, first_,
                             &region_distance::region) == nearest_.begin() + measured_regions;
  }

private:
  client_cells client(std::uint32_t network, std::uint32_t address) const {
    const std::array<std::uint8_t, 4> octets{10, static_cast<std::uint8_t>(network >> 8U),
                                             static_cast<std::uint8_t>(network),
                                             static_cast<std::uint8_t>(address)};
    return {network_cell(ip_address::from_v4(octets)), where_};
  }

  /// An honest report: a last mile that all regions share, and jitter of 2 %.
  std::vector<region_latency> truth(std::mt19937_64& random) const {
    std::vector<region_latency> all;
    const double last_mile = std::exponential_distribution{0.125}(random);
    for (const auto& each : std::span{nearest_}.first(measured_regions))
      all.push_back(
          {each.region,
           true_ms_[each.region] * std::lognormal_distribution{0.0, 0.02}(random) + last_mile});
    return all;
  }

  std::vector<region_latency> lies_of(lie kind) const {
    std::vector<region_latency> all;
    const auto near = std::span{nearest_}.first(measured_regions);
    const auto least = [](const region_distance& of) {
      return least_round_trip_ms(of.distance_m) + 0.5;
    };
    const auto best =
        std::ranges::min(near, {}, [this](const auto& of) { return true_ms_[of.region]; });
    const auto worst =
        std::ranges::max(near, {}, [this](const auto& of) { return true_ms_[of.region]; });
    for (const auto& each : near) {
      const double true_ms = true_ms_[each.region];
      switch (kind) {
      case lie::huge:
        all.push_back({each.region, each.region == best.region ? 1'999 : true_ms});
        break;
      case lie::zero:
        all.push_back({each.region, each.region == worst.region ? least(each) : true_ms});
        break;
      case lie::swapped:
        all.push_back({each.region, std::max(least(each), true_ms_[best.region] +
                                                              true_ms_[worst.region] - true_ms)});
        break;
      case lie::plausible:
        all.push_back({each.region, distance_prior{}.at(each.distance_m)});
        break;
      case lie::unmeasured: break;
      }
    }
    if (kind == lie::unmeasured)
      for (const auto& each : std::span{nearest_}.subspan(measured_regions))
        all.push_back({each.region, least(each)});
    return all;
  }

  double loss(latency_learner& learner, std::uint32_t network) {
    std::vector<latency_prediction> predictions(distances_.size());
    predict_latencies(*learner.publish(), client(network, 9), distances_, predictions);
    std::vector<std::uint16_t> order;
    rank_by_latency(distances_, predictions, order);
    first_ = order.front();
    return true_ms_[first_] - *std::ranges::min_element(true_ms_);
  }

  std::mt19937_64 random_;
  coordinates where_;
  std::vector<latency_region> regions_;
  std::vector<region_distance> distances_;
  std::vector<region_distance> nearest_;
  std::array<double, 10> true_ms_{};
  std::uint16_t first_ = 0;
};

constexpr std::uint64_t cities = 40;

/// What the lies of networks cost in the worst of all cities, kinds of lies and orders, compared
/// with as many honest networks and `before` lying ones.
double worst_cost(std::uint32_t honest, std::uint32_t liars, std::uint32_t before) {
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= cities; ++seed)
    for (const auto kind : lies)
      for (const bool first : {false, true}) {
        attacked_city city{seed};
        worst = std::max(worst, city.loss_after({honest, liars, kind, first}) -
                                    city.loss_after({honest, before, kind, first}));
      }
  return worst;
}

TEST_CASE("One lying network more costs nobody else more than 5 ms") {
  for (const std::uint32_t honest : {0, 1, 3, 5, 20, 60}) {
    CAPTURE(honest);
    CHECK(worst_cost(honest, 1, 0) <= allowed_ms);
  }
}

TEST_CASE("Lying networks cost nothing where more than twice as many are honest") {
  for (const std::uint32_t liars : {1, 2, 5})
    for (const std::uint32_t honest : {3, 5, 20, 60}) {
      if (honest <= 2 * liars) continue;
      CAPTURE(honest, liars);
      CHECK(worst_cost(honest, liars, 0) <= allowed_ms);
    }
}

TEST_CASE("One liar in a network with 20 honest clients changes nothing there") {
  for (std::uint64_t seed = 1; seed <= cities; ++seed)
    for (const auto kind : lies) {
      attacked_city city{seed};
      CAPTURE(seed, static_cast<int>(kind));
      CHECK(city.loss_in_network(kind, true, 20) <=
            city.loss_in_network(kind, false, 20) + allowed_ms);
    }
}

TEST_CASE("A network of one client is ranked as its city is") {
  for (std::uint64_t seed = 1; seed <= cities; ++seed) {
    attacked_city city{seed};
    const attack one{.honest = 60, .liars = 1, .kind = lie::swapped, .addresses = 1};
    CHECK(city.loss_after(one, 1'000) == city.loss_after(one));
  }
}

TEST_CASE("A region that only liars measured is first only if they are the majority") {
  for (std::uint64_t seed = 1; seed <= cities; ++seed) {
    attacked_city city{seed};
    const bool is_anyway = city.is_unmeasured_first({.honest = 5});
    for (const std::uint32_t liars : {1, 2, 5})
      CHECK(city.is_unmeasured_first({.honest = 5, .liars = liars, .kind = lie::unmeasured}) ==
            is_anyway);
  }
}

} // namespace
