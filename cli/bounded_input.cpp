#include "cli/bounded_input.hpp"

#include "base/files/file_descriptor.hpp"
#include "base/files/read_bounded.hpp"

#include <fcntl.h>
#include <unistd.h>

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

} // namespace

base::expected<std::string> read_bounded_file(const std::string& file, std::size_t limit_bytes) {
  const base::file_descriptor opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)};
  if (!opened) return failure("opened", errno);
  return read_from(opened.get(), limit_bytes);
}

base::expected<std::string> read_bounded_stdin(std::size_t limit_bytes) {
  return read_from(STDIN_FILENO, limit_bytes);
}

} // namespace matchcloud::cli
