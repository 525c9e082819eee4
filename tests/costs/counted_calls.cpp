#include "tests/costs/counted_calls.hpp"

#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>

namespace matchcloud::costs {
namespace {

// Thread-local and constant-initialised: malloc is called before any other initialisation.
constinit thread_local bool counted = false;
constinit thread_local bool shown = false;
constinit thread_local call_counts counts{};

void count(std::uint64_t call_counts::*which) noexcept {
  if (counted) ++(counts.*which);
}

void show_stack() noexcept {
  shown = false; // excludes what printing the stack itself allocates
  std::array<void*, 24> frames{};
  const int depth = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  constexpr int own_frames = 3;
  if (depth > own_frames)
    ::backtrace_symbols_fd(frames.data() + own_frames, depth - own_frames, STDERR_FILENO);
  static_cast<void>(!::syscall(SYS_write, STDERR_FILENO, "\n", 1));
  shown = true;
}

[[gnu::noinline]] void count_allocation() noexcept {
  if (!counted) return;
  ++counts.allocations;
  if (shown) show_stack();
}

} // namespace

void count_this_thread() noexcept {
  counted = true;
}

call_counts counts_of_this_thread() noexcept {
  return counts;
}

void show_allocations(bool on) noexcept {
  shown = on;
}

} // namespace matchcloud::costs

// The heap. glibc exports its own functions under further names, so that a program may replace
// these.

extern "C" {

using matchcloud::costs::call_counts;
using matchcloud::costs::count;
using matchcloud::costs::count_allocation;

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t bytes) noexcept {
  count_allocation();
  return __libc_malloc(bytes);
}

void* calloc(std::size_t count_of, std::size_t bytes) noexcept {
  count_allocation();
  return __libc_calloc(count_of, bytes);
}

void* realloc(void* old, std::size_t bytes) noexcept {
  count_allocation();
  return __libc_realloc(old, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  count_allocation();
  return __libc_memalign(alignment, bytes);
}

int posix_memalign(void** into, std::size_t alignment, std::size_t bytes) noexcept {
  count_allocation();
  *into = __libc_memalign(alignment, bytes);
  return *into == nullptr ? ENOMEM : 0;
}

// The kernel calls. syscall(2) sets errno as the libc functions do.

ssize_t recv(int fd, void* into, std::size_t bytes, int flags) {
  count(&call_counts::receives);
  return ::syscall(SYS_recvfrom, fd, into, bytes, flags, nullptr, nullptr);
}

ssize_t recvfrom(int fd, void* into, std::size_t bytes, int flags, sockaddr* from,
                 socklen_t* length) {
  count(&call_counts::receives);
  return ::syscall(SYS_recvfrom, fd, into, bytes, flags, from, length);
}

ssize_t recvmsg(int fd, msghdr* message, int flags) {
  count(&call_counts::receives);
  return ::syscall(SYS_recvmsg, fd, message, flags);
}

ssize_t send(int fd, const void* from, std::size_t bytes, int flags) {
  count(&call_counts::sends);
  return ::syscall(SYS_sendto, fd, from, bytes, flags, nullptr, 0);
}

ssize_t sendto(int fd, const void* from, std::size_t bytes, int flags, const sockaddr* to,
               socklen_t length) {
  count(&call_counts::sends);
  return ::syscall(SYS_sendto, fd, from, bytes, flags, to, length);
}

ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  count(&call_counts::sends);
  return ::syscall(SYS_sendmsg, fd, message, flags);
}

ssize_t sendfile(int to, int from, off_t* offset, std::size_t bytes) noexcept {
  count(&call_counts::sends);
  return ::syscall(SYS_sendfile, to, from, offset, bytes);
}

int epoll_wait(int fd, epoll_event* events, int most, int timeout_ms) {
  count(&call_counts::waits);
  return static_cast<int>(
      ::syscall(SYS_epoll_pwait, fd, events, most, timeout_ms, nullptr, _NSIG / 8));
}

int epoll_ctl(int epoll, int operation, int fd, epoll_event* event) noexcept {
  count(&call_counts::others);
  return static_cast<int>(::syscall(SYS_epoll_ctl, epoll, operation, fd, event));
}

ssize_t read(int fd, void* into, std::size_t bytes) {
  count(&call_counts::others);
  return ::syscall(SYS_read, fd, into, bytes);
}

ssize_t readv(int fd, const iovec* into, int pieces) {
  count(&call_counts::others);
  return ::syscall(SYS_readv, fd, into, pieces);
}

ssize_t write(int fd, const void* from, std::size_t bytes) {
  count(&call_counts::others);
  return ::syscall(SYS_write, fd, from, bytes);
}

ssize_t writev(int fd, const iovec* from, int pieces) {
  count(&call_counts::others);
  return ::syscall(SYS_writev, fd, from, pieces);
}

int accept4(int fd, sockaddr* from, socklen_t* length, int flags) {
  count(&call_counts::others);
  return static_cast<int>(::syscall(SYS_accept4, fd, from, length, flags));
}

int setsockopt(int fd, int level, int option, const void* value, socklen_t length) noexcept {
  count(&call_counts::others);
  return static_cast<int>(::syscall(SYS_setsockopt, fd, level, option, value, length));
}

int getsockopt(int fd, int level, int option, void* value, socklen_t* length) noexcept {
  count(&call_counts::others);
  return static_cast<int>(::syscall(SYS_getsockopt, fd, level, option, value, length));
}

int shutdown(int fd, int how) noexcept {
  count(&call_counts::others);
  return static_cast<int>(::syscall(SYS_shutdown, fd, how));
}

int poll(pollfd* watched, nfds_t count_of, int timeout_ms) {
  count(&call_counts::others);
  timespec limit{timeout_ms / 1'000, timeout_ms % 1'000 * 1'000'000L};
  return static_cast<int>(::syscall(SYS_ppoll, watched, count_of, timeout_ms < 0 ? nullptr : &limit,
                                    nullptr, _NSIG / 8));
}

} // extern "C"
