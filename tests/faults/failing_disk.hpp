#pragma once

#include "tests/fixtures/temporary_directory.hpp"

#include <string>

namespace matchcloud::faults {

/// An ext4 file system in a file that can be made to fail: from then on no write succeeds, even to
/// open files, as after a real disk failure. The destructor unmounts it; all files on it must be
/// closed by then.
class failing_disk {
public:
  failing_disk();
  failing_disk(const failing_disk&) = delete;
  failing_disk& operator=(const failing_disk&) = delete;
  ~failing_disk();

  /// False if this user may not mount it; a message says so, and the test has to end.
  bool mounted() const noexcept { return mounted_; }
  const std::string& path() const noexcept { return place_; }

  void fail() const;
  /// Unmounts and remounts the disk. No file on it may be open.
  void repair();

private:
  bool mount();

  fixtures::temporary_directory directory_;
  std::string image_;
  std::string place_;
  bool mounted_ = false;
};

} // namespace matchcloud::faults
