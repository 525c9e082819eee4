#pragma once

#include "base/expected.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::http {

// The errors of a request that several parts can find: the framer, a front and a transport. All of
// them take the errors from here, so that the wording is the same.

/// The body of a data plane request is over `body-limit-bytes`.
base::error body_too_large(std::uint64_t limit_bytes);
base::error content_coding_unsupported();
base::error method_not_implemented(std::string_view token);
/// What is wrong with a line of a request.
tl::unexpected<base::error> malformed(std::string detail);

} // namespace matchcloud::http
