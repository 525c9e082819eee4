#include "model/latency/voices.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace matchcloud::model {

namespace {

/// The voice with the highest rank leaves. Independent of the time at which it is asked.
double rank_of(const voice& of) noexcept {
  constexpr double speakers = 4'294'967'296;
  return std::log2(-std::log((of.speaker + 0.5) / speakers)) -
         of.minute / latency_half_life_minutes;
}

} // namespace

std::uint16_t voice::steps_of(double milliseconds) noexcept {
  return static_cast<std::uint16_t>(
      std::lround(std::clamp(milliseconds, 0.0, learned_limit_ms) * steps_per_ms));
}

std::span<const voice> voices_for(std::span<const voice> all, std::uint16_t region) noexcept {
  const auto found = std::ranges::equal_range(all, region, {}, &voice::region);
  return {found.begin(), found.end()};
}

void merge(voices& into, std::span<const voice> added) {
  const auto place_of = [](const voice& of) { return std::tuple{of.region, of.speaker}; };
  for (const auto& each : added) {
    const auto at = std::ranges::lower_bound(into, place_of(each), {}, place_of);
    if (at != into.end() && place_of(*at) == place_of(each)) {
      *at = std::ranges::max(*at, each, {}, [](const voice& of) {
        return std::tuple{of.minute, of.steps};
      });
      continue;
    }
    into.insert(at, each);
    const auto same = std::ranges::equal_range(into, each.region, {}, &voice::region);
    if (static_cast<std::size_t>(same.size()) > voice_limit)
      into.erase(std::ranges::max_element(same, {}, rank_of));
  }
}

} // namespace matchcloud::model
