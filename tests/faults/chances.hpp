#pragma once

#include "tests/fixtures/built_from.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>

namespace matchcloud::faults {

/// Sanitizers slow everything down several times: tests run fewer rounds under them.
inline const bool sanitized = fixtures::programs_are_sanitized();
/// The number of kills in CI; script/soak sets a higher one.
inline const std::uint64_t kills = sanitized ? 8 : 20;
/// The minimum time for which a fault is injected.
inline const std::chrono::milliseconds in_force{sanitized ? 400 : 150};

/// The integer in the environment variable `name`, with which script/soak requests more rounds;
/// `otherwise` if the variable is not set.
std::uint64_t setting(const char* name, std::uint64_t otherwise);

/// The random choices of a test, seeded by MATCHCLOUD_SEED or else by a new seed in each run. The
/// seed is printed so that a failure can be reproduced, as far as processes and threads repeat
/// their timing. One thread at a time.
class chances {
public:
  /// Prints the seed and the name of the test.
  explicit chances(const char* test);
  /// An independent generator for another thread, seeded from this one.
  chances split() { return chances{engine_()}; }

  /// A uniform integer in [least, most].
  std::uint64_t between(std::uint64_t least, std::uint64_t most);
  std::chrono::milliseconds up_to(std::chrono::milliseconds most);
  bool one_in(std::uint64_t count) { return between(1, count) == 1; }

private:
  explicit chances(std::uint64_t seed) : engine_{seed} {}

  std::mt19937_64 engine_;
};

} // namespace matchcloud::faults
