#include "model/latency/learned_entry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace matchcloud::model {

namespace {

/// Smaller fading is postponed.
constexpr double least_fading = 0.99;

double fading_between(std::uint32_t older, std::uint32_t newer) noexcept {
  constexpr double half_life_minutes = latency_half_life_hours * 60;
  return std::exp2(-static_cast<double>(newer - older) / half_life_minutes);
}

void fade(learned_entry& entry, double factor, std::uint32_t minute) noexcept {
  entry.values.fade(factor);
  entry.contributed = static_cast<std::uint16_t>(std::lround(entry.contributed * factor));
  entry.minute = minute;
}

} // namespace

void merge(learned_entry& into, const learned_entry& added) {
  if (into.region_at != added.region_at) {
    into = added;
    return;
  }
  auto newer = added;
  if (newer.minute < into.minute)
    fade(newer, fading_between(newer.minute, into.minute), into.minute);
  else if (const double factor = fading_between(into.minute, newer.minute);
           factor < least_fading || into.values.empty())
    fade(into, factor, newer.minute);
  into.values.merge(newer.values);
  into.contributed = static_cast<std::uint16_t>(std::min<unsigned>(
      std::numeric_limits<std::uint16_t>::max(), unsigned{into.contributed} + newer.contributed));
  into.reporters = static_cast<std::uint16_t>(into.reporters | newer.reporters);
}

} // namespace matchcloud::model
