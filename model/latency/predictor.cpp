#include "model/latency/predictor.hpp"

#include "base/randomness.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>
#include <utility>

namespace matchcloud::model {

namespace {

constexpr double mean_radius_m = 6'371'008.8;
constexpr double glass_m_per_ms = 299'792.458 / 1.468;
/// How many places the first line counts as.
constexpr double assumed_samples = 5;
constexpr int passes = 4;
/// Logarithms farther off than this count less.
constexpr double usual_error = 0.3;
/// The limits of lines that are possible on Earth.
constexpr double lowest_base_ms = 0.5;
constexpr double highest_base_ms = 60;
constexpr double lowest_slope = 9.8;
constexpr double highest_slope = 60;

/// Sums of a weighted regression of milliseconds on 1,000 km.
struct regression {
  double weight = 0;
  double x = 0;
  double y = 0;
  double xx = 0;
  double xy = 0;

  void add(double at, double value, double by) noexcept {
    weight += by;
    x += by * at;
    y += by * value;
    xx += by * at * at;
    xy += by * at * value;
  }
};

double weight_of(double error) noexcept {
  return std::min(1.0, usual_error / std::max(1e-9, std::abs(error)));
}

} // namespace

double great_circle_m(const coordinates& a, const coordinates& b) noexcept {
  constexpr double radians = std::numbers::pi / 180;
  const double north = std::sin((a.latitude - b.latitude) * radians / 2);
  const double east = std::sin((a.longitude - b.longitude) * radians / 2);
  const double chord =
      north * north + std::cos(a.latitude * radians) * std::cos(b.latitude * radians) * east * east;
  return 2 * mean_radius_m * std::asin(std::min(1.0, std::sqrt(chord)));
}

double least_round_trip_ms(double distance_m) noexcept {
  return 2 * distance_m / glass_m_per_ms;
}

bool can_be_measured(double milliseconds, double distance_m) noexcept {
  return milliseconds > 0 &&
         milliseconds >= least_round_trip_ms(std::max(0.0, distance_m - misplaced_m));
}

bool can_be_measured(double milliseconds, const std::optional<coordinates>& from,
                     const coordinates& to) noexcept {
  return can_be_measured(milliseconds, from ? great_circle_m(*from, to) : 0);
}

distance_prior fit_prior(std::span<const prior_sample> samples) {
  distance_prior prior;
  for (int pass = 0; pass < passes; ++pass) {
    regression sums;
    for (const double at : {0.5, 5.0}) { // 1,000 km
      const double assumed = distance_prior{}.at(at * 1e6);
      sums.add(at, assumed, assumed_samples / 2 / (assumed * assumed));
    }
    for (const auto& each : samples) {
      const double expected = prior.at(each.distance_m);
      const double error = std::log(std::max(each.milliseconds, 0.1) / expected);
      sums.add(each.distance_m / 1e6, each.milliseconds,
               each.weight * weight_of(error) / (expected * expected));
    }
    const double slope =
        (sums.weight * sums.xy - sums.x * sums.y) / (sums.weight * sums.xx - sums.x * sums.x);
    prior.ms_per_1000_km = std::clamp(slope, lowest_slope, highest_slope);
    prior.base_ms = std::clamp((sums.y - prior.ms_per_1000_km * sums.x) / sums.weight,
                               lowest_base_ms, highest_base_ms);
  }
  return prior;
}

namespace {

constexpr double side_degrees = 2.5;
constexpr float reach = 800.0F * 800.0F / 6'371.0F / 6'371.0F;
/// The weight of a zero residual among neighbours: residuals shrink to 0 if all of them are far.
constexpr float shrinking = 0.03F;
/// Two regions at one place have this much in common, any two regions the other.
constexpr double kin_share = 0.5;
constexpr double any_kin = 0.03;
constexpr double kin_reach_m = 500e3;
constexpr std::size_t wanted_sites = 24;

std::array<float, 3> point_at(const coordinates& where) noexcept {
  constexpr double radians = std::numbers::pi / 180;
  const double across = std::cos(where.latitude * radians);
  return {static_cast<float>(across * std::cos(where.longitude * radians)),
          static_cast<float>(across * std::sin(where.longitude * radians)),
          static_cast<float>(std::sin(where.latitude * radians))};
}

} // namespace

neighbour_field::neighbour_field(std::span<const latency_region> regions,
                                 std::span<const place_residual> places)
    : regions_{regions.size()} {
  std::map<std::pair<double, double>, std::size_t> squares;
  for (const auto& each : places) {
    const auto [square, is_new] =
        squares.try_emplace({std::floor(each.where.latitude / side_degrees),
                             std::floor(each.where.longitude / side_degrees)},
                            sites_.size());
    if (is_new) {
      sites_.push_back(point_at(each.where));
      parts_.resize(parts_.size() + regions_);
    }
    for (std::size_t i = 0; i < regions_; ++i) {
      const double kin =
          i == each.region
              ? 1
              : any_kin + kin_share * std::exp(-great_circle_m(regions[i].where,
                                                               regions[each.region].where) /
                                               kin_reach_m);
      auto& into = parts_[square->second * regions_ + i];
      into.sum += static_cast<float>(kin * each.weight * each.residual);
      into.weight += static_cast<float>(kin * each.weight);
    }
  }
}

void neighbour_field::guess(const coordinates& where,
                            std::span<neighbour_guess> out) const noexcept {
  std::fill(out.begin(), out.end(), neighbour_guess{});
  const auto at = point_at(where);
  // The nearest sites, the farthest of them on top.
  std::array<std::pair<float, std::size_t>, wanted_sites> near;
  std::size_t count = 0;
  for (std::size_t site = 0; site < sites_.size(); ++site) {
    const auto& other = sites_[site];
    const float apart = 2 - 2 * (at[0] * other[0] + at[1] * other[1] + at[2] * other[2]);
    if (count == wanted_sites) {
      if (near[0].first <= apart) continue;
      std::pop_heap(near.begin(), near.begin() + count--);
    }
    near[count++] = {std::max(apart, 0.0F), site};
    std::push_heap(near.begin(), near.begin() + count);
  }
  for (const auto& [apart, site] : std::span{near}.first(count)) {
    const float weight = 1 / (1 + apart / reach * (apart / reach));
    for (std::size_t i = 0; i < std::min(out.size(), regions_); ++i) {
      const auto& part = parts_[site * regions_ + i];
      out[i].residual += weight * part.sum;
      out[i].weight += weight * part.weight;
    }
  }
  for (auto& each : out)
    each.residual /= each.weight + shrinking;
}

std::size_t shard_of(latency_cell cell) noexcept {
  return base::mixed(cell.key) % latency_shard_count;
}

std::span<const voice> find_in(const latency_shard& shard, latency_cell cell) noexcept {
  const auto found = std::ranges::lower_bound(shard, cell, {}, &cell_voices::cell);
  if (found == shard.end() || found->cell != cell) return {};
  return *found->all;
}

std::span<const voice>
latency_snapshot::find(const std::optional<latency_cell>& cell) const noexcept {
  if (!cell) return {};
  const auto& shard = shards[shard_of(*cell)];
  return shard ? find_in(*shard, *cell) : std::span<const voice>{};
}

std::optional<std::uint16_t> latency_field::number_of(const latency_region& region) const noexcept {
  const auto found = std::ranges::find(regions, region);
  if (found == regions.end()) return std::nullopt;
  return static_cast<std::uint16_t>(found - regions.begin());
}

namespace {

/// The weight of what is expected among voices. Less than one, so that two honest voices win
/// against a lie that it agrees with; enough to decide between halves of slightly unlike age.
constexpr double casting_vote = 0.5;
/// Voices that are off from the others by this share on average are left out as a whole, if there
/// are enough others.
constexpr double most_off = 0.35;
constexpr std::size_t compared_voices = 4;
/// A cell speaks from this many voices on. What is expected counts as one more.
constexpr std::size_t least_voices = 2;
/// The weight of neighbours that are worth being named as the source.
constexpr float enough_neighbours = 0.1F;

struct sample {
  double value = 0;
  double weight = 0;
};

/// The mean of the middle fifth of the weight: nearly as robust as the median, and closer to the
/// truth for few honest values.
double middle_of(std::span<sample> of) noexcept {
  std::ranges::sort(of, {}, &sample::value);
  double total = 0;
  for (const auto& each : of)
    total += each.weight;
  double sum = 0;
  double below = 0;
  for (const auto& [value, weight] : of) {
    const double part = std::min(below + weight, 0.6 * total) - std::max(below, 0.4 * total);
    below += weight;
    if (part > 0) sum += part * value;
  }
  return sum / (0.2 * total);
}

double weight_of(const voice& of, std::uint32_t newest) noexcept {
  return std::exp2((static_cast<double>(of.minute) - newest) / latency_half_life_minutes);
}

/// Compares the voices of a cell that measured one region, the anchor.
class comparison {
public:
  comparison(std::span<const voice> all, const expected_latencies& expected,
             region_estimates& out) noexcept
      : all_{all}, expected_{expected}, out_{out} {
    const auto newest = std::ranges::max(all, {}, &voice::minute).minute;
    choose_anchor(newest);
    for (std::size_t i = 0; i < anchored_.size(); ++i)
      weights_[i] = weight_of(anchored_[i], newest);
  }

