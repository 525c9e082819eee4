#include "app/doctor/file_system.hpp"

#include <linux/magic.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <array>

namespace matchcloud::app {

std::string shown_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  for (; bytes >= 1'024 && unit + 1 < units.size(); ++unit)
    bytes /= 1'024;
  return std::to_string(bytes) + " " + std::string{units[unit]};
}

namespace {

/// The types are from <linux/magic.h>, except CIFS, which has no name there
/// (fs/smb/client/cifsfs.h).
std::string_view network_name(std::uint32_t type) noexcept {
  switch (type) {
  case NFS_SUPER_MAGIC: return "NFS";
  case SMB_SUPER_MAGIC:
  case 0xfe534d42:
  case 0xff534d42: return "SMB";
  case V9FS_MAGIC: return "9P";
  case 0x00c36400: return "Ceph";
  default: return {};
  }
}

} // namespace

std::optional<file_system> file_system_of(const std::string& folder) {
  struct statvfs facts {};
  struct statfs kind {};
  if (::statvfs(folder.c_str(), &facts) != 0 || ::statfs(folder.c_str(), &kind) != 0)
    return std::nullopt;
  file_system found;
  found.size_bytes = std::uint64_t{facts.f_blocks} * facts.f_frsize;
  found.free_bytes = std::uint64_t{facts.f_bavail} * facts.f_frsize;
  found.files_limit = facts.f_files;
  found.free_files = facts.f_favail;
  found.is_read_only = (facts.f_flag & ST_RDONLY) != 0;
  const auto type = static_cast<std::uint32_t>(kind.f_type);
  found.is_in_memory = type == TMPFS_MAGIC || type == RAMFS_MAGIC;
  found.network = network_name(type);
  return found;
}

std::uint64_t little_space(const file_system& of) noexcept {
  constexpr std::uint64_t gibibyte = 1ULL << 30U;
  return std::clamp<std::uint64_t>(of.size_bytes / 20, gibibyte, 10 * gibibyte);
}

} // namespace matchcloud::app
