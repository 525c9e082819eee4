#pragma once

#include "actors/request/messages.hpp"
#include "actors/request/request_trace.hpp"
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

/// blocking pool -> avatar: the load with that number (`avatar_lists::load`) has ended.
struct avatars_loaded {
  std::uint64_t load = 0;
  /// The rendered list; null if loading failed.
  std::shared_ptr<const std::string> json = {};
  std::shared_ptr<const base::error> failure = {};
  /// When the store was read.
  work_time read = {};
};

} // namespace matchcloud::actors