  /// Estimates, and sums how far voices are off, relative to the estimates.
  void estimate() noexcept {
    out_.fill({});
    vote_ = expected_[anchor_] > 0 ? casting_vote : 0;
    std::array<sample, voice_limit + 1> samples;
    double weight = 0;
    for (std::size_t i = 0; i < anchored_.size(); ++i) {
      samples[i] = {anchored_[i].milliseconds(), weights_[i]};
      weight += weights_[i];
    }
    samples[anchored_.size()] = {expected_[anchor_], vote_};
    out_[anchor_] = {middle_of(std::span{samples}.first(anchored_.size() + 1)), weight};
    for (auto rest = all_; !rest.empty();) {
      const auto same = voices_for(rest, rest.front().region);
      rest = rest.subspan(same.size());
      if (same.front().region != anchor_) estimate(same);
    }
  }

  /// Leaves out voices that are off as a whole.
  void screen() noexcept {
    if (anchored_.size() < compared_voices) return;
    for (std::size_t i = 0; i < anchored_.size(); ++i)
      if (off_[i].value > most_off * off_[i].weight) weights_[i] = 0;
  }

private:
  /// The anchor is the region that is expected first of those that half of the voices measured.
  void choose_anchor(std::uint32_t newest) noexcept {
    out_.fill({});
    double most = 0;
    for (const auto& each : all_)
      most = std::max(most, out_[each.region].weight += weight_of(each, newest));
    const auto rank = [&](const voice& of) {
      return std::tuple{expected_[of.region] <= 0, out_[of.region].weight < most / 2,
                        expected_[of.region]};
    };
    anchor_ = std::ranges::min(all_, {}, rank).region;
    anchored_ = voices_for(all_, anchor_);
  }

