#include "base/files/new_entry.hpp"

#include "base/files/io_failure.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <optional>
#include <utility>

namespace matchcloud::base {

namespace {

constexpr mode_t folder_mode = 0700;

/// A name in a folder that is held open, so that both are of the same folder from here on.
struct place {
  explicit place(std::string path) {
    while (path.size() > 1 && path.back() == '/')
      path.pop_back();
    const auto slash = path.rfind('/');
    name = slash == std::string::npos ? path : path.substr(slash + 1);
    const auto parent = slash == std::string::npos ? std::string{"."}
                        : slash == 0               ? std::string{"/"}
                                                   : path.substr(0, slash);
    folder = file_descriptor{::open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  }

  file_descriptor folder;
  std::string name;
};

struct owner {
  uid_t user;
  gid_t group;
};

/// Whom a new entry of a folder has to be given to; nothing if it stays with who made it.
std::optional<owner> heir_of(int folder) noexcept {
  struct stat found {};
  if (::geteuid() != 0 || ::fstat(folder, &found) != 0 || found.st_uid == 0) return std::nullopt;
  return owner{found.st_uid, found.st_gid};
}

expected<void> give(int entry, const owner& to, const std::string& path, errc other) {
  if (::fchown(entry, to.user, to.group) == 0) return {};
  const auto user = std::to_string(to.user);
  auto failed =
      io_failure(path, "give it to user " + user + ", the owner of its folder", errno, other);
  failed.value().detail += "; run this as user " + user;
  return failed;
}

/// Gives the folder `name` in `folder` away, unless something else has taken its place since.
expected<void> give_folder(int folder, const std::string& name, const owner& to,
                           const std::string& path, errc other) {
  const file_descriptor made{
      ::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  struct stat found {};
  if (!made || ::fstat(made.get(), &found) != 0)
    return io_failure(path, "open the directory", errno, other);
  return found.st_uid == ::geteuid() ? give(made.get(), to, path, other) : expected<void>{};
}

} // namespace

expected<file_descriptor> make_file(const std::string& path, mode_t mode, errc other) {
  const place at{path};
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  file_descriptor made{at.folder ? ::openat(at.folder.get(), at.name.c_str(), flags, mode) : -1};
  if (!made) return io_failure(path, "create the file", errno, other);
  expected<void> done;
  // The umask may have removed permissions that this user needs.
  if (::fchmod(made.get(), mode) != 0) done = io_failure(path, "set the permissions", errno, other);
  if (const auto heir = heir_of(at.folder.get()); done && heir)
    done = give(made.get(), *heir, path, other);
  if (done) return made;
  ::unlinkat(at.folder.get(), at.name.c_str(), 0);
  return tl::unexpected(std::move(done).error());
}

expected<bool> make_folder(const std::string& path, errc other) {
  const place at{path};
  if (!at.folder || ::mkdirat(at.folder.get(), at.name.c_str(), folder_mode) != 0) {
    if (at.folder && errno == EEXIST) return false;
    return io_failure(path, "create the directory", errno, other);
  }
  const auto heir = heir_of(at.folder.get());
  if (!heir) return true;
  if (auto given = give_folder(at.folder.get(), at.name, *heir, path, other); !given) {
    ::unlinkat(at.folder.get(), at.name.c_str(), AT_REMOVEDIR);
    return tl::unexpected(std::move(given).error());
  }
  return true;
}

bool gives_away_in(const std::string& folder) noexcept {
  const file_descriptor opened{::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  return opened && heir_of(opened.get());
}

expected<void> make_unique_folder(std::string& path, errc other) {
  if (::mkdtemp(path.data()) == nullptr) return io_failure(path, "make the folder", errno, other);
  const place at{path};
  if (!at.folder) return io_failure(path, "open the directory", errno, other);
  const auto heir = heir_of(at.folder.get());
  if (!heir) return {};
  auto given = give_folder(at.folder.get(), at.name, *heir, path, other);
  if (!given) ::rmdir(path.c_str());
  return given;
}

} // namespace matchcloud::base
