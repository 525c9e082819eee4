#include "store/files/stable_file.hpp"

#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <string>
#include <system_error>

namespace matchcloud::store {

namespace {

tl::unexpected<base::error> changed() {
  return base::fail(base::errc::io_failed, "the file changed while it was read");
}

std::int64_t whole_nanoseconds(const timespec& time) noexcept {
  constexpr std::int64_t per_second = 1'000'000'000;
  return std::int64_t{time.tv_sec} * per_second + time.tv_nsec;
}

} // namespace

tl::unexpected<base::error> system_failure(const std::string& call) {
  return base::fail(base::errc::io_failed,
                    call + ": " + std::error_code{errno, std::system_category()}.message());
}

base::expected<stable_file> stable_file::open(const std::string& path, std::uint64_t limit_bytes,
                                              std::optional<std::uint64_t> corrupted_by) {
  // Non-blocking: opening a named pipe must not wait for its writer.
  stable_file made{base::file_descriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)}};
  if (!made.file_) return system_failure("open");
  struct stat found {};
  if (::fstat(made.file_.get(), &found) != 0) return system_failure("fstat");
  if (!S_ISREG(found.st_mode)) return base::fail(base::errc::io_failed, "not a regular file");
  if (found.st_size == 0) return base::fail(base::errc::io_failed, "the file is empty");
  made.size_bytes_ = static_cast<std::uint64_t>(found.st_size);
  made.modified_ns_ = whole_nanoseconds(found.st_mtim);
  if (made.size_bytes_ > limit_bytes)
    return base::fail(base::errc::io_failed,
                      fmt::format("the file has {} bytes, more than the limit of {}",
                                  made.size_bytes_, limit_bytes));
  if (corrupted_by) made.wrong_bit_ = *corrupted_by % (8 * made.size_bytes_);
  return made;
}

base::expected<void> stable_file::read(std::uint64_t offset, std::span<std::uint8_t> into) const {
  for (std::size_t done = 0; done < into.size();) {
    const auto got = ::pread(file_.get(), into.data() + done, into.size() - done,
                             static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_failure("pread");
    if (got == 0) return changed(); // no read starts beyond the original end
    done += static_cast<std::size_t>(got);
  }
  if (!wrong_bit_ || *wrong_bit_ / 8 < offset || *wrong_bit_ / 8 - offset >= into.size()) return {};
  auto& wrong = into[static_cast<std::size_t>(*wrong_bit_ / 8 - offset)];
  wrong ^= static_cast<std::uint8_t>(1U << *wrong_bit_ % 8);
  return {};
}

base::expected<void> stable_file::check_unchanged() const {
  struct stat found {};
  if (::fstat(file_.get(), &found) != 0) return system_failure("fstat");
  if (static_cast<std::uint64_t>(found.st_size) != size_bytes_ ||
      whole_nanoseconds(found.st_mtim) != modified_ns_)
    return changed();
  return {};
}

file_state file_state::of(const std::string& path) noexcept {
  file_state found;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    found.failure = errno;
    return found;
  }
  found.device = status.st_dev;
  found.inode = status.st_ino;
  found.size_bytes = status.st_size;
  found.modified_ns = whole_nanoseconds(status.st_mtim);
  found.changed_ns = whole_nanoseconds(status.st_ctim);
  return found;
}

bool file_state::is_fresh() const noexcept {
  using namespace std::chrono;
  constexpr nanoseconds two_ticks = milliseconds{20};
  const auto age = system_clock::now() - system_clock::time_point{nanoseconds{changed_ns}};
  // A time in the future comes from another machine or from before the clock was set back; that is
  // no reason to wait.
  return abs(age) < two_ticks;
}

} // namespace matchcloud::store
