#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <string_view>

namespace matchcloud::http {

/// What is wrong with a request, in the same words wherever that is found: by the framer, by a
/// front or by cpp-httplib.

/// A body of any data plane request is over `body-limit-bytes`.
base::error body_too_large(std::size_t limit_bytes);
base::error content_coding_unsupported();
base::error method_not_implemented(std::string_view token);

} // namespace matchcloud::http
