#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace matchcloud::store {

/// Something that a look at a store or a backup found.
struct finding {
  enum class kind : std::uint8_t {
    missing,
    damaged,
    /// There, and nothing refers to it. Does no harm.
    unreferenced,
  };

  kind is = kind::damaged;
  /// Such as `media/ab/..png`, or `lobbies.kind`.
  std::string what;
  /// In words: what was found, and what was expected.
  std::string detail;
};

using findings = std::vector<finding>;

} // namespace matchcloud::store
