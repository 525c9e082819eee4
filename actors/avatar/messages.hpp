#pragma once

#include "actors/avatar/rendered_lists.hpp"
#include "actors/request/messages.hpp"
#include "actors/request/ticket.hpp"
#include "base/error.hpp"
#include "model/text/uuid.hpp"

#include <memory>

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
  /// Empty if loading failed.
  rendered_list list = {};
  std::shared_ptr<const base::error> failure = {};
};

} // namespace matchcloud::actors