  void estimate(std::span<const voice> same) noexcept {
    const auto region = same.front().region;
    const auto& anchor = out_[anchor_];
    if (vote_ > 0 && expected_[region] <= 0) return;
    std::array<sample, voice_limit + 1> samples;
    std::array<std::size_t, voice_limit> speakers;
    std::size_t count = 0;
    double weight = 0;
    for (std::size_t i = 0; i < anchored_.size(); ++i) {
      const auto found = std::ranges::lower_bound(same, anchored_[i].speaker, {}, &voice::speaker);
      if (found == same.end() || found->speaker != anchored_[i].speaker) continue;
      speakers[count] = i;
      samples[count++] = {found->milliseconds() - anchored_[i].milliseconds(), weights_[i]};
      weight += weights_[i];
    }
    if (weight <= 0) return;
    auto sorted = samples;
    sorted[count] = {expected_[region] - expected_[anchor_],
                     vote_ > 0 ? vote_ + anchor.weight - weight : 0};
    const double middle = middle_of(std::span{sorted}.first(count + 1));
    out_[region] = {anchor.milliseconds + middle, weight};
    const double scale = std::max({anchor.milliseconds, out_[region].milliseconds, 1.0});
    for (std::size_t i = 0; i < count; ++i) {
      off_[speakers[i]].value += std::min(1.0, std::abs(samples[i].value - middle) / scale);
      off_[speakers[i]].weight += 1;
    }
  }

