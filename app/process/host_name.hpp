#pragma once

#include <unistd.h>

#include <array>
#include <string>

namespace matchcloud::app {

/// The name of this machine or container. Any thread.
inline std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

} // namespace matchcloud::app
