#pragma once

#include "base/clock.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace matchcloud::http {

/// Connections of one loop in the order in which they go where something is short. It is made by a
/// look at all of them and then used up, so that nobody pays for it before; connections that it
/// does not name came to this later than those that it names.
class eviction_order {
public:
  /// How many it names at most.
  static constexpr std::size_t length_limit = 256;
  /// A look that finds none, or too few, among so many each is not repeated for `look_pause`, so
  /// that nobody who comes costs more than that.
  static constexpr std::size_t looks_per_eviction = 512;
  static constexpr std::chrono::milliseconds look_pause{50};

  struct candidate {
    base::steady_time since;
    std::uint32_t slot = 0;
  };

  /// The next, longest first; nothing where a look is due.
  std::optional<candidate> next();
  bool may_look(base::steady_time now) const noexcept { return now >= look_at_; }
  /// `all` were found among `looked_at`.
  void fill(std::vector<candidate> all, std::size_t looked_at, base::steady_time now);

private:
  /// The next at the end.
  std::vector<candidate> order_;
  base::steady_time look_at_;
};

} // namespace matchcloud::http
