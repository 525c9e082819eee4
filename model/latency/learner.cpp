#include "model/latency/learner.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace matchcloud::model {

namespace {

/// A network's clients are told apart by these many bits of their hash only.
constexpr std::uint32_t client_hashes = 16;
/// A place speaks to its neighbours from a weight of this many networks on, if they are recent.
constexpr double heard_networks = 2.5;
/// The weight of a place's residual with `n` networks, relative to a known one: n / (n + this).
constexpr double half_known_networks = 0.5;

std::uint32_t minute_of(std::int64_t time_ms) noexcept {
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(time_ms / latency_minute_ms, 1, UINT32_MAX));
}

} // namespace

latency_learner::latency_learner(learner_settings settings)
    : settings_{settings},
      shards_(latency_shard_count),
      field_{std::make_shared<const latency_field>()} {}

std::optional<std::uint16_t>
latency_learner::number_of(const latency_region& region) const noexcept {
  return field_->number_of(region);
}

std::size_t latency_learner::set_regions(std::span<const latency_region> regions) {
  auto changed = std::make_shared<latency_field>(*field_);
  region_set gone;
  for (std::size_t i = 0; i < changed->regions.size(); ++i)
    if (std::ranges::find(regions, changed->regions[i]) == regions.end()) {
      gone.set(i);
      changed->regions[i] = {};
    }
  std::size_t refused = 0;
  for (const auto& each : regions) {
    if (changed->number_of(each)) continue;
    const auto free = std::ranges::find(changed->regions, latency_region{});
    if (free != changed->regions.end())
      *free = each;
    else if (changed->regions.size() < latency_region_limit)
      changed->regions.push_back(each);
    else
      ++refused;
  }
  if (changed->regions == field_->regions) return refused;
  if (gone.any()) forget(gone);
  // What the neighbours know depends on the regions, so they know nothing until the next fit.
  changed->neighbours = {};
  field_ = std::move(changed);
  field_changed_ = true;
  return refused;
}

void latency_learner::forget(const region_set& gone) {
  for (std::size_t i = 0; i < latency_shard_count; ++i)
    for (auto& each : shards_[i]) {
      auto left = std::make_shared<voices>(*each.all);
      if (std::erase_if(*left, [&](const voice& of) { return gone.test(of.region); }) == 0)
        continue;
      entries_ -= each.all->size() - left->size();
      each.all = std::move(left);
      changed_.set(i);
    }
  std::erase_if(unkept_, [&](const auto& each) { return gone.test(each.second); });
}

bool latency_learner::plausible(const latency_report& report) const noexcept {
  const auto& client = report.client;
  if (report.latencies.empty() || report.latencies.size() > latency_region_limit) return false;
  if (!client.network && !client.where) return false;
  return std::ranges::all_of(report.latencies, [&](const region_latency& each) {
    return each.region < field_->regions.size() && each.milliseconds <= learned_limit_ms &&
           can_be_measured(each.milliseconds, client.where, field_->regions[each.region].where);
  });
}

bool latency_learner::add(const latency_report& report) {
  if (!plausible(report)) return false;
  voices said;
  for (const auto& each : report.latencies)
    said.push_back({each.region, voice::steps_of(each.milliseconds),
                    static_cast<std::uint32_t>(report.reporter), minute_of(report.time_ms)});
  std::ranges::sort(said);
  if (const auto& network = report.client.network) {
    auto own = said;
    for (auto& each : own)
      each.speaker %= client_hashes;
    add(*network, own, true);
    // In the place, all clients of the network are one voice.
    region_estimates known;
    estimate(find(*network), {}, known);
    const auto bytes = std::bit_cast<std::array<std::uint8_t, 8>>(network->key);
    for (auto& each : said) {
      each.speaker = static_cast<std::uint32_t>(base::siphash(key_, bytes));
      if (known[each.region].weight > 0)
        each.steps = voice::steps_of(known[each.region].milliseconds);
    }
  }
  if (report.client.where) add(place_cell(*report.client.where), said, true);
  return true;
}

std::span<const voice> latency_learner::find(latency_cell cell) const noexcept {
  return find_in(shards_[shard_of(cell)], cell);
}

