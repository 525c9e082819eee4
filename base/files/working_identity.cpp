#include "base/files/working_identity.hpp"

#include "base/check.hpp"
#include "base/files/file_descriptor.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/securebits.h>
#include <spdlog/fmt/fmt.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace matchcloud::base {

namespace {

/// setfsgid(2) only returns the former value, so reading it back is the only way to check a change.
gid_t working_group() noexcept {
  return static_cast<gid_t>(::setfsgid(static_cast<gid_t>(-1)));
}

/// Takes on an identity in this thread. The group changes first, because only root may change it.
bool become(const file_owner& whom) noexcept {
  ::setfsgid(whom.group);
  ::setfsuid(whom.user);
  return working_user() == whom.user && working_group() == whom.group;
}

/// Fails if root would keep its power over files under another identity.
std::optional<std::string> take_on(const file_owner& whom) {
  const int bits = ::prctl(PR_GET_SECUREBITS);
  if (bits < 0 || (bits & SECBIT_NO_SETUID_FIXUP) != 0)
    return "the securebits of this process keep capabilities";
  if (::setgroups(0, nullptr) != 0)
    return fmt::format("setgroups: {}", std::generic_category().message(errno));
  if (become(whom)) return std::nullopt;
  become({});
  return "setfsuid is not permitted";
}

/// Whether users outside root's group can create files in a folder that belongs to root.
bool is_shared(const struct stat& folder) noexcept {
  return (folder.st_mode & S_IWOTH) != 0 ||
         (folder.st_gid != 0 && (folder.st_mode & (S_IWGRP | S_ISGID)) != 0);
}

/// The owner of the first link in a path that is not root's.
std::optional<file_owner> owner_of_link(const std::string& path) {
  for (std::size_t end = 0; end < path.size();) {
    end = std::min(path.find('/', end + 1), path.size());
    struct stat part {};
    if (::lstat(path.substr(0, end).c_str(), &part) != 0) break;
    if (S_ISLNK(part.st_mode) && part.st_uid != 0) return file_owner{part.st_uid, part.st_gid};
  }
  return std::nullopt;
}

} // namespace

std::string existing_part(const std::string& folder) {
  struct stat found {};
  if (::lstat(folder.c_str(), &found) == 0) return folder;
  auto at = (std::filesystem::absolute(folder) / "").parent_path();
  while (at.has_relative_path() && ::lstat(at.c_str(), &found) != 0)
    at = at.parent_path();
  return at.string();
}

std::optional<file_owner> other_owner_of(const std::string& folder, const std::string& sign) {
  // Anywhere in the path, the owner of a link chooses where it leads.
  if (const auto chooser = owner_of_link(folder)) return chooser;
  struct stat name {};
  struct stat found {};
  if (::stat(folder.c_str(), &found) != 0) return std::nullopt;
  if (found.st_uid != 0) return file_owner{found.st_uid, found.st_gid};
  if (sign.empty() || ::lstat((folder + "/" + sign).c_str(), &name) != 0 || name.st_uid == 0)
    return std::nullopt;
  return file_owner{name.st_uid, found.st_gid != 0 ? found.st_gid : name.st_gid};
}

expected<void> work_as_owner_of(const std::string& folder, const std::string& sign) {
  if (::geteuid() != 0) return {};
  const auto now = working_user();
  const as_invoker self; // only root can look into every folder
  const auto whom = other_owner_of(folder, sign);
  if (whom && whom->user == now) return {};
  const auto refuse = [&](const std::string& why) {
    return fail(errc::store_failed, fmt::format("{}: {}", folder, why));
  };
  if (now != 0) {
    struct stat found {};
    if (!whom && ::lstat(folder.c_str(), &found) != 0) return {};
    return refuse(fmt::format("belongs to user {}, but this command already works as user {}, the "
                              "owner of another directory; give both directories to one user",
                              whom ? whom->user : 0, now));
  }
  if (!whom) {
    struct stat found {};
    if (sign.empty() || ::stat(folder.c_str(), &found) != 0 || !is_shared(found)) return {};
    if (::lstat((folder + "/" + sign).c_str(), &found) == 0) return {};
    return refuse(fmt::format("belongs to root, other users can write to it, and without a {} its "
                              "owner is unknown; run this as the user of the service",
                              sign));
  }
  if (const auto why = take_on(*whom))
    return refuse(fmt::format("belongs to user {0}, and root cannot work as that user here ({1}); "
                              "run this as user {0}",
                              whom->user, *why));
  // The folders above may deny access: Docker volumes, DynamicUser= of systemd.
  const file_descriptor reached{::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (reached || errno != EACCES) return {};
  become({});
  return refuse(fmt::format(
      "belongs to user {}, who cannot reach it by this path: a folder above it denies that user "
      "access, and root works in it as its owner; run this where the service runs (docker exec, "
      "kubectl exec, nsenter), or open the folders above it with `chmod o+x`",
      whom->user));
}

uid_t working_user() noexcept {
  return static_cast<uid_t>(::setfsuid(static_cast<uid_t>(-1)));
}

as_invoker::as_invoker() noexcept : user_{working_user()} {
  if (user_ == ::geteuid()) return;
  group_ = working_group();
  ::setfsuid(::geteuid()); // first, because it restores the right to change the group
  ::setfsgid(::getegid());
}

as_invoker::~as_invoker() {
  if (user_ == ::geteuid()) return;
  const int code = errno; // from the last call under this identity
  check(become({user_, group_}), "the identity that was taken on comes back");
  errno = code;
}

} // namespace matchcloud::base
