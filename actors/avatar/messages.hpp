#pragma once

#include "actors/request/messages.hpp"
#include "actors/request/ticket.hpp"
#include "base/error.hpp"
#include "model/text/uuid.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace matchcloud::actors {

/// front -> avatar. Answered with `json_made`, or `operation_failed` with `game_not_found`,
/// `overloaded`, `budget_exhausted`, `list_too_large` or `store_failed`.
struct list_avatars {
  exchange_ref exchange;
  model::uuid game_id;
  ticket_ptr ticket = {};
};

/// blocking pool -> avatar: a game's avatar list, rendered from the store.
struct avatars_loaded {
  model::uuid game_id;
  /// Null if loading failed.
  std::shared_ptr<const std::string> json;
  /// The revision of the game's avatars; the loaded list is at least this new.
  std::int64_t revision = 0;
  std::shared_ptr<const base::error> failure;
};

} // namespace matchcloud::actors
