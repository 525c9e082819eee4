#pragma once

#include "base/expected.hpp"

#include <httplib.h>

#include <chrono>
#include <cstddef>
#include <string>

namespace matchcloud::http {

/// For the whole body of a small request of the ops plane: it holds a thread meanwhile.
inline constexpr std::chrono::seconds bounded_body_timeout{5};

/// A body, or its first `limit_bytes` + 1 at most where it is longer: the rest is not waited for.
/// Fails with `body_timeout` beyond `bounded_body_timeout` and with `request_malformed` where it
/// ends early. Blocks.
base::expected<std::string> read_bounded_body(const httplib::ContentReader& body,
                                              std::size_t limit_bytes);

} // namespace matchcloud::http
