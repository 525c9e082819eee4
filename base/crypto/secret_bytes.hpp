#pragma once

#include <array>
#include <cstdint>

namespace matchcloud::base {

/// Random bytes that only the service knows: its signing key, or a secret that keys derive from.
using secret_bytes = std::array<std::uint8_t, 32>;

} // namespace matchcloud::base
