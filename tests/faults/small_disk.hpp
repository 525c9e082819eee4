#pragma once

#include "tests/fixtures/temporary_directory.hpp"

#include <cstdint>
#include <string>

namespace matchcloud::faults {

/// Whether this process may mount what others do not see, and does from now on.
bool has_own_mounts();

/// A disk that can be filled and made read-only, of 24 MiB of memory; this process and those that
/// it starts see it, and it goes with this object. What lies on it must have been closed by then.
class small_disk {
public:
  small_disk();
  small_disk(const small_disk&) = delete;
  small_disk& operator=(const small_disk&) = delete;
  ~small_disk();

  /// False where this user may mount nothing, which is said: then the test has to end.
  bool mounted() const noexcept { return mounted_; }
  const std::string& path() const noexcept { return place_.path(); }

  /// Takes all of its room but so many bytes, with a file.
  void fill(std::uintmax_t left_bytes = 0) const;
  void make_room() const;

  /// For all that opens files from now on. What is open stays as writable as it is: the kernel lets
  /// nobody take that away from a file system in use.
  void make_read_only() const;
  void make_writable() const;

private:
  fixtures::temporary_directory place_;
  bool mounted_ = false;
};

} // namespace matchcloud::faults
