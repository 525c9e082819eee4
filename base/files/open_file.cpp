#include "base/files/open_file.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace matchcloud::base {

std::ptrdiff_t open_file::read(std::span<char> into, std::uint64_t offset) const noexcept {
  ssize_t got = 0;
  do {
    got = ::pread(file_.get(), into.data(), into.size(), static_cast<off_t>(offset));
  } while (got < 0 && errno == EINTR);
  return got;
}

bool open_file::is_resident(std::uint64_t offset) const noexcept {
  char byte = 0;
  iovec into{&byte, 1};
  return ::preadv2(file_.get(), &into, 1, static_cast<off_t>(offset), RWF_NOWAIT) >= 0 ||
         errno != EAGAIN;
}

bool open_file::is_resident(std::uint64_t offset, std::uint64_t length_bytes) const noexcept {
  return is_resident(offset) && (length_bytes <= 1 || is_resident(offset + length_bytes - 1));
}

void open_file::read_ahead(std::uint64_t offset, std::uint64_t length_bytes) const noexcept {
  std::array<char, 32 * 1024> dropped;
  while (length_bytes > 0) {
    const auto most = std::min<std::uint64_t>(dropped.size(), length_bytes);
    const auto got = read({dropped.data(), most}, offset);
    if (got <= 0) return;
    offset += static_cast<std::uint64_t>(got);
    length_bytes -= static_cast<std::uint64_t>(got);
  }
}

} // namespace matchcloud::base
