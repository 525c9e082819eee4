#pragma once

#include "model/records/line_error.hpp"
#include "model/text/uuid.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

namespace matchcloud::store {

/// What happened to the lobbies at the front of a batch.
struct lobby_merge {
  struct rejection {
    /// Index in the batch.
    std::size_t index = 0;
    /// `conflict`, `namespace_unknown` or `region_unknown`.
    model::line_finding finding;
  };

  /// How many records, from the front of the batch, were processed; the rest is for the next call.
  /// 0 only for an empty batch.
  std::size_t taken = 0;
  /// How many of the records taken were new or had times that add to what was known.
  std::size_t accepted = 0;
  /// How many of the records taken were known already.
  std::size_t unchanged = 0;
  /// How long the transaction blocked other writers; 0 if nothing was accepted, or if another part
  /// of the same transaction reports it.
  std::chrono::nanoseconds lasted{0};
  /// The rejected records, in ascending order of index.
  std::vector<rejection> rejected;
};

/// What the store knows about lobby attributes.
struct attributes_check {
  /// The game that the attributes' namespace belongs to.
  model::uuid game_id;
  /// `namespace_unknown` or `region_unknown`, if one applies.
  std::optional<model::line_finding> finding;
};

} // namespace matchcloud::store
