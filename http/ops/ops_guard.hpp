#pragma once

#include "base/error.hpp"
#include "http/ops/lobby_ingestion.hpp"

#include <httplib.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace matchcloud::http {

/// Paths of the ops plane, decoded: cpp-httplib runs regular expressions on them, whose stack grows
/// with the length.
inline constexpr std::size_t ops_path_limit_bytes = 256;

/// The longest body of any request of the ops plane: an ingest's. Other routes have lower limits.
inline constexpr std::size_t ops_body_limit_bytes = ingest_limit_bytes;

/// What keeps a request from being routed, or nothing: a path that is too long; a body whose end
/// cpp-httplib could not tell (it would wait for the end of the stream, or take a wrong one), that
/// is longer than any route takes or that it would unpack; an `Origin` other than the ops plane's
/// own on a request that may change something: the operator's browser must not administer for a
/// page that it shows.
std::optional<base::error> check_request(const httplib::Request& request);

/// The number in Content-Length; the largest where it is larger still, nothing where there is none.
std::optional<std::uint64_t> declared_length(const httplib::Request& request);

/// Makes the request safe for cpp-httplib to go on with: no `Range`, which it resolves wrongly, and
/// a length of 0 where a body is optional and there is no sign of one. For the pre-routing handler.
void settle_framing(const httplib::Request& request);

} // namespace matchcloud::http
