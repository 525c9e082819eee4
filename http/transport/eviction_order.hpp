#pragma once

#include "base/clock.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace matchcloud::http {

/// Connections of one loop in the order in which they are closed when a resource is short. The
/// order is made by one look at all connections and then used up, so it costs nothing until it is
/// needed. Connections that became candidates after the look come later than those in the order.
class eviction_order {
public:
  /// The most connections in one order.
  static constexpr std::size_t length_limit = 256;
  /// A look that finds fewer than one candidate per this many connections is not repeated for
  /// `look_pause`. This bounds the cost of looks for each new connection.
  static constexpr std::size_t looks_per_eviction = 512;
  static constexpr std::chrono::milliseconds look_pause{50};

  struct candidate {
    base::steady_time since;
    std::uint32_t slot = 0;
  };

  /// The next candidate, longest first; nothing if a new look is needed.
  std::optional<candidate> next();
  bool may_look(base::steady_time now) const noexcept { return now >= look_at_; }
  /// Fills the order with the candidates found among `looked_at` connections.
  void fill(std::vector<candidate> all, std::size_t looked_at, base::steady_time now);

private:
  /// In reverse order: the next candidate is last.
  std::vector<candidate> order_;
  base::steady_time look_at_;
};

} // namespace matchcloud::http
