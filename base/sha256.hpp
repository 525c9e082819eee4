#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace matchcloud::base {

/// SHA-256 (FIPS 180-4) of `bytes`, without an allocation. Any thread.
std::array<std::uint8_t, 32> sha256(std::string_view bytes) noexcept;

} // namespace matchcloud::base
