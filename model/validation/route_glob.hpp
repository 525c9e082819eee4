#pragma once

#include "model/text/violation.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// What docs/validation.md ("config.cdn") says against the pattern of a route, well-formed UTF-8:
/// `invalid` where it is empty or holds two `*` in a row elsewhere than in a segment `**`. Empty
/// segments are accepted. A message shows at most `echo_limit` characters of the segment. O(glob).
std::optional<violation> check_glob(std::string_view glob, std::size_t echo_limit);

/// `glob` with every run of `**` segments written as one, because they match the same. O(glob).
std::string folded_glob(std::string_view glob);

} // namespace matchcloud::model
