#include "model/latency/voices.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace matchcloud::model {

namespace {

/// The voice with the highest rank leaves. Independent of the time at which it is asked.
double rank_of(const voice& of) noexcept {
  constexpr double speakers = 4'294'967'296;
  return std::log2(-std::log((of.speaker + 0.5) / speakers)) -
         of.minute / latency_half_life_minutes;
}

/// The begin and the end of a region's voices. No subrange of std::ranges, because clang 14 cannot
/// compile that of libstdc++ 12.
auto range_of(auto& all, std::uint16_t region) noexcept {
  return std::pair{std::ranges::lower_bound(all, region, {}, &voice::region),
                   std::ranges::upper_bound(all, region, {}, &voice::region)};
}

} // namespace

std::uint16_t voice::steps_of(double milliseconds) noexcept {
  return static_cast<std::uint16_t>(
      std::lround(std::clamp(milliseconds, 0.0, learned_limit_ms) * steps_per_ms));
}

std::span<const voice> voices_for(std::span<const voice> all, std::uint16_t region) noexcept {
  const auto [begin, end] = range_of(all, region);
  return {begin, end};
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
    const auto [begin, end] = range_of(into, each.region);
    if (static_cast<std::size_t>(end - begin) > voice_limit)
      into.erase(std::ranges::max_element(begin, end, {}, rank_of));
  }
}

std::uint32_t learned_entry::minute() const noexcept {
  return voices.empty() ? 0 : std::ranges::max(voices, {}, &voice::minute).minute;
}

void merge(learned_entry& into, const learned_entry& added) {
  if (into.region_at != added.region_at)
    into = added;
  else
    merge(into.voices, added.voices);
}

} // namespace matchcloud::model