  std::span<const voice> all_;
  const expected_latencies& expected_;
  region_estimates& out_;
  std::uint16_t anchor_ = 0;
  /// The voices for the anchor, and their weights.
  std::span<const voice> anchored_;
  std::array<double, voice_limit> weights_{};
  std::array<sample, voice_limit> off_{};
  double vote_ = 0;
};

/// Refines predictions by a cell. Where it did not measure, they change as they do where it did.
void refine(std::span<const voice> all, latency_source source, std::size_t least,
            std::span<const region_distance> regions, std::span<latency_prediction> out) noexcept {
  if (all.empty()) return;
  expected_latencies expected{};
  for (std::size_t i = 0; i < regions.size(); ++i)
    if (regions[i].region < latency_region_limit) expected[regions[i].region] = out[i].milliseconds;
  region_estimates known;
  estimate(all, expected, known);
  std::array<double, latency_region_limit> changes;
  std::size_t count = 0;
  const auto find = [&](std::size_t i) -> region_estimate {
    const auto number = regions[i].region;
    if (number >= latency_region_limit || voices_for(all, number).size() < least) return {};
    return known[number];
  };
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const auto [milliseconds, weight] = find(i);
    if (weight <= 0) continue;
    auto& at = out[i];
    const double before = at.milliseconds;
    const double share = before > 0 ? weight / (weight + 1) : 1;
    at = {before + share * (milliseconds - before), static_cast<float>(weight / (weight + 1)),
          source};
    if (before > 0) changes[count++] = at.milliseconds / before;
  }
  if (count == 0) return;
  std::sort(changes.begin(), changes.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = 0; i < regions.size(); ++i)
    if (out[i].source != source) out[i].milliseconds *= changes[count / 2];
}

} // namespace

void estimate(std::span<const voice> all, const expected_latencies& expected,
              region_estimates& out) noexcept {
  out.fill({});
  if (all.empty()) return;
  comparison made{all, expected, out};
  made.estimate();
  made.screen();
  made.estimate();
}

void predict_latencies(const latency_snapshot& snapshot, const client_cells& client,
                       std::span<const region_distance> regions, std::span<latency_prediction> out,
                       network_rows which) noexcept {
  const auto& field = *snapshot.field;
  std::fill(out.begin(), out.end(), latency_prediction{});
  if (client.where) {
    std::array<neighbour_guess, latency_region_limit> near;
    field.neighbours.guess(*client.where, std::span{near}.first(field.regions.size()));
    for (std::size_t i = 0; i < regions.size(); ++i) {
      out[i] = {field.prior.at(regions[i].distance_m), 0, latency_source::distance};
      if (regions[i].region >= field.regions.size()) continue;
      const auto& guess = near[regions[i].region];
      out[i].milliseconds *= std::exp(static_cast<double>(guess.residual));
      if (guess.weight < enough_neighbours) continue;
      out[i].source = latency_source::neighbours;
      out[i].confidence = guess.weight / (1 + guess.weight) / 2;
    }
    refine(snapshot.find(place_cell(*client.where)), latency_source::place, least_voices, regions,
           out);
  }
  refine(snapshot.find(client.network), latency_source::network,
         which == network_rows::all ? least_voices : shown_reporters, regions, out);
}

void rank_by_latency(std::span<const region_distance> regions,
                     std::span<const latency_prediction> predictions,
                     std::vector<std::uint16_t>& order) {
  order.clear();
  for (std::size_t i = 0; i < std::min(regions.size(), latency_region_limit); ++i)
    order.push_back(static_cast<std::uint16_t>(i));
  std::ranges::sort(order, {}, [&](std::uint16_t at) {
    const bool is_known = predictions[at].source != latency_source::nothing;
    const double tenths = is_known ? std::round(predictions[at].milliseconds * 10)
                                   : std::numeric_limits<double>::infinity();
    return std::tuple{tenths, regions[at].distance_m, at};
  });
}

} // namespace matchcloud::model
