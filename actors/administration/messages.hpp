#pragma once

#include "actors/request/messages.hpp"
#include "actors/request/ticket.hpp"
#include "base/error.hpp"
#include "model/audit/audit.hpp"
#include "model/catalog/catalog_element.hpp"
#include "model/text/uuid.hpp"

#include <caf/actor.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace matchcloud::actors {

/// front -> administration. Answered with `json_made`, or `operation_failed` with the errors of
/// `model::parse_element`, `model::find_element` and `store::catalog_store`.
struct administer {
  enum class verb : std::uint8_t { list, get, put, remove };

  exchange_ref exchange;
  verb what = verb::list;
  model::element_kind kind = model::element_kind::region;
  /// Except for a list.
  std::string id;
  /// For `put`.
  std::shared_ptr<const std::string> body;
  /// For changes.
  model::audit_author by = {};
  ticket_ptr ticket = {};
};

/// front -> administration. Answered with `json_made`, or `operation_failed` with the errors of
/// `model::parse_new_token` and `store::access_store`.
struct administer_tokens {
  enum class verb : std::uint8_t { list, create, get, revoke, rotate };

  exchange_ref exchange;
  verb what = verb::list;
  /// Except for `list` and `create`.
  model::uuid token_id = {};
  /// For `create` and `rotate`.
  std::shared_ptr<const std::string> body = {};
  /// For changes.
  model::audit_author by = {};
  ticket_ptr ticket = {};
};

/// front -> administration. Answered with `json_made`, or `operation_failed` with the errors of
/// `store::erasure_store` and `store::retention_store`.
struct administer_data {
  enum class verb : std::uint8_t { erase_game, list_erasures, remove_avatar, list_retention };

  exchange_ref exchange;
  verb what = verb::list_erasures;
  /// For `erase_game` and `remove_avatar`.
  model::uuid game_id = {};
  /// For `remove_avatar`.
  model::uuid upload_id = {};
  /// For changes.
  model::audit_author by = {};
  ticket_ptr ticket = {};
};

/// front -> administration. Answered with `json_made`, or `operation_failed` with `query_invalid`.
struct change_log_levels {
  exchange_ref exchange;
  std::shared_ptr<const std::string> body;
  model::audit_author by = {};
  ticket_ptr ticket = {};
};

/// front -> administration. Answered with `json_made`, or `operation_failed` with the store's
/// error.
struct read_audit {
  exchange_ref exchange;
  model::audit_query query;
  ticket_ptr ticket = {};
};

/// blocking pool -> administration: the outcome of a request.
struct administered {
  exchange_ref exchange;
  caf::actor front;
  int status = 200;
  std::shared_ptr<const std::string> json;
  /// Set if the request failed.
  std::shared_ptr<const base::error> failure;
  ticket_ptr ticket = {};
};

} // namespace matchcloud::actors
