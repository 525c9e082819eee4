#include "store/files/data_directory.hpp"

#include "base/files/io_failure.hpp"
#include "base/files/sync_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace matchcloud::store {

namespace {

namespace fs = std::filesystem;

constexpr mode_t folder_mode = 0700;

/// Why the path cannot be used as a directory, as an errno; 0 if it can.
int directory_error(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return errno;
  return S_ISDIR(found.st_mode) ? 0 : ENOTDIR;
}

std::string parent_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// Makes a folder if it is missing, and syncs its parent.
void make_folder(const std::string& path) {
  if (directory_error(path) == 0) return;
  if (::mkdir(path.c_str(), folder_mode) == 0)
    return base::value_of(base::sync_directory(parent_of(path)));
  // Another process may have created it first.
  const int code = errno == EEXIST ? directory_error(path) : errno;
  if (code != 0) throw file_failure(path, "create the directory", code);
}

/// Not named `remove_all`: for an `fs::path`, argument-dependent lookup would find the function of
/// that name that throws.
void remove_what_can_be(const fs::path& path) noexcept {
  std::error_code ignored; // leftovers are removed by the next caller
  fs::remove_all(path, ignored);
}

} // namespace

base::failure file_failure(std::string_view path, std::string_view operation, int code) {
  return base::failure{base::io_failure(path, operation, code, base::errc::store_failed).value()};
}

void make_data_directory(const std::string& path) {
  if (path.empty()) throw file_failure("data directory", "create the directory", ENOENT);
  for (std::size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    make_folder(path.substr(0, end));
  }
}

void make_folders_in(const std::string& data_dir, std::string_view below) {
  // A data directory that was moved away must not be recreated empty.
  if (const int code = directory_error(data_dir); code != 0)
    throw file_failure(data_dir, "use the data directory", code);
  auto part = data_dir;
  while (!below.empty()) {
    const auto end = std::min(below.find('/'), below.size());
    part.append("/").append(below.substr(0, end));
    below.remove_prefix(std::min(end + 1, below.size()));
    make_folder(part);
  }
}

directory_lock::directory_lock(const std::string& path)
    : file_{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)} {
  if (!file_) throw file_failure(path, "open the directory");
}

bool directory_lock::take(const std::string& path, int operation) const {
  while (::flock(file_.get(), operation) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) throw file_failure(path, "lock the directory");
  }
  return true;
}

directory_lock directory_lock::acquire(const std::string& path) {
  directory_lock taken{path};
  taken.take(path, LOCK_EX);
  return taken;
}

std::optional<directory_lock> directory_lock::try_take(const std::string& path) {
  directory_lock taken{path};
  if (!taken.take(path, LOCK_EX | LOCK_NB)) return std::nullopt;
  return taken;
}

bool directory_lock::is_on(const std::string& path) const noexcept {
  struct stat own {};
  struct stat named {};
  return ::fstat(file_.get(), &own) == 0 && ::stat(path.c_str(), &named) == 0 &&
         own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

temporary_folder temporary_folder::make(const std::string& data_dir) {
  make_folders_in(data_dir, temporary_name);
  const auto parent = data_dir + "/" + temporary_name;
  // Holding the parent's lock keeps `remove_leftovers` out between creating and locking a folder.
  const auto quiet = directory_lock::acquire(parent);
  auto path = parent + "/XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) throw file_failure(path, "make the folder");
  auto lock = directory_lock::acquire(path);
  return {std::move(path), std::move(lock)};
}

temporary_folder::~temporary_folder() {
  if (!path_.empty()) remove_what_can_be(path_);
}

void remove_leftovers(const std::string& data_dir) {
  const auto parent = data_dir + "/" + temporary_name;
  // Fails if there is no `tmp/`, and for what another process removes just now.
  (void)base::attempt([&] {
    const auto quiet = directory_lock::acquire(parent);
    std::error_code failure;
    fs::directory_iterator entry{parent, failure};
    for (; !failure && entry != fs::directory_iterator{}; entry.increment(failure))
      if (const auto lock = base::attempt([&] { return directory_lock::try_take(entry->path()); });
          lock && *lock)
        remove_what_can_be(entry->path());
  });
}

} // namespace matchcloud::store
