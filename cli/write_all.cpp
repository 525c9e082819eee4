#include "cli/write_all.hpp"

#include "base/files/io_failure.hpp"

#include <unistd.h>

#include <cerrno>

namespace matchcloud::cli {

base::expected<void> write_all(int file, const std::string& name, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR)
      return base::io_failure(name, "write", errno, base::errc::io_failed);
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

} // namespace matchcloud::cli
