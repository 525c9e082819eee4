#pragma once

#include "model/catalog/catalog.hpp"
#include "model/latency/cell.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace matchcloud::model {

/// The time without reports after which a voice counts half.
inline constexpr double latency_half_life_minutes = 7 * 24 * 60;
/// The most voices of a cell for one region.
inline constexpr std::size_t voice_limit = 16;
/// The least number of clients with which a network is kept and shown. With fewer, it would reveal
/// single players.
inline constexpr std::size_t shown_reporters = 5;
/// The highest round trip that is learned from: twice around the earth in glass takes 400 ms.
inline constexpr double learned_limit_ms = 2'000;

/// What one speaker measured last: in a network a client, in a place a network.
struct voice {
  /// The learner's number of the region.
  std::uint16_t region = 0;
  /// Round trip, in steps.
  std::uint16_t steps = 0;
  /// A hash.
  std::uint32_t speaker = 0;
  /// Minutes since 1970.
  std::uint32_t minute = 0;

  static constexpr double steps_per_ms = 32;
  double milliseconds() const noexcept { return steps / steps_per_ms; }
  static std::uint16_t steps_of(double milliseconds) noexcept;

  friend auto operator<=>(const voice&, const voice&) = default;
};

/// In ascending order of region and speaker, each pair once.
using voices = std::vector<voice>;

/// Adds voices, of which the newer one replaces the older one of a speaker. Of more than
/// `voice_limit` speakers for a region, keeps a random sample, in which newer voices are likelier
/// (Efraimidis and Spirakis, 2006). The result does not depend on the order of calls.
void merge(voices& into, std::span<const voice> added);

/// The voices for a region.
std::span<const voice> voices_for(std::span<const voice> all, std::uint16_t region) noexcept;

/// The most regions that a learner can know at once.
inline constexpr std::size_t latency_region_limit = 256;

/// A round trip that a client measured.
struct region_latency {
  /// The learner's number of the region, see `latency_learner::number_of`.
  std::uint16_t region = 0;
  double milliseconds = 0;
};

/// Measurements by one client at one time, each region once.
struct latency_report {
  client_cells client;
  std::span<const region_latency> latencies;
  /// Milliseconds since 1970.
  std::int64_t time_ms = 0;
  /// A hash of the reporter; addresses never get here.
  std::uint64_t reporter = 0;
};

inline constexpr std::int64_t latency_minute_ms = 60'000;

/// The latency between a cell and a region, or an addition to it, as a store keeps it. Voices have
/// no region number, which only means something to one learner.
struct learned_entry {
  latency_cell cell;
  std::string region_id;
  /// Where the region was. A region that has moved is another region.
  coordinates region_at;
  model::voices voices;

  /// Minutes since 1970 of the last report.
  std::uint32_t minute() const noexcept;
  /// Whether the entry may be kept and shown.
  bool is_shown() const noexcept {
    return cell.kind() != cell_kind::network || voices.size() >= shown_reporters;
  }

  friend bool operator==(const learned_entry&, const learned_entry&) = default;
};

/// Adds `added` to `into`, which is of the same cell and region; adding it twice changes nothing.
/// If the region has moved, `added` replaces `into`.
void merge(learned_entry& into, const learned_entry& added);

} // namespace matchcloud::model
