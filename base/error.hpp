#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::base {

/// Everything that can go wrong and that somebody can act on. `describe` maps each value to its
/// HTTP status, stable code and title; the sentence beside each says when it is used.
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
  /// The `Expect` header asks for anything but `100-continue`.
  expectation_failed,
  /// The request head did not arrive within `head_timeout_ms`.
  head_timeout,
  /// The request body did not arrive within `body_timeout_ms`.
  body_timeout,
  /// A percent sign in the path is not followed by two hexadecimal digits, or hides a control byte.
  target_malformed,
  /// No operation has this path.
  route_not_found,
  /// The path exists, the method does not; `Allow` lists those that do.
  method_not_allowed,
  /// The ops plane was asked for by a host name that is not its own (DNS rebinding).
  host_not_allowed,
  /// A web page asked the ops plane to change something: the `Origin` is not the ops plane's own.
  origin_not_allowed,
  /// A request that needs a body says neither its length nor that it comes in chunks.
  length_required,
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
  /// The catalog has no region, tier, game or namespace of this id.
  element_not_found,
  /// Others refer to what is to be removed; the detail names them and what to do.
  still_referred,
  /// A game's avatar list is longer than `avatar_list_limit_bytes`.
  list_too_large,
  /// No image has this upload id and file name.
  media_not_found,
  /// The body of an export does not say which span of time it is about, or the query of a listing
  /// not what was measured.
  query_invalid,
  /// A signed URL was not signed by this service, or not like this.
  signature_invalid,
  /// A signed URL is older than its lifetime.
  url_expired,
  /// An export is not there (any more).
  export_not_found,
  /// As many exports wait as may; come back after `Retry-After`.
  exports_busy,
  /// Files of exports take as many bytes as they may; what was promised is kept.
  exports_full,
  /// Work was given up because nobody wants it any more: the service shuts down, a signal came.
  cancelled,
  /// `If-Match` names none of the entity tags that the representation has.
  precondition_failed,
  /// The `Range` header asks for bytes behind the end; `Content-Range` has the size.
  range_not_satisfiable,
  /// More requests are in flight than `in_flight_limit`; come back after `Retry-After`.
  overloaded,
  /// Requests and responses hold more memory than `byte_budget_bytes`; come back later.
  budget_exhausted,
  /// The part that answers this died while it worked on it: it may have happened, and asking again
  /// may do it twice.
  outcome_unknown,
  /// The part that answers this is being restarted; come back after `Retry-After`.
  unavailable,
  /// The server is shutting down.
  draining,
  /// The request was not answered within `request_timeout_ms`.
  deadline_exceeded,
  /// A defect of the service: something that cannot happen did.
  internal,
  /// A configuration key or a command line argument is unknown or out of bounds.
  config_invalid,
  /// An import file breaks its format; nothing was written.
  import_invalid,
  /// A file is not an image that is taken: not PNG or JPEG, damaged, too large.
  image_invalid,
  /// The database cannot be opened, read or written.
  store_failed,
  /// The disk is full, or this user's share of it.
  store_full,
  /// The store has more to tidy away than `store-backlog-limit-bytes` and cannot now; come back
  /// later.
  store_backlogged,
  /// The database was written by a newer version of this program and is left untouched.
  store_newer,
  /// A GeoIP file is missing, truncated or not a MaxMind database.
  geoip_invalid,
  /// An operating system call failed; the detail has its name and reason.
  io_failed,
  /// A listener's address is taken by another process or cannot be bound.
  address_unavailable,
};

/// How an error looks to a client.
struct error_description {
  /// HTTP status code.
  int status;
  /// Stable snake_case code.
  std::string_view code;
  /// One short sentence without the particulars.
  std::string_view title;
};

/// The one table from error to status, code and title. Complexity: constant. Any thread.
error_description describe(errc code) noexcept;

/// Whether errors of this code come from the machine below (disks, files, addresses): their details
/// name its paths, and are for its operator's log and terminal.
bool tells_of_machine(errc code) noexcept;

/// An error and its particulars: where, what was found and what to do.
struct error {
  errc code = errc::internal;
  std::string detail;
  /// The detail was written for clients. They hear no other of a code that tells of the machine.
  bool for_clients = false;

  friend bool operator==(const error&, const error&) = default;
};

/// `code: detail`, for terminals and logs.
std::string to_string(const error& err);

} // namespace matchcloud::base
