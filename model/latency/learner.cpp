#include "model/latency/learner.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace matchcloud::model {

namespace {

/// The weight of a report in the worst case, so that cells in which everything is unexpected learn
/// gradually, because their reports agree with each other.
constexpr double least_honesty = 0.05;
constexpr double doubted_honesty = 0.5;
constexpr double contributed_steps = 256;
/// The least that is left of a round trip without the last mile.
constexpr double least_ms = 0.3;
/// The weight of a place's residual with `n` reports, relative to a known one: n / (n + this).
constexpr double half_known_reports = 0.5;
/// Shards whose weights have faded for longer than this are published again.
constexpr std::uint32_t stale_minutes = 6 * 60;

std::uint32_t minute_of(std::int64_t time_ms) noexcept {
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(time_ms / ms_per_minute, 1, UINT32_MAX));
}

} // namespace

/// What the learner itself knows about a report's cells.
struct latency_learner::live_rows {
  std::array<std::array<cell_row, latency_region_limit>, 4> rows;
  std::array<std::size_t, 4> counts{};

  void gather(const entry_table& entries, std::size_t which,
              const std::optional<latency_cell>& cell, std::span<const region_latency> latencies,
              std::uint32_t minute, double half_life) {
    if (!cell) return;
    for (const auto& each : latencies)
      if (const auto* found = entries.find(*cell, each.region); found != nullptr)
        rows[which][counts[which]++] = row_of(*found, minute, half_life);
  }
  std::span<const cell_row> of(std::size_t which) const noexcept {
    return std::span{rows[which]}.first(counts[which]);
  }
};

latency_learner::latency_learner(learner_settings settings)
    : settings_{settings},
      entries_{settings.entry_limit},
      unkept_{settings.unkept_limit},
      field_{std::make_shared<const latency_field>()} {}

std::optional<std::uint16_t>
latency_learner::number_of(const latency_region& region) const noexcept {
  const auto found = std::find(field_->regions.begin(), field_->regions.end(), region);
  if (found == field_->regions.end()) return std::nullopt;
  return static_cast<std::uint16_t>(found - field_->regions.begin());
}

std::size_t latency_learner::set_regions(std::span<const latency_region> regions) {
  auto changed = std::make_shared<latency_field>(*field_);
  std::size_t refused = 0;
  for (const auto& each : regions) {
    if (std::find(changed->regions.begin(), changed->regions.end(), each) != changed->regions.end())
      continue;
    if (changed->regions.size() == latency_region_limit)
      ++refused;
    else
      changed->regions.push_back(each);
  }
  current_.reset();
  for (std::size_t i = 0; i < changed->regions.size(); ++i)
    current_.set(i,
                 std::find(regions.begin(), regions.end(), changed->regions[i]) != regions.end());
  if (changed->regions.size() == field_->regions.size()) return refused;
  // What the neighbours know depends on the regions, so they know nothing until the next fit.
  changed->neighbours = neighbour_field{changed->regions, changed->prior, {}};
  field_ = std::move(changed);
  field_changed_ = true;
  return refused;
}

double latency_learner::distance_m(const latency_report& report,
                                   std::uint16_t region) const noexcept {
  return great_circle_m(*report.client.where, field_->regions[region].where);
}

bool latency_learner::plausible(const latency_report& report) const noexcept {
  const auto& client = report.client;
  if (report.latencies.empty() || report.latencies.size() > latency_region_limit) return false;
  if (!client.network && !client.where) return false;
  return std::ranges::all_of(report.latencies, [&](const region_latency& each) {
    if (each.region >= field_->regions.size()) return false;
    return each.milliseconds <= learned_limit_ms &&
           can_be_measured(each.milliseconds, client.where ? distance_m(report, each.region) : 0);
  });
}

