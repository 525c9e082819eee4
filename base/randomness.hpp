#pragma once

#include <cstdint>
#include <span>

namespace matchcloud::base {

/// Fills `bytes` with unpredictable bytes from getrandom(2). Any thread.
void fill_random(std::span<std::uint8_t> bytes);

/// An unpredictable seed, for sequences that only need to differ from each other. Any thread.
std::uint64_t random_seed();

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): every input bit affects every output bit.
constexpr std::uint64_t mixed(std::uint64_t value) noexcept {
  value = (value ^ value >> 30U) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ value >> 27U) * 0x94D049BB133111EBULL;
  return value ^ value >> 31U;
}

} // namespace matchcloud::base
