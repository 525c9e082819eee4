#include "tests/faults/small_disk.hpp"

#include "base/file_descriptor.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/own_mounts.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace matchcloud::faults {

bool has_own_mounts() {
  static const bool has = fixtures::own_mounts();
  return has;
}

small_disk::small_disk() : mounted_{has_own_mounts() && fixtures::mount_in_memory(path(), "24m")} {
  if (!mounted_) WARN("this user may mount no file system: not tested");
}

small_disk::~small_disk() {
  if (mounted_) ::umount2(path().c_str(), MNT_DETACH);
}

void small_disk::fill(std::uintmax_t left_bytes) const {
  const auto filler = path() + "/filler";
  const base::file_descriptor file{::open(filler.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)};
  const std::string block(4'096, 'x');
  std::uintmax_t bytes = 0;
  while (::write(file.get(), block.data(), block.size()) > 0)
    bytes += block.size();
  REQUIRE(bytes >= left_bytes);
  REQUIRE(::ftruncate(file.get(), static_cast<off_t>(bytes - left_bytes)) == 0);
}

void small_disk::make_room() const {
  REQUIRE(std::filesystem::remove(path() + "/filler"));
}

void small_disk::make_read_only() const {
  const auto* at = path().c_str();
  REQUIRE(::mount(at, at, nullptr, MS_BIND, nullptr) == 0);
  REQUIRE(::mount(nullptr, at, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) == 0);
}

void small_disk::make_writable() const {
  REQUIRE(::umount2(path().c_str(), MNT_DETACH) == 0);
}

} // namespace matchcloud::faults
