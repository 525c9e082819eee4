#include "http/transport/eviction_order.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace matchcloud::http {

std::optional<eviction_order::candidate> eviction_order::next() {
  if (order_.empty()) return std::nullopt;
  const auto last = order_.back();
  order_.pop_back();
  return last;
}

void eviction_order::fill(std::vector<candidate> all, std::size_t looked_at,
                          base::steady_time now) {
  const auto sooner = [](const candidate& a, const candidate& b) {
    return std::tie(a.since, a.slot) < std::tie(b.since, b.slot);
  };
  const auto count = std::min(all.size(), length_limit);
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(all.begin(), end, all.end(), sooner);
  order_.assign(std::make_reverse_iterator(end), all.rend());
  if ((count + 1) * looks_per_eviction <= looked_at) look_at_ = now + look_pause;
}

} // namespace matchcloud::http
