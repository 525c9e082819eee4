#pragma once

#include "model/audit/audit.hpp"
#include "model/catalog/catalog_element.hpp"
#include "model/text/uuid.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

namespace matchcloud::actors {

/// Fails with the errors of `model::parse_element`, `model::find_element` and
/// `store::catalog_store`.
struct element_request {
  enum class verb : std::uint8_t { list, get, put, remove };

  verb what = verb::list;
  model::element_kind kind = model::element_kind::region;
  /// Except for a list.
  std::string id = {};
  /// For `put`.
  std::shared_ptr<const std::string> body = {};
};

/// Fails with the errors of `model::parse_new_token` and `store::token_store`.
struct token_request {
  enum class verb : std::uint8_t { list, create, get, revoke, rotate };

  verb what = verb::list;
  /// Except for `list` and `create`.
  model::uuid token_id = {};
  /// For `create` and `rotate`.
  std::shared_ptr<const std::string> body = {};
};

/// Fails with the errors of `store::erasure_store` and `store::retention_store`.
struct kept_data_request {
  enum class verb : std::uint8_t { erase_game, list_erasures, remove_avatar, list_retention };

  verb what = verb::list_erasures;
  /// For `erase_game` and `remove_avatar`.
  model::uuid game_id = {};
  /// For `remove_avatar`.
  model::uuid upload_id = {};
};

/// Changes the levels of the log. Fails with `query_invalid`.
struct log_levels_request {
  std::shared_ptr<const std::string> body;
};

using administrative_request = std::variant<element_request, token_request, kept_data_request,
                                            log_levels_request, model::audit_query>;

} // namespace matchcloud::actors
