#include "store/files/immutable_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace matchcloud::store {

tl::unexpected<base::error> open_refusals::of(int code) const {
  switch (code) {
  case ENOENT:
  case ENOTDIR:
  case ELOOP: // a symbolic link
  case ENXIO: return not_found();
  case EMFILE:
  case ENFILE: return too_many_open();
  default:
    return base::fail(base::errc::io_failed,
                      std::string{operation} + ": " + std::generic_category().message(code));
  }
}

base::expected<std::shared_ptr<const base::open_file>>
open_immutable(int folder, const char* path, const open_refusals& refusals) {
  // Non-blocking: opening a named pipe must not wait for the other end.
  base::file_descriptor file{
      ::openat(folder, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  if (!file) return refusals.of(errno);
  struct stat found {};
  if (::fstat(file.get(), &found) != 0) return refusals.of(errno);
  if (!S_ISREG(found.st_mode)) return refusals.not_found();
  return std::make_shared<const base::open_file>(std::move(file),
                                                 static_cast<std::uint64_t>(found.st_size));
}

} // namespace matchcloud::store
