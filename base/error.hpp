#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::base {

/// Everything that can go wrong and that somebody can act on. `describe` maps each value to its
/// HTTP status, stable code and title; the sentence above each value says when it is used.
enum class errc : std::uint8_t {
  /// The bytes of a request break the rules of HTTP/1.1 framing (RFC 9112) or could be read in two
  /// ways. The connection closes after the answer.
  request_malformed,
  /// The request target is longer than `target_limit_bytes`.
  target_too_long,
  /// The request head is longer than `head_limit_bytes` or has too many header lines.
  head_too_large,
  /// The request body is longer than `body_limit_bytes`.
  body_too_large,
  /// The request names an HTTP version other than 1.0 and 1.1.
  version_unsupported,
  /// The request has a transfer coding before `chunked` (RFC 9112 section 6.1). The connection
  /// closes after the answer.
  transfer_coding_unsupported,
  /// The request has a method that the service does not know, whatever the path (RFC 9110 section
  /// 9.1).
  method_not_implemented,
  /// The `Expect` header has a value other than `100-continue`.
  expectation_failed,
  /// The request head did not arrive within `head_timeout_ms`.
  head_timeout,
  /// The request body did not arrive within `body_timeout_ms`.
  body_timeout,
  /// A percent sign in the path is not followed by two hexadecimal digits, or encodes a control
  /// byte.
  target_malformed,
  /// No operation has this path.
  route_not_found,
  /// The path exists but does not support the method; `Allow` lists the methods that it supports.
  method_not_allowed,
  /// A request names a host that is not the service's own (DNS rebinding). Applies to the ops
  /// plane, and to requests for a game's data from the service's own machine without a token.
  host_not_allowed,
  /// A web page of another origin sent a request to the ops plane or for a game's data as above, or
  /// sent a body without its media type.
  origin_not_allowed,
  /// The operation needs a token, and the request has none.
  token_missing,
  /// The `Authorization` header has no well-formed token, or one whose checksum is wrong.
  token_malformed,
  /// No token has this text.
  token_unknown,
  /// The token has expired.
  token_expired,
  /// The token was revoked, or it was replaced and its grace time is over.
  token_revoked,
  /// The token does not permit this: it is of another kind, or for another game.
  not_permitted,
  /// The client's address or token exceeds its rate limit; the client should retry after the time
  /// in `Retry-After`.
  rate_limited,
  /// The store has no token with this id.
  token_not_found,
  /// The store has reached its limit on tokens.
  too_many_tokens,
  /// A path parameter is not an id of its kind.
  id_malformed,
  /// The request body is declared as something other than `application/json`.
  media_type_unsupported,
  /// The request body is compressed: it has a `Content-Encoding` other than `identity`.
  content_coding_unsupported,
  /// The request body is not one JSON value in UTF-8.
  body_malformed,
  /// The request body nests deeper than 64 levels.
  body_too_deep,
  /// The request body is JSON, but not an object.
  body_not_object,
  /// No game has this id.
  game_not_found,
  /// The catalog has no region, tier, game or namespace with this id.
  element_not_found,
  /// Other elements refer to the one to be removed; the detail names them and says what to do.
  still_referred,
  /// A game's avatar list is longer than `avatar_list_limit_bytes`.
  list_too_large,
  /// The game has no avatar with this upload id.
  avatar_not_found,
  /// No image has this upload id and file name.
  media_not_found,
  /// The game has no lobby with this id.
  lobby_unknown,
  /// A query, or a body other than a payload to validate, has an impossible value: the span of an
  /// export, measured latencies, a group of players, details of a listing.
  query_invalid,
  /// The signature of a URL does not match: this service did not sign it, or it was altered.
  signature_invalid,
  /// A signed URL is older than its lifetime.
  url_expired,
  /// The export does not exist, or no longer exists.
  export_not_found,
  /// The export queue is full; the client should retry after `Retry-After`.
  exports_busy,
  /// Export files have reached their limit in bytes; files whose issued links are valid stay.
  exports_full,
  /// Work was abandoned because its result is no longer needed: shutdown, or a signal.
  cancelled,
  /// `If-Match` names none of the entity tags that the representation has.
  precondition_failed,
  /// The `Range` header requests bytes beyond the end; `Content-Range` has the size.
  range_not_satisfiable,
  /// More requests are in flight than `in_flight_limit`; the client should retry after
  /// `Retry-After`.
  overloaded,
  /// Requests and responses hold more memory than `byte_budget_bytes`; the client should retry
  /// later.
  budget_exhausted,
  /// The actor that handles this request died while working on it. The operation may have taken
  /// effect, and repeating it may apply it twice.
  outcome_unknown,
  /// The actor that handles this request is being restarted; the client should retry after the time
  /// in `Retry-After`.
  unavailable,
  /// The server is shutting down.
  draining,
  /// The request was not answered within `request_timeout_ms`.
  deadline_exceeded,
  /// A defect in the service: something happened that should be impossible.
  internal,
  /// A configuration key or a command line argument is unknown or out of bounds.
  config_invalid,
  /// An import file is malformed, or a store cannot be the target of a copy.
  import_invalid,
  /// A file is not an acceptable image: not PNG or JPEG, damaged, or too large.
  image_invalid,
  /// The database cannot be opened, read or written.
  store_failed,
  /// The disk, or this user's quota, is full.
  store_full,
  /// A PostgreSQL statement that reads a lobby history exceeded `store-statement-timeout-ms` and
  /// was cancelled; the same request would probably end the same way. Waiting for a lock is
  /// reported as `store_failed`.
  history_too_slow,
  /// The store has written more than `store-backlog-limit-bytes` that is not tidied away yet, and
  /// cannot tidy it away at the moment. Ingestion is refused until it can; the client should retry
  /// later.
  store_backlogged,
  /// The database was written by a newer version of this program and is left untouched.
  store_newer,
  /// A GeoIP file is missing, truncated or not a MaxMind database.
  geoip_invalid,
  /// A system call failed; the detail has its name and the reason.
  io_failed,
  /// A listener's address is in use by another process or cannot be bound.
  address_unavailable,
};

/// How an error is presented to a client.
struct error_description {
  /// HTTP status code.
  int status;
  /// Stable snake_case code.
  std::string_view code;
  /// One short sentence without details.
  std::string_view title;
};

/// Maps an error to its status, code and title; the only such table. Complexity: constant. Any
/// thread.
error_description describe(errc code) noexcept;

/// Whether errors with this code come from the machine (disks, files, addresses). Their details
/// name local paths and are for the operator's log and terminal, not for clients.
bool is_local_failure(errc code) noexcept;

/// An error and its details: where it happened, what was found and what to do.
struct error {
  errc code = errc::internal;
  std::string detail;
  /// Whether the detail was written for clients. If `is_local_failure(code)`, clients see no other
  /// details.
  bool for_clients = false;
  /// Whether waiting may help: a server or bucket cannot be reached, or says that it is busy or
  /// starting. Otherwise somebody has to change something, such as a password.
  bool may_pass = false;

  friend bool operator==(const error&, const error&) = default;
};

/// `code: detail`, for terminals and logs.
std::string to_string(const error& err);

} // namespace matchcloud::base
