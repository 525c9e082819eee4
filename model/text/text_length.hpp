#pragma once

#include "model/text/violation.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::model {

enum class length_unit : std::uint8_t { bytes, characters };

/// `1 byte`, `2 bytes`.
std::string counted(std::uint64_t count, length_unit unit);

/// `1 byte`, `1 to 2 bytes`: the lengths allowed for a text that must not be empty.
std::string counted_up_to(std::uint64_t most, length_unit unit);

/// A violation `too-long` if `text`, well-formed UTF-8, is longer than `most`. Characters are code
/// points. O(text).
std::optional<violation> check_longest(std::string_view text, std::uint64_t most, length_unit unit);

} // namespace matchcloud::model
