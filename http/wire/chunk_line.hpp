#pragma once

#include "base/expected.hpp"

#include <cstdint>
#include <string_view>

namespace matchcloud::http {

/// Reads a chunk's size line (RFC 9112 section 7.1), given without its line end: 1 to 16
/// hexadecimal digits, optionally followed by `;` (blanks may precede it) and extensions, which are
/// skipped.
base::expected<std::uint64_t> parse_chunk_line(std::string_view line);

} // namespace matchcloud::http
