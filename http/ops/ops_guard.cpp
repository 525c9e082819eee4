#include "http/ops/ops_guard.hpp"

#include "http/transport/refusals.hpp"
#include "http/wire/characters.hpp"
#include "http/wire/field_line.hpp"
#include "http/wire/request_errors.hpp"

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

namespace matchcloud::http {

namespace {

bool may_change(const httplib::Request& request) {
  return request.method != "GET" && request.method != "HEAD" && request.method != "OPTIONS";
}

/// Whether the request comes from a page of the ops plane itself, whose origin is the address that
/// the request was sent to. `null`, which pages without an origin send, does not count.
bool is_own_origin(const httplib::Request& request) {
  return request.get_header_value_count("Origin") == 1 &&
         equal_ignoring_case(request.get_header_value("Origin"),
                             "http://" + request.get_header_value("Host"));
}

/// Whether cpp-httplib reads a body for this method: to the end of the stream if it has no length.
bool reads_body(const httplib::Request& request) {
  return request.method == "POST" || request.method == "PUT" || request.method == "PATCH" ||
         request.method == "DELETE";
}

bool is_chunked(const httplib::Request& request) {
  return equal_ignoring_case(request.get_header_value("Transfer-Encoding"), "chunked");
}

bool has_length(const httplib::Request& request) {
  return request.has_header("Content-Length") || is_chunked(request);
}

/// Refuses lengths that are ambiguous, malformed or too large. cpp-httplib takes the number at the
/// front of the first Content-Length, or 0 if there is none: it would read only a part of the body,
/// and the handler would answer as if that were all.
std::optional<base::error> check_framing(const httplib::Request& request) {
  using base::errc;
  const auto lengths = request.get_header_value_count("Content-Length");
  const auto codings = request.get_header_value_count("Transfer-Encoding");
  if (lengths + codings > 1)
    return base::error{errc::request_malformed,
                       "Send one Content-Length, or one Transfer-Encoding: chunked, not both."};
  if (lengths == 0) return std::nullopt;
  const auto length = declared_length(request);
  if (!length)
    return base::error{errc::request_malformed,
                       "Content-Length is " +
                           in_quotes(request.get_header_value("Content-Length")) +
                           ", allowed are digits."};
  // Refused here, because cpp-httplib would read the whole body first.
  if (*length > ops_body_limit_bytes)
    return base::error{errc::body_too_large, "A body has at most " +
                                                 std::to_string(ops_body_limit_bytes) +
                                                 " bytes; send the rest in another request."};
  return std::nullopt;
}

/// Whether the request needs no body: a removal, or a PUT of a tier, which has nothing but its id.
bool may_be_empty(const httplib::Request& request) {
  if (request.has_header("Transfer-Encoding")) return false;
  return request.method == "DELETE" ||
         (request.method == "PUT" && request.path.starts_with("/v1/tiers/"));
}

} // namespace

std::optional<base::error> check_request(const httplib::Request& request) {
  using base::errc;
  if (request.path.size() > ops_path_limit_bytes)
    return base::error{errc::route_not_found, "No path of the ops plane is longer than " +
                                                  std::to_string(ops_path_limit_bytes) + " bytes."};
  // cpp-httplib has no handlers for the remaining methods (CONNECT, TRACE, PRI).
  if (may_change(request) && !reads_body(request))
    return base::error{errc::method_not_allowed, "No path of the ops plane takes this method."};
  if (may_change(request) && request.has_header("Origin") && !is_own_origin(request))
    return base::error{errc::origin_not_allowed,
                       "A page of " + in_quotes(request.get_header_value("Origin")) +
                           " may not change anything here. Ask without a browser."};
  if (!reads_body(request)) return std::nullopt;
  if (auto refused = check_framing(request)) return refused;
  if (!has_length(request) && !may_be_empty(request))
    return base::error{errc::length_required, "Send the body with a Content-Length or in chunks."};
  for (std::size_t i = 0; i < request.get_header_value_count("Content-Encoding"); ++i)
    if (!list_has_only(request.get_header_value("Content-Encoding", i), "identity"))
      return content_coding_unsupported();
  return std::nullopt;
}

std::optional<std::uint64_t> declared_length(const httplib::Request& request) {
  const auto text = request.get_header_value("Content-Length");
  std::uint64_t length = 0;
  const auto* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, length);
  if (parsed.ptr != end || parsed.ec == std::errc::invalid_argument) return std::nullopt;
  return parsed.ec == std::errc{} ? length : std::numeric_limits<std::uint64_t>::max();
}

void settle_framing(const httplib::Request& received) {
  // Casting const away is safe: the request is a non-const local variable of cpp-httplib.
  auto& request = const_cast<httplib::Request&>(received);
  request.ranges.clear();
  if (reads_body(request) && !has_length(request)) request.set_header("Content-Length", "0");
}

} // namespace matchcloud::http
