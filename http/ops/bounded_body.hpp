#pragma once

#include "base/expected.hpp"

#include <httplib.h>

#include <chrono>
#include <cstddef>
#include <string>

namespace matchcloud::http {

/// Time limit for the whole body of a small ops plane request, which occupies a thread meanwhile.
inline constexpr std::chrono::seconds bounded_body_timeout{5};

/// Reads a body, or at most its first `limit_bytes` + 1 bytes where it is longer: the rest is not
/// waited for. Fails with `body_timeout` after `bounded_body_timeout` and with `request_malformed`
/// where the body ends early. Blocks.
base::expected<std::string> read_bounded_body(const httplib::ContentReader& body,
                                              std::size_t limit_bytes);

} // namespace matchcloud::http
