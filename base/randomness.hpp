#pragma once

#include <cstdint>
#include <span>

namespace matchcloud::base {

/// Fills `bytes` with unpredictable bytes from getrandom(2). Any thread.
void fill_random(std::span<std::uint8_t> bytes);

/// An unpredictable seed, for sequences that only need to differ from each other. Any thread.
std::uint64_t random_seed();

} // namespace matchcloud::base
