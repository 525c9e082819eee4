#pragma once

#include "base/expected.hpp"

#include <sys/types.h>

#include <optional>
#include <string>

namespace matchcloud::base {

// Root works on another user's data directory as that user. It takes on the user's file-system
// identity (setfsuid(2)), with which the kernel also takes away root's power over files. So all
// that is made there belongs to the user, and no link in there leads anywhere that the user could
// not go without root. What the invoker names, such as the file of an import, is root's to open.

/// A user and a group, as files have them.
struct file_owner {
  uid_t user = 0;
  gid_t group = 0;

  friend bool operator==(const file_owner&, const file_owner&) = default;
};

/// `folder`, or, where that is missing, the first folder above it that is there: whoever that
/// belongs to, what is made in it is to belong to as well.
std::string existing_part(const std::string& folder);

/// Whom `folder` belongs to if it is not root: the owner of a link in its path, or of itself; in a
/// folder of root's, the owner of the file `sign` in it, with the folder's group, as in a volume of
/// Kubernetes with `fsGroup`. Nobody where the folder is missing.
std::optional<file_owner> other_owner_of(const std::string& folder, const std::string& sign);

/// Where this process is root and `folder` is another user's, takes on that user's identity for all
/// that this thread and those it starts do with files from here on. Call this before the folder is
/// touched and before other threads exist. Fails with `store_failed` if that cannot be done, if
/// another user's identity was taken on before, or if it cannot be told whose the folder is to be:
/// one of root's that others may write to and that has no `sign`. Does nothing for all other users,
/// and where the folder is missing.
expected<void> work_as_owner_of(const std::string& folder, const std::string& sign);

/// The user that this thread works on files as: `geteuid()`, or whose identity was taken on.
uid_t working_user() noexcept;

/// While it lives, this thread opens files as who started the process, whatever identity was taken
/// on: for what was named on the command line, in the environment or by the configuration. They can
/// be nested. One thread.
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
