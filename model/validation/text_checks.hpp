#pragma once

#include "model/text/violation.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// The first rule of docs/validation.md ("Display names") that `name`, well-formed UTF-8, breaks:
/// `too-short`, `too-long` or `invalid`. `limit` counts code points. A variation selector is
/// accepted right after a visible character, because it is part of that character (emoji,
/// ideographs); all other invisible characters are refused. O(name).
std::optional<violation> check_display_name(std::string_view name, std::size_t limit);

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

/// The violation of docs/validation.md ("config.cdn") in the pattern of a route, well-formed UTF-8:
/// `invalid` if it is empty or has two `*` in a row other than in a segment `**`. Empty segments
/// are accepted. A message shows at most `echo_limit` characters of the segment. O(glob).
std::optional<violation> check_glob(std::string_view glob, std::size_t echo_limit);

/// `glob` with every run of `**` segments reduced to one, because they match the same paths.
/// O(glob).
std::string folded_glob(std::string_view glob);

/// The first violation of docs/validation.md ("Verification") in a URL that the service is to send
/// requests to: `too-short`, `too-long`, `invalid-scheme`, `invalid` or `not-public`. `url` must be
/// well-formed UTF-8. Nothing is looked up or contacted. A message shows at most `echo_limit`
/// characters of the wrong part, and never a user name, password or query. O(url).
std::optional<violation> check_public_url(std::string_view url, std::size_t limit_bytes,
                                          std::size_t echo_limit);

} // namespace matchcloud::model
