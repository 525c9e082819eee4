// Stands in for the C library's calls on files (LD_PRELOAD) and fails as file systems do that lack
// them. UNWILLING_FILES names what is lacking: `link`, `noreplace`, `fsync_folder`, `sendfile`.
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace {

bool lacks(const char* what) noexcept {
  const char* all = std::getenv("UNWILLING_FILES"); // NOLINT(concurrency-mt-unsafe): no setenv
  return all != nullptr && std::strstr(all, what) != nullptr;
}

int fail(int code) noexcept {
  errno = code;
  return -1;
}

} // namespace

extern "C" {

int link(const char* from, const char* to) noexcept {
  if (lacks("link")) return fail(EPERM);
  return static_cast<int>(::syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  if (lacks("noreplace") && flags != 0) return fail(EINVAL);
  return static_cast<int>(::syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

int fsync(int file) {
  struct stat found {};
  if (lacks("fsync_folder") && ::fstat(file, &found) == 0 && S_ISDIR(found.st_mode))
    return fail(EINVAL);
  return static_cast<int>(::syscall(SYS_fsync, file));
}

ssize_t sendfile(int to, int from, off_t* offset, size_t bytes) noexcept {
  if (lacks("sendfile")) return fail(EINVAL);
  return ::syscall(SYS_sendfile, to, from, offset, bytes);
}

ssize_t sendfile64(int to, int from, off64_t* offset, size_t bytes) noexcept {
  if (lacks("sendfile")) return fail(EINVAL);
  return ::syscall(SYS_sendfile, to, from, offset, bytes);
}

} // extern "C"
