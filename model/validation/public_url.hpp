#pragma once

#include "model/text/violation.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace matchcloud::model {

/// What docs/validation.md ("Verification") says against a URL that the service is to send
/// requests to, well-formed UTF-8: `too-short`, `too-long`, `invalid-scheme`, `invalid` or
/// `not-public`, the first that applies. Nothing is looked up or contacted. A message shows at most
/// `echo_limit` characters of the part that is wrong, and never a user name, password or query.
/// O(url).
std::optional<violation> check_public_url(std::string_view url, std::size_t limit_bytes,
                                          std::size_t echo_limit);

} // namespace matchcloud::model
