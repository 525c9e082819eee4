#pragma once

#include "model/text/violation.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace matchcloud::model {

// The headers that a payload configures (docs/validation.md, "Routes" and "Verification").

/// `too-short` or `too-long`, both in bytes, or `invalid` if `name` is not a token (RFC 9110
/// section 5.6.2). No message shows the name: a client that puts the whole header line there has
/// included a secret. O(name).
std::optional<violation> check_field_name(std::string_view name, std::size_t limit_bytes);

/// `too-long`, or `invalid` if `value` contains anything but visible ASCII, spaces, tabs and
/// obs-text (RFC 9110 section 5.5). No message shows the value, which may be a secret. O(value).
std::optional<violation> check_field_value(std::string_view value, std::size_t limit_bytes);

/// Whether the service sets this header itself: `Host`, `Content-Length`, `Transfer-Encoding` or
/// `Connection`, in any case.
bool is_reserved_field(std::string_view name) noexcept;

} // namespace matchcloud::model
