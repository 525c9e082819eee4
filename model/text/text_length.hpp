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

/// `1 byte`, `1 to 2 bytes`: what a text that must not be empty may have.
std::string counted_up_to(std::uint64_t most, length_unit unit);

/// `too-long` where `text`, well-formed UTF-8, has more than `most`. Characters are code points.
/// O(text).
std::optional<violation> check_longest(std::string_view text, std::uint64_t most, length_unit unit);

} // namespace matchcloud::model
