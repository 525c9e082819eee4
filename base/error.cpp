#include "base/error.hpp"

namespace matchcloud::base {

error_description describe(errc code) noexcept {
  switch (code) {
  case errc::request_malformed: return {400, "request_malformed", "Malformed HTTP request"};
  case errc::target_too_long: return {414, "target_too_long", "Request target too long"};
  case errc::head_too_large: return {431, "head_too_large", "Request head too large"};
  case errc::body_too_large: return {413, "body_too_large", "Request body too large"};
  case errc::version_unsupported: return {505, "version_unsupported", "HTTP version not supported"};
  case errc::transfer_coding_unsupported:
    return {501, "transfer_coding_unsupported", "Transfer coding not supported"};
  case errc::method_not_implemented: return {501, "method_not_implemented", "Unknown method"};
  case errc::expectation_failed: return {417, "expectation_failed", "Expectation failed"};
  case errc::head_timeout: return {408, "head_timeout", "Request head took too long"};
  case errc::body_timeout: return {408, "body_timeout", "Request body took too long"};
  case errc::target_malformed: return {400, "target_malformed", "Malformed request target"};
  case errc::route_not_found: return {404, "route_not_found", "No such operation"};
  case errc::method_not_allowed: return {405, "method_not_allowed", "Method not allowed"};
  case errc::host_not_allowed: return {403, "host_not_allowed", "Host not allowed"};
  case errc::origin_not_allowed: return {403, "origin_not_allowed", "Origin not allowed"};
  case errc::token_missing: return {401, "token_missing", "Token missing"};
  case errc::token_malformed: return {401, "token_malformed", "Malformed token"};
  case errc::token_unknown: return {401, "token_unknown", "Unknown token"};
  case errc::token_expired: return {401, "token_expired", "Token expired"};
  case errc::token_revoked: return {401, "token_revoked", "Token revoked"};
  case errc::not_permitted: return {403, "not_permitted", "Not permitted"};
  case errc::rate_limited: return {429, "rate_limited", "Too many requests"};
  case errc::token_not_found: return {404, "token_not_found", "No such token"};
  case errc::too_many_tokens: return {409, "too_many_tokens", "Too many tokens"};
  case errc::id_malformed: return {400, "id_malformed", "Malformed id"};
  case errc::media_type_unsupported:
    return {415, "media_type_unsupported", "Media type not supported"};
  case errc::content_coding_unsupported:
    return {415, "content_coding_unsupported", "Content coding not supported"};
  case errc::body_malformed: return {400, "body_malformed", "Malformed JSON body"};
  case errc::body_too_deep: return {400, "body_too_deep", "Body nested too deeply"};
  case errc::body_not_object: return {400, "body_not_object", "Body is not an object"};
  case errc::game_not_found: return {404, "game_not_found", "Game not found"};
  case errc::element_not_found: return {404, "element_not_found", "No such catalog element"};
  case errc::still_referred: return {409, "still_referred", "Still referred to"};
  case errc::list_too_large: return {500, "list_too_large", "List too large"};
  case errc::avatar_not_found: return {404, "avatar_not_found", "Avatar not found"};
  case errc::media_not_found: return {404, "media_not_found", "Media not found"};
  case errc::lobby_unknown: return {404, "lobby_unknown", "Unknown lobby"};
  case errc::query_invalid: return {400, "query_invalid", "Invalid query"};
  case errc::signature_invalid: return {403, "signature_invalid", "Invalid signature"};
  case errc::url_expired: return {403, "url_expired", "URL expired"};
  case errc::export_not_found: return {404, "export_not_found", "Export not found"};
  case errc::exports_busy: return {503, "exports_busy", "Too many exports"};
  case errc::exports_full: return {507, "exports_full", "No room for exports"};
  case errc::cancelled: return {503, "cancelled", "Cancelled"};
  case errc::precondition_failed: return {412, "precondition_failed", "Precondition failed"};
  case errc::range_not_satisfiable: return {416, "range_not_satisfiable", "Range not satisfiable"};
  case errc::overloaded: return {503, "overloaded", "Too many requests in flight"};
  case errc::budget_exhausted: return {503, "budget_exhausted", "Memory budget exhausted"};
  case errc::outcome_unknown: return {504, "outcome_unknown", "Outcome unknown"};
  case errc::unavailable: return {503, "unavailable", "Temporarily unavailable"};
  case errc::draining: return {503, "draining", "Shutting down"};
  case errc::deadline_exceeded: return {504, "deadline_exceeded", "Deadline exceeded"};
  case errc::internal: return {500, "internal", "Internal error"};
  case errc::config_invalid: return {500, "config_invalid", "Invalid configuration"};
  case errc::import_invalid: return {400, "import_invalid", "Invalid import"};
  case errc::image_invalid: return {400, "image_invalid", "Invalid image"};
  case errc::store_failed: return {503, "store_failed", "Store unavailable"};
  case errc::store_full: return {507, "store_full", "Disk full"};
  case errc::history_too_slow: return {504, "history_too_slow", "Lobby history too slow"};
  case errc::store_backlogged: return {503, "store_backlogged", "Store backlog too large"};
  case errc::store_newer: return {503, "store_newer", "Store is from a newer version"};
  case errc::geoip_invalid: return {500, "geoip_invalid", "Invalid GeoIP file"};
  case errc::io_failed: return {500, "io_failed", "System call failed"};
  case errc::address_unavailable: return {500, "address_unavailable", "Address unavailable"};
  }
  return {500, "internal", "Internal error"};
}

bool is_local_failure(errc code) noexcept {
  switch (code) {
  case errc::internal:
  case errc::outcome_unknown:
  case errc::store_failed:
  case errc::store_full:
  case errc::history_too_slow:
  case errc::store_newer:
  case errc::geoip_invalid:
  case errc::io_failed:
  case errc::address_unavailable: return true;
  default: return false;
  }
}

std::string to_string(const error& err) {
  std::string text{describe(err.code).code};
  if (!err.detail.empty()) text.append(": ").append(err.detail);
  return text;
}

} // namespace matchcloud::base
