#include "store/files/memory_file.hpp"

#include "base/faults.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace matchcloud::store {

namespace {

/// The most that one system call copies, so that handling a signal is not delayed for long.
constexpr std::uint64_t copy_step_bytes = 16 << 20;

class open_file {
public:
  explicit open_file(const std::string& path) noexcept
      // Non-blocking: opening a named pipe must not wait for its writer.
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  ~open_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  int descriptor() const noexcept { return descriptor_; }

private:
  int descriptor_;
};

tl::unexpected<base::error> system_failure(const std::string& call) {
  return base::fail(base::errc::io_failed,
                    call + ": " + std::error_code{errno, std::system_category()}.message());
}

bool same_state(const struct stat& a, const struct stat& b) noexcept {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

/// Copies up to `size` bytes. Returns the number copied, or -1 with `errno` set.
std::int64_t copy_bytes(int from, int to, std::uint64_t size) noexcept {
  std::uint64_t copied = 0;
  while (copied < size) {
    const auto step = ::sendfile(to, from, nullptr, std::min(copy_step_bytes, size - copied));
    if (step < 0 && errno == EINTR) continue;
    if (step < 0) return -1;
    if (step == 0) break;
    copied += static_cast<std::uint64_t>(step);
  }
  return static_cast<std::int64_t>(copied);
}

/// Flips one bit among the first `size` bytes. Returns false, with `errno` set, on failure.
bool change_bit(int in, std::uint64_t size, std::uint64_t random) noexcept {
  const auto at = static_cast<off_t>(random / 8 % size);
  char byte = 0;
  if (::pread(in, &byte, 1, at) != 1) return false;
  base::faults::flip_bit({&byte, 1}, random % 8);
  return ::pwrite(in, &byte, 1, at) == 1;
}

} // namespace

base::expected<memory_file> memory_file::copy_of(const std::string& path, std::uint64_t limit_bytes,
                                                 std::optional<std::uint64_t> corrupted_by) {
  const open_file source{path};
  if (source.descriptor() < 0) return system_failure("open");
  struct stat before {};
  if (::fstat(source.descriptor(), &before) != 0) return system_failure("fstat");
  if (!S_ISREG(before.st_mode)) return base::fail(base::errc::io_failed, "not a regular file");
  if (before.st_size == 0) return base::fail(base::errc::io_failed, "the file is empty");
  const auto size = static_cast<std::uint64_t>(before.st_size);
  if (size > limit_bytes)
    return base::fail(base::errc::io_failed, "the file has " + std::to_string(size) +
                                                 " bytes, more than the limit of " +
                                                 std::to_string(limit_bytes));

  memory_file copy{::memfd_create("matchcloud", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
  if (copy.descriptor_ < 0) return system_failure("memfd_create");
  const auto copied = copy_bytes(source.descriptor(), copy.descriptor_, size);
  if (copied < 0) return system_failure("sendfile");
  struct stat after {};
  if (::fstat(source.descriptor(), &after) != 0) return system_failure("fstat");
  if (static_cast<std::uint64_t>(copied) != size || !same_state(before, after))
    return base::fail(base::errc::io_failed, "the file changed while it was read");
  if (corrupted_by && !change_bit(copy.descriptor_, size, *corrupted_by))
    return system_failure("pwrite");
  constexpr int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (::fcntl(copy.descriptor_, F_ADD_SEALS, seals) != 0) return system_failure("fcntl");
  return copy;
}

memory_file::memory_file(memory_file&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

memory_file& memory_file::operator=(memory_file&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

memory_file::~memory_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string memory_file::path() const {
  return "/proc/self/fd/" + std::to_string(descriptor_);
}

std::vector<std::uint8_t> memory_file::tail(std::size_t limit_bytes) const {
  struct stat state {};
  if (::fstat(descriptor_, &state) != 0) return {};
  const auto size = std::min(static_cast<std::size_t>(state.st_size), limit_bytes);
  std::vector<std::uint8_t> bytes(size);
  const auto begin = state.st_size - static_cast<off_t>(size);
  // Reads of a memfd are complete: there is no device to wait for.
  if (::pread(descriptor_, bytes.data(), size, begin) != static_cast<ssize_t>(size)) return {};
  return bytes;
}

} // namespace matchcloud::store
