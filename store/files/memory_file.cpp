#include "store/files/memory_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace matchcloud::store {

namespace {

tl::unexpected<base::error> system_failure(const std::string& call) {
  return base::fail(base::errc::io_failed,
                    call + ": " + std::error_code{errno, std::system_category()}.message());
}

} // namespace

base::expected<memory_file> memory_file::of_end(std::uint64_t size_bytes,
                                                std::span<const std::uint8_t> end) {
  memory_file made{
      base::file_descriptor{::memfd_create("matchcloud", MFD_CLOEXEC | MFD_ALLOW_SEALING)}};
  const int file = made.file_.get();
  if (file < 0) return system_failure("memfd_create");
  if (::ftruncate(file, static_cast<off_t>(size_bytes)) != 0) return system_failure("ftruncate");
  const auto begin = static_cast<off_t>(size_bytes - end.size());
  // Writes to a memfd are complete unless there is no memory.
  if (::pwrite(file, end.data(), end.size(), begin) != static_cast<ssize_t>(end.size()))
    return system_failure("pwrite");
  constexpr int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (::fcntl(file, F_ADD_SEALS, seals) != 0) return system_failure("fcntl");
  return made;
}

std::string memory_file::path() const {
  return "/proc/self/fd/" + std::to_string(file_.get());
}

} // namespace matchcloud::store
