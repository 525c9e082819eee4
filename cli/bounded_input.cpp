#include "cli/bounded_input.hpp"

#include "base/file_descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace matchcloud::cli {

namespace {

constexpr std::size_t block_bytes = 64UL * 1024;

tl::unexpected<base::error> failure(const char* operation, int code) {
  return base::fail(base::errc::io_failed, std::string{"cannot be "} + operation + ": " +
                                               std::generic_category().message(code));
}

base::expected<std::string> read_bounded(int fd, std::size_t limit_bytes) {
  std::string text;
  while (text.size() <= limit_bytes) {
    const auto have = text.size();
    text.resize(std::min(have + block_bytes, limit_bytes + 1));
    const auto got = ::read(fd, text.data() + have, text.size() - have);
    if (got < 0 && errno != EINTR) return failure("read", errno);
    text.resize(have + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) break;
  }
  return text;
}

} // namespace

base::expected<std::string> read_bounded_file(const std::string& file, std::size_t limit_bytes) {
  const base::file_descriptor opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)};
  if (!opened) return failure("opened", errno);
  return read_bounded(opened.get(), limit_bytes);
}

base::expected<std::string> read_bounded_stdin(std::size_t limit_bytes) {
  return read_bounded(STDIN_FILENO, limit_bytes);
}

} // namespace matchcloud::cli
