#pragma once

#include "model/latency/entry_table.hpp"
#include "model/latency/neighbour_field.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace matchcloud::model {

/// What a cell knows about a region, as readers see it, in 12 bytes.
struct cell_row {
  static constexpr double log_steps = 4'096;
  static constexpr double weight_steps = 256;

  std::uint16_t region = 0;
  /// The middle of the reports (milliseconds; in an asn and a country the ratio to the prior), as
  /// steps of the logarithm from the logarithm of `running_median::lowest` on.
  std::uint16_t value = 0;
  /// The deviation of a single report's logarithm, in the same steps.
  std::uint16_t deviation = 0;
  /// The effective number of reports, in steps of 1 / 256.
  std::uint16_t weight = 0;
  /// Hours between the last report and the publication.
  std::uint16_t age_hours = 0;
  /// The least number of clients that reported.
  std::uint8_t reporters = 0;
  /// The logarithm of the milliseconds, or of the ratio.
  double log_value() const noexcept;
  double log_deviation() const noexcept { return deviation / log_steps; }
  double reports() const noexcept { return weight / weight_steps; }
};
static_assert(sizeof(cell_row) == 12);

inline constexpr double minutes_per_hour = 60;

/// What readers see of an entry at a given time, up to which its weights have faded.
cell_row row_of(const latency_entry& entry, std::uint32_t minute,
                double half_life_minutes) noexcept;

/// The cells of a shard. Immutable.
class latency_shard {
public:
  latency_shard() = default;
  /// `minute` is the current time. Entries that have faded to nothing are left out.
  latency_shard(std::span<const latency_entry> entries, std::uint32_t minute,
                double half_life_minutes);

  /// The rows of a cell, by region; empty if it is unknown. O(log n).
  std::span<const cell_row> find(latency_cell cell) const noexcept;

  std::uint32_t published_minute() const noexcept { return minute_; }
  std::size_t rows() const noexcept { return rows_.size(); }
  std::size_t bytes() const noexcept;

private:
  std::uint32_t minute_ = 0;
  /// In ascending order; the rows of the i-th begin at `begins_[i]` and end at `begins_[i + 1]`.
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> begins_;
  std::vector<cell_row> rows_;
};

/// The part of a snapshot that refitting changes.
struct latency_field {
  std::vector<latency_region> regions;
  distance_prior prior;
  neighbour_field neighbours;
};

/// All that predictions need. Immutable, so that any number of threads can read it without locks.
/// Shards that did not change are shared with the previous snapshot.
struct latency_snapshot {
  std::shared_ptr<const latency_field> field = std::make_shared<const latency_field>();
  std::array<std::shared_ptr<const latency_shard>, latency_shard_count> shards{};

  std::span<const cell_row> find(const std::optional<latency_cell>& cell) const noexcept;
  /// The region's number; nothing if the learner does not know it, or it has moved since.
  std::optional<std::uint16_t> number_of(const latency_region& region) const noexcept;
  std::size_t bytes() const noexcept;
};

} // namespace matchcloud::model
