#pragma once

#include <array>
#include <cstdint>

namespace matchcloud::base {

/// Random bytes that only the service knows: the key of its signatures, or what keys are made of.
using secret_bytes = std::array<std::uint8_t, 32>;

} // namespace matchcloud::base
