#pragma once

#include "tests/fixtures/temporary_directory.hpp"

#include <string>

namespace matchcloud::faults {

/// A disk with ext4 in a file, which the kernel can be made to give up: from then on nobody may
/// write to it, not even to what is open, as after a real failure. It goes with this object; what
/// lies on it must have been closed by then.
class failing_disk {
public:
  failing_disk();
  failing_disk(const failing_disk&) = delete;
  failing_disk& operator=(const failing_disk&) = delete;
  ~failing_disk();

  /// False where this user may not do that, which is said: then the test has to end.
  bool mounted() const noexcept { return mounted_; }
  const std::string& path() const noexcept { return place_; }

  void fail() const;
  /// Takes it away and mounts it anew. Nothing of it may be open.
  void repair();

private:
  bool mount();

  fixtures::temporary_directory directory_;
  std::string image_;
  std::string place_;
  bool mounted_ = false;
};

} // namespace matchcloud::faults
