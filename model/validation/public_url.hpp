#pragma once

#include "model/text/violation.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace matchcloud::model {

/// The first violation of docs/validation.md ("Verification") in a URL that the service is to send
/// requests to: `too-short`, `too-long`, `invalid-scheme`, `invalid` or `not-public`. `url` must be
/// well-formed UTF-8. Nothing is looked up or contacted. A message shows at most `echo_limit`
/// characters of the wrong part, and never a user name, password or query. O(url).
std::optional<violation> check_public_url(std::string_view url, std::size_t limit_bytes,
                                          std::size_t echo_limit);

} // namespace matchcloud::model
