#pragma once

#include <cstdint>
#include <span>

namespace matchcloud::base {

/// Fills `bytes` with what nobody can foresee (getrandom(2)). Any thread.
void fill_random(std::span<std::uint8_t> bytes);

} // namespace matchcloud::base