report_judgement latency_learner::judge(const latency_report& report, std::uint32_t minute) const {
  const auto& client = report.client;
  const double half_life = settings_.half_life_hours * minutes_per_hour;
  live_rows live;
  live.gather(entries_, 0, client.network, report.latencies, minute, half_life);
  std::optional<latency_cell> place;
  if (client.where) place = place_cell(*client.where);
  live.gather(entries_, 1, place, report.latencies, minute, half_life);
  live.gather(entries_, 2, client.asn, report.latencies, minute, half_life);
  live.gather(entries_, 3, client.country, report.latencies, minute, half_life);
  const auto count = report.latencies.size();
  std::array<region_distance, latency_region_limit> regions;
  std::array<latency_prediction, latency_region_limit> predictions;
  for (std::size_t i = 0; i < count; ++i)
    regions[i] = {report.latencies[i].region,
                  client.where ? distance_m(report, report.latencies[i].region) : 0};
  predict_latencies(*field_, {live.of(0), live.of(1), live.of(2), live.of(3)}, client.where,
                    std::span{regions}.first(count), std::span{predictions}.first(count));
  std::array<judged_latency, latency_region_limit> judged;
  std::size_t known = 0;
  const double by_distance = std::sqrt(field_->prior.variance);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& guess = predictions[i];
    if (guess.source == latency_source::nothing) continue;
    const double deviation = (1 - static_cast<double>(guess.confidence)) * by_distance;
    judged[known] = {report.latencies[i].milliseconds, guess.milliseconds, deviation * deviation};
    const auto own = live.of(live.counts[1] > 0 ? 1 : 0);
    const auto row = std::ranges::find(own, report.latencies[i].region, &cell_row::region);
    if (row != own.end() && row->reports() > 0) {
      judged[known].cell_ms = std::exp(row->log_value());
      // Even the median of few reports is uncertain.
      judged[known].cell_variance =
          row->log_deviation() * row->log_deviation() / std::max(1.0, row->reports());
    }
    ++known;
  }
  // There is nothing to compare with: the first report of a network without a place.
  if (known == 0) return {0, 1};
  return judge_report(std::span{judged}.first(known));
}

latency_entry& latency_learner::touch(latency_cell cell, std::uint16_t region,
                                      const latency_report& report, std::uint32_t minute) {
  auto& entry = entries_.take(cell, region, minute);
  if (minute > entry.minute) {
    const double factor = std::exp2(-static_cast<double>(minute - entry.minute) /
                                    (settings_.half_life_hours * minutes_per_hour));
    // Rounding would undo the fading of a few minutes.
    if (factor < 0.99 || entry.values.empty()) {
      entry.values.fade(factor);
      entry.contributed = static_cast<std::uint16_t>(std::lround(entry.contributed * factor));
      entry.minute = minute;
    }
  }
  entry.reporters =
      static_cast<std::uint16_t>(entry.reporters | 1U << report.reporter % reporter_bits);
  changed_.set(shard_of(cell));
  return entry;
}

void latency_learner::learn(const latency_report& report, const report_judgement& judged,
                            std::uint32_t minute) {
  const auto& client = report.client;
  const double weight = std::max(least_honesty, judged.honesty);
  const auto add_value = [&](latency_cell cell, std::uint16_t region, double value,
                             const auto& allowed) {
    const auto* const known = entries_.find(cell, region);
    const std::uint16_t reporters_before = known == nullptr ? 0 : known->reporters;
    auto& entry = touch(cell, region, report, minute);
    const double counts = allowed(entry);
    entry.values.add(value, counts);
    unkept_.note(entry, reporters_before, value, counts);
    return counts;
  };
  for (const auto& each : report.latencies) {
    const double own_ms = std::max(least_ms, each.milliseconds - judged.common_ms);
    double given = 0;
    if (client.network)
      add_value(*client.network, each.region, own_ms, [&](const latency_entry& network) {
        given = network.contributed / contributed_steps;
        return weight;
      });
    double most = 0;
    const auto widen = [&](latency_cell cell, double value) {
      const double counts = add_value(cell, each.region, value, [&](const latency_entry& wide) {
        if (!client.network) return weight;
        const double share = settings_.network_share * wide.values.weight();
        return std::clamp(std::max(share, settings_.network_reports) - given, 0.0, weight);
      });
      most = std::max(most, counts);
    };
    if (client.where) {
      const double ratio = own_ms / field_->prior.at(distance_m(report, each.region));
      widen(place_cell(*client.where), own_ms);
      if (client.asn) widen(*client.asn, ratio);
      if (client.country) widen(*client.country, ratio);
    }
    if (client.network) contribute(*client.network, each.region, given, most);
  }
}

