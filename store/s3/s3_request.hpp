#pragma once

#include "store/s3/s3_credentials.hpp"

#include <curl/curl.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::store {

/// Names and values, not encoded.
using s3_pairs = std::vector<std::pair<std::string, std::string>>;

// Signatures: AWS Signature Version 4, as the Amazon S3 API reference has it under "Authenticating
// Requests". Pure functions; any thread.

/// The signed parts of a request.
struct s3_signed_parts {
  std::string_view method;
  /// As it is sent: encoded by `s3_encoded_path`.
  std::string_view path;
  s3_pairs query;
  /// Names in lower case. Must include `host`. No blanks around values, nor two in a row.
  s3_pairs headers;
  /// SHA-256 of the body in lower-case hexadecimal digits.
  std::string_view body_sha256;
};

/// Where and when a signature is valid.
struct s3_signing_scope {
  std::string_view region;
  /// Milliseconds since 1970, from 0 to the year 9999; milliseconds are cut off.
  std::int64_t at_ts = 0;
};

/// Percent-encodes all bytes except the unreserved ones of RFC 3986 section 2.3.
std::string s3_encoded(std::string_view text);
/// The same, but keeps slashes.
std::string s3_encoded_path(std::string_view path);
/// A query, encoded and sorted as it is signed.
std::string s3_query(const s3_pairs& query);
/// A time as it is signed, such as `20130524T000000Z`.
std::string s3_time(std::int64_t at_ts);

/// The `Authorization` header of a request whose headers include `x-amz-date` and
/// `x-amz-content-sha256`.
std::string s3_authorization(const s3_signed_parts& parts, const s3_credentials& by,
                             const s3_signing_scope& scope);

/// The query, including `parts.query`, with which anybody can make the request until `lifetime` is
/// over. The body is not signed; `parts.body_sha256` is not used.
std::string s3_presigned_query(const s3_signed_parts& parts, const s3_credentials& by,
                               const s3_signing_scope& scope, std::chrono::seconds lifetime);

// Transfers.

/// Bounds of a response, except for the bytes of an object, which are passed on as they arrive.
inline constexpr std::size_t s3_headers_limit_bytes = 32UL * 1024;
inline constexpr std::size_t s3_header_count_limit = 100;
inline constexpr std::size_t s3_body_limit_bytes = 4UL * 1024 * 1024;

/// A response of an object storage.
struct s3_answer {
  /// The HTTP status; 0 if there was no response.
  int status = 0;
  /// Names in lower case.
  s3_pairs headers;
  /// Empty if it was passed to a taker.
  std::string body;

  /// A header's value; empty if there is none.
  std::string_view header(std::string_view name) const noexcept {
    for (const auto& [has, value] : headers)
      if (has == name) return value;
    return {};
  }
  bool is_success() const noexcept { return status >= 200 && status < 300; }
};

/// Receives a body in pieces of 1 byte to 64 KiB, if the status is 200 or 206; `head` has no body
/// yet. Returns whether it wants more. Must not throw.
using s3_body_taker = std::function<bool(const s3_answer& head, std::string_view piece)>;

/// A request as it is sent.
struct s3_http_request {
  std::string method;
  std::string url;
  /// Without `host` and `content-length`, which libcurl adds.
  s3_pairs headers;
  /// Not copied.
  std::string_view body;
  /// Null: the body of the response is kept, up to the limit.
  const s3_body_taker* taker = nullptr;
};

/// The bounds of a transfer, and the authorities it trusts.
struct s3_transfer_limits {
  std::chrono::milliseconds timeout{0};
  std::chrono::milliseconds connect_timeout{0};
  std::chrono::seconds silence_timeout{0};
  std::size_t least_rate = 0;
  /// Empty: the system's authorities.
  std::string ca_file;
  /// The limit on a response that is kept.
  std::size_t body_limit_bytes = s3_body_limit_bytes;
  /// Asked at least once a second: whether the transfer is to end. Empty: never.
  std::function<bool()> is_stopped;
};

enum class s3_transfer_end : std::uint8_t {
  /// There is a complete response.
  answered,
  /// Nothing was sent: no address, no connection, no handshake.
  not_connected,
  /// The certificate is not trusted or not for this host.
  not_trusted,
  /// The connection was lost or silent for too long, or the response is not HTTP.
  cut,
  /// The taker did not want more.
  refused,
  /// The response exceeds its bounds.
  too_long,
  /// `is_stopped` said so.
  stopped,
};

/// The result of sending a request.
struct s3_transfer {
  s3_transfer_end end = s3_transfer_end::cut;
  /// For people: why there is no complete response.
  std::string reason;
  s3_answer answer;
  /// Bytes of the bodies.
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
};

/// Sends requests over HTTP/1.1 with TLS 1.2 or later or in plain text, and keeps the connection
/// for the next. Follows no redirect, uses no proxy and no file of the user's, and decodes nothing.
/// One thread at a time.
class s3_connection {
public:
  s3_connection();

  /// Waits for the response.
  s3_transfer perform(const s3_http_request& request, const s3_transfer_limits& limits);

private:
  struct free_easy {
    void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
  };

  std::unique_ptr<CURL, free_easy> easy_;
};

} // namespace matchcloud::store
