#pragma once

#include "base/expected.hpp"

#include <sys/types.h>

#include <optional>
#include <string>

namespace matchcloud::base {

// Root works on another user's data directory as that user. It takes on the user's file-system
// identity (setfsuid(2)), and the kernel then also removes root's power over files. So everything
// created there belongs to the user, and a link in there leads only where the user could go without
// root. Files that the invoker names, such as an import, are opened as root: before the store if
// that is possible, and otherwise by `as_invoker`. Root cannot become the user for good, because it
// still needs its own rights later: to rename or remove an output, to fill a backup, and to read
// ~/.pgpass, credentials of a bucket and authorities again for a new connection.

/// A user and a group, as files have them.
struct file_owner {
  uid_t user = 0;
  gid_t group = 0;

  friend bool operator==(const file_owner&, const file_owner&) = default;
};

/// `folder`, or, if it is missing, the nearest existing folder above it. New files in it belong to
/// the owner of the existing folder.
std::string existing_part(const std::string& folder);

/// The owner of `folder`, if that is not root: the owner of a link in its path, or of the folder
/// itself. If the folder belongs to root, the owner of the file `sign` in it, with the folder's
/// group, as in a Kubernetes volume with `fsGroup`. Empty if the folder is missing.
std::optional<file_owner> other_owner_of(const std::string& folder, const std::string& sign);

/// If this process is root and `folder` belongs to another user, takes on that user's identity for
/// all further file access of this thread and of threads that it starts. Call this before touching
/// the folder and before other threads exist. Fails with `store_failed` if that is impossible, if
/// this process already took on another user's identity, or if the owner is unknown because the
/// folder belongs to root, others can write to it, and it has no `sign`. Does nothing for other
/// users, or if the folder is missing.
expected<void> work_as_owner_of(const std::string& folder, const std::string& sign);

/// The user that this thread works on files as: `geteuid()`, or the user whose identity it took on.
uid_t working_user() noexcept;

/// While this object lives, its thread opens files as the user who started the process, whatever
/// identity it took on. Use it for files named on the command line, in the environment or in the
/// configuration. Can be nested. One thread.
class as_invoker {
public:
  as_invoker() noexcept;
  as_invoker(as_invoker&&) = delete;
  as_invoker& operator=(as_invoker&&) = delete;
  ~as_invoker();

private:
  uid_t user_;
  gid_t group_ = 0;
};

} // namespace matchcloud::base
