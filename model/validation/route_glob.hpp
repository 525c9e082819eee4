#pragma once

#include "model/text/violation.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// The violation of docs/validation.md ("config.cdn") in the pattern of a route, well-formed UTF-8:
/// `invalid` if it is empty or has two `*` in a row other than in a segment `**`. Empty segments
/// are accepted. A message shows at most `echo_limit` characters of the segment. O(glob).
std::optional<violation> check_glob(std::string_view glob, std::size_t echo_limit);

/// `glob` with every run of `**` segments reduced to one, because they match the same paths.
/// O(glob).
std::string folded_glob(std::string_view glob);

} // namespace matchcloud::model