void latency_learner::contribute(latency_cell network, std::uint16_t region, double given,
                                 double more) {
  // Looked up again, because a wider cell's entry can have evicted it.
  auto* const entry = entries_.find(network, region);
  if (entry == nullptr) return;
  const auto sum = static_cast<std::uint16_t>(
      std::min(65'535.0, std::round((given + more) * contributed_steps)));
  unkept_.note_contribution(network, region,
                            static_cast<std::uint16_t>(std::max(0, sum - entry->contributed)));
  entry->contributed = sum;
}

report_outcome latency_learner::add(const latency_report& report) {
  if (!plausible(report)) return report_outcome::refused;
  const auto minute = minute_of(report.time_ms);
  const auto judged = judge(report, minute);
  learn(report, judged, minute);
  return judged.honesty < doubted_honesty ? report_outcome::doubted : report_outcome::learned;
}

// -- keeping ------------------------------------------------------------------

learned_entry latency_learner::named(const latency_entry& entry) const {
  const auto& region = field_->regions[entry.region];
  return {entry.cell,        region.region_id, region.where, entry.minute,
          entry.contributed, entry.reporters,  entry.values};
}

std::vector<learned_entry> latency_learner::take_unkept() {
  std::vector<learned_entry> all;
  all.reserve(unkept_.size());
  for (const auto& each : unkept_.take())
    if (current_.test(each.region)) all.push_back(named(each));
  return all;
}

void latency_learner::give_back(std::span<const learned_entry> unkept) {
  for (const auto& each : unkept) {
    const auto region = number_of({each.region_id, each.region_at});
    if (!region) continue;
    auto sum = each;
    if (const auto* const newer = unkept_.find(each.cell, *region); newer != nullptr)
      merge(sum, named(*newer));
    unkept_.note_whole({sum.cell, sum.minute, *region, sum.contributed, sum.reporters, sum.values});
  }
}

void latency_learner::put(const learned_entry& kept) {
  const auto region = number_of({kept.region_id, kept.region_at});
  if (!region || kept.cell.key == 0) return;
  const auto* const known = entries_.find(kept.cell, *region);
  if (known == nullptr && entries_.oldest_minute(kept.cell, *region) > kept.minute) return;
  // An entry with few reporters was not kept so far. From now on it is added.
  if (known != nullptr && !is_shown(*known) && settings_.unkept_limit > 0)
    unkept_.note_whole(*known);
  auto sum = kept;
  if (const auto* const own = unkept_.find(kept.cell, *region); own != nullptr)
    merge(sum, named(*own));
  auto& entry = entries_.take(kept.cell, *region, sum.minute);
  entry = {sum.cell, sum.minute, *region, sum.contributed, sum.reporters, sum.values};
  changed_.set(shard_of(kept.cell));
}

// -- publishing ---------------------------------------------------------------

void latency_learner::refit(std::int64_t time_ms) {
  const auto minute = minute_of(time_ms);
  std::vector<prior_sample> samples;
  std::vector<place_residual> places;
  for (std::size_t shard = 0; shard < latency_shard_count; ++shard)
    for (const auto& each : entries_.shard(shard)) {
      if (each.cell.kind() != cell_kind::place || each.values.empty() ||
          each.region >= field_->regions.size())
        continue;
      const auto row = row_of(each, minute, settings_.half_life_hours * minutes_per_hour);
      const auto where = middle_of(each.cell);
      const double weight = row.reports() / (row.reports() + half_known_reports);
      const double ms = std::exp(row.log_value());
      samples.push_back({great_circle_m(where, field_->regions[each.region].where), ms, weight});
      places.push_back({where, each.region, ms, weight});
    }
  auto changed = std::make_shared<latency_field>();
  changed->regions = field_->regions;
  changed->prior = fit_prior(samples);
  for (std::size_t i = 0; i < places.size(); ++i)
    places[i].residual = std::log(places[i].residual / changed->prior.at(samples[i].distance_m));
  changed->neighbours = neighbour_field{changed->regions, changed->prior, places};
  field_ = std::move(changed);
  field_changed_ = true;
  for (std::size_t i = 0; published_ && i < latency_shard_count; ++i)
    if (const auto& each = published_->shards[i];
        each && each->rows() > 0 && minute > each->published_minute() + stale_minutes)
      changed_.set(i);
}

std::shared_ptr<const latency_snapshot> latency_learner::publish(std::int64_t time_ms) {
  if (published_ && !field_changed_ && changed_.none()) return published_;
  auto next = published_ ? std::make_shared<latency_snapshot>(*published_)
                         : std::make_shared<latency_snapshot>();
  next->field = field_;
  const double half_life = settings_.half_life_hours * minutes_per_hour;
  for (std::size_t i = 0; i < latency_shard_count; ++i)
    if (changed_.test(i))
      next->shards[i] =
          std::make_shared<const latency_shard>(entries_.shard(i), minute_of(time_ms), half_life);
  changed_.reset();
  field_changed_ = false;
  published_ = std::move(next);
  return published_;
}

} // namespace matchcloud::model
