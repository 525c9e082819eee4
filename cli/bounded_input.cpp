#include "cli/bounded_input.hpp"

#include "base/files/file_descriptor.hpp"
#include "base/files/read_bounded.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace matchcloud::cli {

namespace {

tl::unexpected<base::error> failure(const char* operation, int code) {
  return base::fail(base::errc::io_failed, std::string{"cannot be "} + operation + ": " +
                                               std::generic_category().message(code));
}

base::expected<std::string> read_from(int file, std::size_t limit_bytes) {
  auto text = base::read_bounded(file, limit_bytes);
  if (!text) return failure("read", errno);
  return *std::move(text);
}

base::expected<std::string> read_pipe(int pipe, std::size_t limit_bytes,
                                      std::chrono::milliseconds patience) {
  std::string text;
  while (text.size() <= limit_bytes) {
    pollfd until{pipe, POLLIN, 0};
    if (::poll(&until, 1, static_cast<int>(patience.count())) == 0)
      return base::fail(base::errc::io_failed,
                        "cannot be read: it is a pipe to which nobody writes");
    std::array<char, 4'096> piece{};
    const auto got =
        ::read(pipe, piece.data(), std::min(piece.size(), limit_bytes + 1 - text.size()));
    if (got == 0) break;
    if (got > 0)
      text.append(piece.data(), static_cast<std::size_t>(got));
    else if (errno != EINTR && errno != EAGAIN)
      return failure("read", errno);
  }
  return text;
}

} // namespace

base::expected<std::string> read_bounded_file(const std::string& file, std::size_t limit_bytes,
                                              std::chrono::milliseconds patience) {
  // Opening a pipe would wait for ever if nobody writes to it.
  const base::file_descriptor opened{
      ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)};
  if (!opened) return failure("opened", errno);
  struct stat found {};
  if (::fstat(opened.get(), &found) == 0 && S_ISFIFO(found.st_mode))
    return read_pipe(opened.get(), limit_bytes, patience);
  static_cast<void>(::fcntl(opened.get(), F_SETFL, O_RDONLY)); // a terminal is waited for
  return read_from(opened.get(), limit_bytes);
}

base::expected<std::string> read_bounded_stdin(std::size_t limit_bytes) {
  return read_from(STDIN_FILENO, limit_bytes);
}

} // namespace matchcloud::cli
