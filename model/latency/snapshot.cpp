#include "model/latency/snapshot.hpp"

#include "model/latency/common_part.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace matchcloud::model {

namespace {

/// The assumed deviation, used until reports show theirs, counts as this many reports.
constexpr double assumed_reports = 3;
/// The error that removing the last mile leaves, in milliseconds.
constexpr double remainder_ms = 1.5;
/// The assumed deviation of ratios within a country or an autonomous system.
constexpr double assumed_ratio_deviation = 0.3;
constexpr double least_weight = 1 / 64.0;

const double log_lowest = std::log(running_median::lowest);

template <class Integer>
Integer bounded(double value) noexcept {
  return static_cast<Integer>(
      std::clamp(std::round(value), 0.0, double{std::numeric_limits<Integer>::max()}));
}

} // namespace

double cell_row::log_value() const noexcept {
  return log_lowest + value / log_steps;
}

cell_row row_of(const latency_entry& entry, std::uint32_t minute,
                double half_life_minutes) noexcept {
  const double age = minute > entry.minute ? minute - entry.minute : 0;
  const double middle = entry.values.middle();
  const double reports = entry.values.weight() * std::exp2(-age / half_life_minutes);
  const bool in_ms = entry.cell.kind() <= cell_kind::place;
  const double assumed =
      in_ms ? std::hypot(jitter_share, remainder_ms / std::max(middle, remainder_ms))
            : assumed_ratio_deviation;
  const double spread = entry.values.spread();
  const double variance = (reports * spread * spread + assumed_reports * assumed * assumed) /
                          (reports + assumed_reports);
  cell_row row;
  row.region = entry.region;
  row.value = bounded<std::uint16_t>(
      (std::log(std::max(middle, running_median::lowest)) - log_lowest) * cell_row::log_steps);
  row.deviation = bounded<std::uint16_t>(std::sqrt(variance) * cell_row::log_steps);
  row.weight = bounded<std::uint16_t>(reports * cell_row::weight_steps);
  row.age_hours = bounded<std::uint16_t>(age / minutes_per_hour);
  row.reporters = static_cast<std::uint8_t>(std::popcount(entry.reporters));
  return row;
}

latency_shard::latency_shard(std::span<const latency_entry> entries, std::uint32_t minute,
                             double half_life_minutes)
    : minute_{minute} {
  std::vector<const latency_entry*> sorted;
  for (const auto& each : entries)
    if (each.cell.key != 0 && !each.values.empty()) sorted.push_back(&each);
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
    return a->cell == b->cell ? a->region < b->region : a->cell.key < b->cell.key;
  });
  for (const auto* each : sorted) {
    const auto row = row_of(*each, minute, half_life_minutes);
    if (row.reports() < least_weight) continue;
    if (keys_.empty() || keys_.back() != each->cell.key) {
      keys_.push_back(each->cell.key);
      begins_.push_back(static_cast<std::uint32_t>(rows_.size()));
    }
    rows_.push_back(row);
  }
  begins_.push_back(static_cast<std::uint32_t>(rows_.size()));
  keys_.shrink_to_fit();
  begins_.shrink_to_fit();
  rows_.shrink_to_fit();
}

std::span<const cell_row> latency_shard::find(latency_cell cell) const noexcept {
  const auto found = std::lower_bound(keys_.begin(), keys_.end(), cell.key);
  if (found == keys_.end() || *found != cell.key) return {};
  const auto at = static_cast<std::size_t>(found - keys_.begin());
  return std::span{rows_}.subspan(begins_[at], begins_[at + 1] - begins_[at]);
}

std::size_t latency_shard::bytes() const noexcept {
  return sizeof *this + keys_.capacity() * sizeof(keys_[0]) +
         begins_.capacity() * sizeof(begins_[0]) + rows_.capacity() * sizeof(rows_[0]);
}

std::span<const cell_row>
latency_snapshot::find(const std::optional<latency_cell>& cell) const noexcept {
  if (!cell) return {};
  const auto& shard = shards[shard_of(*cell)];
  return shard ? shard->find(*cell) : std::span<const cell_row>{};
}

std::optional<std::uint16_t>
latency_snapshot::number_of(const latency_region& region) const noexcept {
  const auto found = std::find(field->regions.rbegin(), field->regions.rend(), region);
  if (found == field->regions.rend()) return std::nullopt;
  return static_cast<std::uint16_t>(field->regions.rend() - found - 1);
}

std::size_t latency_snapshot::bytes() const noexcept {
  std::size_t sum = sizeof *this + field->neighbours.bytes();
  for (const auto& each : shards)
    if (each) sum += each->bytes();
  return sum;
}

} // namespace matchcloud::model
