#pragma once

#include "tests/fixtures/temporary_directory.hpp"

#include <cstdint>
#include <string>

namespace matchcloud::faults {

/// Gives this process a private mount namespace from now on. False if the system does not permit
/// it.
bool has_own_mounts();

/// A 24 MiB file system in memory that can be filled and made read-only. Only this process and its
/// children see it. The destructor unmounts it; all files on it must be closed by then.
class small_disk {
public:
  small_disk();
  small_disk(const small_disk&) = delete;
  small_disk& operator=(const small_disk&) = delete;
  ~small_disk();

  /// False if this user may not mount; a message says so, and the test has to end.
  bool mounted() const noexcept { return mounted_; }
  const std::string& path() const noexcept { return place_.path(); }

  /// Fills the disk with a file, except for `left_bytes`.
  void fill(std::uintmax_t left_bytes = 0) const;
  void make_room() const;

  /// Makes the disk read-only for files opened from now on. Open files stay writable: the kernel
  /// does not let anyone revoke that on a file system in use.
  void make_read_only() const;
  void make_writable() const;

private:
  fixtures::temporary_directory place_;
  bool mounted_ = false;
};

} // namespace matchcloud::faults
