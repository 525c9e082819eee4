#pragma once

#include <cstdint>
#include <span>

namespace matchcloud::base {

/// Fills `bytes` with what nobody can foresee (getrandom(2)). Any thread.
void fill_random(std::span<std::uint8_t> bytes);

/// Likewise, for what begins a sequence that only has to differ from others.
std::uint64_t random_seed();

} // namespace matchcloud::base
