#include "base/files/read_bounded.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace matchcloud::base {

namespace {

constexpr std::size_t block_bytes = 64UL * 1024;

} // namespace

std::optional<std::string> read_bounded(int file, std::size_t limit_bytes) {
  std::string text;
  while (text.size() <= limit_bytes) {
    const auto have = text.size();
    text.resize(std::min(have + block_bytes, limit_bytes + 1));
    const auto got = ::read(file, text.data() + have, text.size() - have);
    if (got < 0 && errno != EINTR) return std::nullopt;
    text.resize(have + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) break;
  }
  return text;
}

} // namespace matchcloud::base
