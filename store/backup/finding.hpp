#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace matchcloud::store {

/// A finding of an examination of a store or a backup.
struct finding {
  enum class kind : std::uint8_t {
    missing,
    damaged,
    /// It exists, but nothing refers to it. Harmless.
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
