#pragma once

#include "model/records/line_error.hpp"
#include "model/text/uuid.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

namespace matchcloud::store {

/// What became of the lobbies at the front of a batch.
struct lobby_merge {
  struct rejection {
    /// In the batch.
    std::size_t index = 0;
    /// `conflict`, `namespace_unknown` or `region_unknown`.
    model::line_finding finding;
  };

  /// From the front of the batch; the rest is for the next call. None only where there were none.
  std::size_t taken = 0;
  /// Of these, new or with times that add to what was known.
  std::size_t accepted = 0;
  /// Known already.
  std::size_t unchanged = 0;
  /// How long the transaction was open: others could not write.
  std::chrono::nanoseconds lasted{0};
  /// Not taken, in ascending order of the index.
  std::vector<rejection> rejected;
};

/// What the store knows of lobby attributes.
struct attributes_check {
  /// The game of its namespace.
  model::uuid game_id;
  /// `namespace_unknown` or `region_unknown`, if so.
  std::optional<model::line_finding> finding;
};

} // namespace matchcloud::store
