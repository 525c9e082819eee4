#include "tests/faults/chances.hpp"

#include <cstdlib>
#include <iostream>

namespace matchcloud::faults {

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* given = std::getenv(name);
  return given != nullptr && *given != '\0' ? std::stoull(given) : otherwise;
}

chances::chances(const char* test) {
  std::random_device source;
  const auto seed = setting("MATCHCLOUD_SEED", source());
  std::cout << "faults: " << test << ": MATCHCLOUD_SEED=" << seed << std::endl;
  engine_.seed(seed);
}

std::uint64_t chances::between(std::uint64_t least, std::uint64_t most) {
  return std::uniform_int_distribution<std::uint64_t>{least, most}(engine_);
}

std::chrono::milliseconds chances::up_to(std::chrono::milliseconds most) {
  return std::chrono::milliseconds{between(0, static_cast<std::uint64_t>(most.count()))};
}

} // namespace matchcloud::faults
