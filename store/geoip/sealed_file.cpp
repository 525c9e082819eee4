#include "store/geoip/sealed_file.hpp"

#include "store/files/stable_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace matchcloud::store {

namespace {

/// Offsets in a MaxMind database have 32 bits.
constexpr std::uint64_t limit_bytes = std::uint64_t{4} << 30U;
constexpr std::size_t copy_step_bytes = std::size_t{1} << 20U;

} // namespace

base::expected<sealed_file> sealed_file::copy(const std::string& path,
                                              std::optional<std::uint64_t> corrupted_by) {
  const auto from = stable_file::open(path, limit_bytes, corrupted_by);
  if (!from) return tl::unexpected(from.error());
  sealed_file made;
  made.memory_ =
      base::file_descriptor{::memfd_create("matchcloud", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
  const auto fd = made.memory_.get();
  if (!made.memory_) return system_failure("memfd_create");
  const auto size = made.size_ = static_cast<std::size_t>(from->size_bytes());
  std::vector<std::uint8_t> part(std::min(copy_step_bytes, size));
  for (std::size_t done = 0; done < size; done += part.size()) {
    part.resize(std::min(copy_step_bytes, size - done));
    if (const auto read = from->read(done, part); !read) return tl::unexpected(read.error());
    // Writes to a memfd are complete unless there is no memory.
    if (::write(fd, part.data(), part.size()) != static_cast<ssize_t>(part.size()))
      return system_failure("write");
  }
  if (const auto same = from->check_unchanged(); !same) return tl::unexpected(same.error());
  constexpr int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (::fcntl(fd, F_ADD_SEALS, seals) != 0) return system_failure("fcntl");
  // Private: before Linux 6.7, what is sealed against writing cannot be mapped as shared.
  void* const begin = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (begin == MAP_FAILED) return system_failure("mmap");
  made.begin_ = {static_cast<const std::uint8_t*>(begin),
                 [begin, size](const std::uint8_t*) { ::munmap(begin, size); }};
  return made;
}

} // namespace matchcloud::store
