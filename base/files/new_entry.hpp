#pragma once

#include "base/expected.hpp"
#include "base/files/file_descriptor.hpp"

#include <sys/types.h>

#include <string>

namespace matchcloud::base {

// Every file and folder in a data directory is made here. What root makes in the folder of another
// user belongs to that folder's owner and group, as SQLite's own files do: a command that was run
// as root leaves nothing that the service cannot read. In a folder of root's own nothing changes.
// All functions follow no symbolic link in the last component. They fail with `store_full` where
// the disk is full, else with `other`; if the entry cannot be given away, it is removed again and
// the error says under which user to run instead. Any thread.

/// Makes a file with `mode`, whatever the umask, open for writing. The name must be free.
expected<file_descriptor> make_file(const std::string& path, mode_t mode, errc other);

/// Makes a folder for its owner only (0700). Returns false if the name is taken, by whatever it is.
expected<bool> make_folder(const std::string& path, errc other);

/// Makes a folder for its owner only under a new name, which replaces the XXXXXX at the end of
/// `path`.
expected<void> make_unique_folder(std::string& path, errc other);

/// Whether what this process makes in `folder` is given to another user.
bool gives_away_in(const std::string& folder) noexcept;

} // namespace matchcloud::base
