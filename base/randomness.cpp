#include "base/randomness.hpp"

#include <sys/random.h>

#include <array>
#include <bit>
#include <cerrno>
#include <system_error>

namespace matchcloud::base {

void fill_random(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const auto got = ::getrandom(bytes.data(), bytes.size(), 0);
    // getrandom(2) fails for other reasons only on kernels older than 3.17, which lack it.
    if (got < 0 && errno != EINTR)
      throw std::system_error{errno, std::generic_category(), "getrandom"};
    if (got > 0) bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

std::uint64_t random_seed() {
  std::array<std::uint8_t, sizeof(std::uint64_t)> bytes{};
  fill_random(bytes);
  return std::bit_cast<std::uint64_t>(bytes);
}

} // namespace matchcloud::base
