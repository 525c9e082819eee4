#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
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

} // namespace matchcloud::model
