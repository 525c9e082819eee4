#include "base/files/name_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace matchcloud::base {

namespace {

/// Whether an errno can mean that the file system, or the system call filter around this process,
/// does not support the operation. link(2) documents EPERM for that case.
bool is_unknown(int code) noexcept {
  return code == EPERM || code == EOPNOTSUPP || code == ENOSYS || code == EINVAL;
}

} // namespace

int name_file(const char* from, const char* to) noexcept {
  if (::link(from, to) == 0) return 0;
  if (!is_unknown(errno)) return errno;
  if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (!is_unknown(errno)) return errno;
  struct stat found {};
  if (::lstat(to, &found) == 0) return EEXIST;
  return ::rename(from, to) == 0 ? 0 : errno;
}

} // namespace matchcloud::base
