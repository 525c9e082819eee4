#pragma once

#include "base/expected.hpp"
#include "base/open_file.hpp"

#include <memory>
#include <string_view>

namespace matchcloud::store {

/// What is said where a file of some sort cannot be opened.
struct open_refusals {
  tl::unexpected<base::error> (*not_found)();
  tl::unexpected<base::error> (*too_many_open)();
  /// "open an image".
  std::string_view operation;

  /// The refusal for an errno. What is not there and what the disk refuses are told apart: only the
  /// latter (`io_failed`) is worth an alarm.
  tl::unexpected<base::error> of(int code) const;
};

/// Opens a file that nobody writes to any more, below an open `folder` or, with AT_FDCWD, by its
/// path. Follows no symbolic link at its end and takes regular files only. Waits for the disk.
base::expected<std::shared_ptr<const base::open_file>>
open_immutable(int folder, const char* path, const open_refusals& refusals);

} // namespace matchcloud::store
