#pragma once

#include "base/expected.hpp"
#include "base/files/open_file.hpp"

#include <memory>
#include <string_view>

namespace matchcloud::store {

/// The errors to report if a file of some kind cannot be opened.
struct open_refusals {
  tl::unexpected<base::error> (*not_found)();
  tl::unexpected<base::error> (*too_many_open)();
  /// What was attempted, such as "open an image".
  std::string_view operation;

  /// The error for an errno. Missing files and disk failures are distinguished, because only the
  /// latter (`io_failed`) deserve an alarm.
  tl::unexpected<base::error> of(int code) const;
};

/// Opens a file that is no longer written to, relative to the open `folder` or, with AT_FDCWD, by
/// its path. Does not follow a symbolic link in the last component and accepts only regular files.
/// Waits for the disk.
base::expected<std::shared_ptr<const base::open_file>>
open_immutable(int folder, const char* path, const open_refusals& refusals);

} // namespace matchcloud::store
