#include "model/latency/learned_entry.hpp"

#include <algorithm>

namespace matchcloud::model {

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
