#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>

namespace matchcloud::faults {

/// Under a sanitizer everything takes several times as long: fewer rounds do.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// The whole number in the environment variable `name`, by which script/soak asks for more rounds;
/// `otherwise` where there is none.
std::uint64_t setting(const char* name, std::uint64_t otherwise);

/// What a test leaves to chance: by MATCHCLOUD_SEED, or by a seed that is another one each time.
/// It is printed, so that what was found can be had again, as far as processes and their threads
/// do the same again. One thread at a time.
class chances {
public:
  /// Prints the seed with the name of the test.
  explicit chances(const char* test);
  /// Chances of its own for one of several threads.
  chances split() { return chances{engine_()}; }

  /// Both ends included.
  std::uint64_t between(std::uint64_t least, std::uint64_t most);
  std::chrono::milliseconds up_to(std::chrono::milliseconds most);
  bool one_in(std::uint64_t count) { return between(1, count) == 1; }

private:
  explicit chances(std::uint64_t seed) : engine_{seed} {}

  std::mt19937_64 engine_;
};

} // namespace matchcloud::faults
