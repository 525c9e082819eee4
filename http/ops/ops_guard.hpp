#pragma once

#include "base/error.hpp"
#include "http/ops/lobby_ingestion.hpp"

#include <httplib.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace matchcloud::http {

/// Limit for ops plane paths, decoded: cpp-httplib matches regular expressions against them, and
/// their stack use grows with the length.
inline constexpr std::size_t ops_path_limit_bytes = 256;

/// The longest body of any ops plane request, that of an ingest. Other routes have lower limits.
inline constexpr std::size_t ops_body_limit_bytes = ingest_limit_bytes;

/// The reason not to route a request, or nothing: the path is too long; cpp-httplib could not tell
/// the body's end (it would read to the end of the stream, or stop at a wrong place), the body is
/// longer than any route accepts, or cpp-httplib would decompress it; a request that may change
/// something has an `Origin` other than the ops plane's own, because pages that the operator's
/// browser shows must not administer the service.
std::optional<base::error> check_request(const httplib::Request& request);

/// The number in Content-Length; the largest `uint64_t` where it overflows, nothing where there is
/// no valid number.
std::optional<std::uint64_t> declared_length(const httplib::Request& request);

/// Prepares a request for cpp-httplib: removes `Range`, which it resolves wrongly, and sets a
/// length of 0 where a body is possible and none is announced. For the pre-routing handler.
void settle_framing(const httplib::Request& request);

} // namespace matchcloud::http
