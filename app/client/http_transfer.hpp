#pragma once

#include "app/certificates/certificate_authorities.hpp"
#include "cli/interrupt.hpp"
#include "model/net/http_url.hpp"

#include <httplib.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::app {

/// An HTTP request that a command sends to a server.
struct http_call {
  std::string method;
  model::http_url to;
  httplib::Headers headers;
  std::string body;
  /// How long the server may be silent.
  std::chrono::seconds silence_limit{0};
  /// The authorities to trust for the server of an https URL.
  certificate_authorities trusted{};
  /// Whether any server is accepted, whatever its certificate.
  bool trusts_any_server = false;
  /// How long the whole transfer may take, not counting the lookup of a host name; 0: no bound.
  std::chrono::seconds total_limit{0};
};

/// How a transfer ended.
enum class transfer_end : std::uint8_t {
  /// The whole answer arrived: as many bytes as announced, or the last chunk.
  complete,
  /// `take` returned false.
  refused,
  /// There was no connection; `reason` says why.
  no_connection,
  /// The server's certificate was not accepted; nothing was sent.
  not_trusted,
  /// The connection broke, or was silent or took too long, before the answer was complete.
  cut,
  /// A signal arrived.
  interrupted,
};

struct transfer_result {
  transfer_end end = transfer_end::complete;
  /// The reason for people; empty if the transfer is complete.
  std::string reason;
};

/// Receives an answer as it arrives: its head first (status and headers), then its body.
struct response_handler {
  std::function<void(const httplib::Response& head)> begin;
  /// Returns false to end the transfer.
  std::function<bool(std::string_view bytes)> take;
};

/// How long connecting (and the TLS handshake) may take.
inline constexpr std::chrono::seconds connect_limit{10};

/// Sends a request over its own connection and passes on the answer exactly as the server sent it:
/// nothing is decoded, redirected or retried. Blocks until the transfer ends or a signal arrives.
transfer_result transfer(const http_call& call, const cli::interrupt& until,
                         const response_handler& taker);

struct collected_answer {
  transfer_result result;
  httplib::Response head;
  std::string body;
};

/// The same, with the answer in memory. Ends as `refused` once the body has more than
/// `limit_bytes`.
collected_answer collect(const http_call& call, const cli::interrupt& until,
                         std::size_t limit_bytes);

/// Limit for the nesting of the JSON of an answer.
inline constexpr std::size_t answer_depth_limit = 8;

/// The content of an unsuccessful answer.
struct http_problem {
  int status = 0;
  /// The code of a problem (RFC 9457) as this service writes it; empty if the body is not a
  /// problem.
  std::string code;
  /// Text for people, safe for terminals: the problem's detail, code and request id, or the status
  /// alone.
  std::string text;
};

http_problem read_problem(const httplib::Response& head, std::string_view body);

/// The seconds of a `Retry-After` header; empty if the header is absent or a date.
std::optional<std::chrono::seconds> retry_after(const httplib::Response& head);

/// The `Location` header as the server sent it. Some versions of cpp-httplib decode
/// percent-encoding in headers; this encodes again what matters in a signed URL: characters that no
/// URL contains, and `+`, which many read as a space.
std::string location_of(const httplib::Response& head);

/// Whether an `ETag` is strong (RFC 9110 section 8.8.3), as resuming a download requires.
bool is_strong_etag(std::string_view value) noexcept;

} // namespace matchcloud::app