void latency_learner::add(latency_cell cell, std::span<const voice> added, bool notes) {
  auto& shard = shards_[shard_of(cell)];
  auto at = std::ranges::lower_bound(shard, cell, {}, &cell_voices::cell);
  if (at == shard.end() || at->cell != cell)
    at = shard.insert(at, {cell, 0, std::make_shared<const voices>()});
  auto all = std::make_shared<voices>(*at->all);
  merge(*all, added);
  entries_ += all->size() - at->all->size();
  at->all = std::move(all);
  changed_.set(shard_of(cell));
  for (const auto& each : added) {
    at->minute = std::max(at->minute, each.minute);
    if (!notes || settings_.unkept_limit == 0) continue;
    if (unkept_.size() < settings_.unkept_limit)
      unkept_.emplace(cell, each.region);
    else if (!unkept_.contains({cell, each.region}))
      ++unkept_left_out_;
  }
  evict(shard);
}

void latency_learner::evict(latency_shard& from) {
  while (entries_ > settings_.entry_limit && from.size() > 1) {
    const auto oldest = std::ranges::min_element(from, {}, &cell_voices::minute);
    entries_ -= oldest->all->size();
    evicted_ += oldest->all->size();
    from.erase(oldest);
  }
}

std::size_t latency_learner::bytes() const noexcept {
  // Of a cell: its places in two shards, and the head of its voices.
  constexpr std::size_t of_cell = 2 * sizeof(cell_voices) + sizeof(voices) + 48;
  std::size_t sum = entries_ * sizeof(voice);
  for (const auto& shard : shards_)
    sum += shard.size() * of_cell;
  return sum;
}

// -- keeping ------------------------------------------------------------------

std::vector<learned_entry> latency_learner::take_unkept() {
  std::vector<learned_entry> all;
  for (const auto& [cell, number] : unkept_) {
    const auto known = voices_for(find(cell), number);
    const auto& region = field_->regions[number];
    learned_entry entry{cell, region.region_id, region.where, {known.begin(), known.end()}};
    for (auto& each : entry.voices)
      each.region = 0;
    if (!known.empty() && entry.is_shown()) all.push_back(std::move(entry));
  }
  unkept_.clear();
  return all;
}

void latency_learner::give_back(std::span<const learned_entry> unkept) {
  for (const auto& each : unkept)
    put(each, true);
}

void latency_learner::put(const learned_entry& kept) {
  put(kept, false);
}

void latency_learner::put(const learned_entry& entry, bool notes) {
  const auto region = number_of({entry.region_id, entry.region_at});
  if (!region || entry.voices.empty()) return;
  auto numbered = entry.voices;
  for (auto& each : numbered)
    each.region = *region;
  add(entry.cell, numbered, notes);
  // A network of few clients was not kept so far.
  const auto same = voices_for(find(entry.cell), *region);
  const voices known{same.begin(), same.end()};
  if (known != numbered) add(entry.cell, known, true);
}

// -- publishing ---------------------------------------------------------------

void latency_learner::refit() {
  std::vector<prior_sample> samples;
  std::vector<place_residual> places;
  for (const auto& shard : shards_)
    for (const auto& each : shard) {
      if (each.cell.kind() != cell_kind::place || each.all->empty()) continue;
      const auto where = middle_of(each.cell);
      expected_latencies expected{};
      std::array<double, latency_region_limit> distances_m{};
      for (std::size_t i = 0; i < field_->regions.size(); ++i) {
        distances_m[i] = great_circle_m(where, field_->regions[i].where);
        expected[i] = field_->prior.at(distances_m[i]);
      }
      region_estimates known;
      estimate(*each.all, expected, known);
      for (std::size_t i = 0; i < field_->regions.size(); ++i) {
        if (known[i].weight < heard_networks) continue;
        const double weight = known[i].weight / (known[i].weight + half_known_networks);
        const double ms = std::max(1.0, known[i].milliseconds);
        samples.push_back({distances_m[i], ms, weight});
        places.push_back({where, static_cast<std::uint16_t>(i), std::log(ms), weight});
      }
    }
  auto changed = std::make_shared<latency_field>();
  changed->regions = field_->regions;
  changed->prior = fit_prior(samples);
  for (std::size_t i = 0; i < places.size(); ++i)
    places[i].residual -= std::log(changed->prior.at(samples[i].distance_m));
  changed->neighbours = neighbour_field{changed->regions, places};
  field_ = std::move(changed);
  field_changed_ = true;
}

std::shared_ptr<const latency_snapshot> latency_learner::publish() {
  if (published_ && !field_changed_ && changed_.none()) return published_;
  auto next = published_ ? std::make_shared<latency_snapshot>(*published_)
                         : std::make_shared<latency_snapshot>();
  next->field = field_;
  for (std::size_t i = 0; i < latency_shard_count; ++i)
    if (changed_.test(i)) next->shards[i] = std::make_shared<const latency_shard>(shards_[i]);
  changed_.reset();
  field_changed_ = false;
  published_ = std::move(next);
  return published_;
}

} // namespace matchcloud::model
