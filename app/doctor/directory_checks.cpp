// The data directory and its file system.
#include "app/doctor/amounts.hpp"
#include "app/doctor/file_system.hpp"
#include "app/doctor/health_checks.hpp"
#include "base/files/working_identity.hpp"
#include "store/database_file.hpp"
#include "store/open_sqlite.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

namespace matchcloud::app {

namespace {

namespace fs = std::filesystem;

std::string this_user() {
  return "user " + std::to_string(::geteuid());
}

std::string reason(int code) {
  return std::generic_category().message(code);
}

bool may(const std::string& path, int access) {
  return ::faccessat(AT_FDCWD, path.c_str(), access, AT_EACCESS) == 0;
}

/// Whether a service keeps only its take-over socket in the data directory.
bool is_elsewhere(const store::store_place& place) {
  return !place.url.empty() && place.has_bucket();
}

/// Checks that the first start can make the directory.
health_finding check_missing(const std::string& directory) {
  const auto parent = base::existing_part(directory);
  if (may(parent, R_OK | W_OK | X_OK))
    return fine(directory + " is missing; the first start creates it");
  return refused(directory + " is missing, and " + this_user() + " may not create it in " + parent +
                     ": " + reason(errno),
                 "create it for the user of the service (install -d -o USER -m 0700 " + directory +
                     ")");
}

/// Whether the service needs write access to an entry of its directory: the database with its log,
/// and folders. Secrets and other people's files need not be writable.
bool needs_writing(const fs::directory_entry& entry) {
  std::error_code failed;
  if (entry.is_directory(failed)) return true;
  return entry.path().filename().string().starts_with(store::database_file_name);
}

std::optional<health_finding> find_unusable(const std::string& directory) {
  if (!may(directory, R_OK | W_OK | X_OK))
    return refused(directory + ": " + this_user() + " may not read and write it: " + reason(errno),
                   "give it to the user of the service (chown -R USER: " + directory +
                       "), or run the service and this command as its owner");
  std::error_code failed;
  for (fs::directory_iterator each{directory, failed}; !failed && each != fs::directory_iterator{};
       each.increment(failed)) {
    const auto path = each->path().string();
    if (needs_writing(*each) && !may(path, R_OK | W_OK))
      return refused(path + ": " + this_user() + " may not read and write it: " + reason(errno),
                     "give it to the user of the service (chown -R USER: " + directory + ")");
  }
  return std::nullopt;
}

/// Whether other users of the machine have access.
health_findings check_modes(const std::string& directory) {
  health_findings found;
  for (const auto& hazard : store::hazards_of(directory))
    found.push_back(warned(hazard));
  const auto database = directory + "/" + store::database_file_name;
  struct stat facts {};
  if (::stat(database.c_str(), &facts) == 0 && (facts.st_mode & S_IRWXO) != 0 &&
      (facts.st_mode & S_IFMT) == S_IFREG && may(directory, X_OK))
    found.push_back(warned(database + " is open to every user of this machine",
                           "run `chmod o-rwx " + database + "*`"));
  return found;
}

} // namespace

health_findings check_directory(examined_service& of) {
  const auto& place = of.config().store;
  if (const auto own = store::refuse_secrets_of_others(place); !own) {
    if (const auto& running = of.running(); running && running->user != 0)
      return {warned(name_of_process(running->pid) + " serves as user " +
                         std::to_string(running->user) +
                         ", and this command as root cannot tell what that user may do",
                     "run it as that user (runuser -u USER -- matchcloud doctor ..)")};
    return {refused(own.error().detail + "; if it already does, run this command as that user too "
                                         "(runuser -u USER -- matchcloud doctor ..)")};
  }
  const auto& directory = place.data_dir;
  struct stat facts {};
  if (::stat(directory.c_str(), &facts) != 0 && (errno == ENOENT || errno == ENOTDIR)) {
    if (is_elsewhere(place)) return {fine(directory + " is missing; only --take-over needs it")};
    return {check_missing(directory)};
  }
  if (auto unusable = find_unusable(directory)) return {*std::move(unusable)};
  auto found = check_modes(directory);
  if (found.empty()) found.push_back(fine(directory + " can be used by " + this_user()));
  return found;
}

health_findings check_disk(examined_service& of) {
  const auto& place = of.config().store;
  if (is_elsewhere(place)) return {};
  const auto folder = base::existing_part(place.data_dir);
  const auto found = file_system_of(folder);
  if (!found) return {refused(folder + ": its file system cannot be examined: " + reason(errno))};
  if (found->is_read_only)
    return {refused(folder + " is on a read-only file system",
                    "mount it for writing, or use another --data-dir")};
  health_findings all;
  if (found->free_bytes < little_space(*found))
    all.push_back(warned(folder + " has " + shown_bytes(found->free_bytes) + " of " +
                             shown_bytes(found->size_bytes) + " left",
                         "free up space: a full disk stops ingestion, changes and exports"));
  if (found->files_limit > 0 && found->free_files < found->files_limit / 20)
    all.push_back(warned(folder + " has room for " + std::to_string(found->free_files) + " of " +
                             std::to_string(found->files_limit) + " files (inodes)",
                         "remove files: without inodes nothing new can be written"));
  if (found->is_in_memory)
    all.push_back(warned(
        folder + " is in memory (tmpfs): all data is lost when the machine or the container stops",
        "put the data directory on a disk or a volume"));
  if (!found->network.empty() && place.url.empty())
    all.push_back(warned(folder + " is on " + std::string{found->network} +
                             ": most network file systems lack the locks and the shared memory "
                             "that SQLite needs",
                         "put the data directory on a local disk, or the store in PostgreSQL"));
  if (all.empty())
    all.push_back(fine(folder + " has " + shown_bytes(found->free_bytes) + " of " +
                       shown_bytes(found->size_bytes) + " left"));
  return all;
}

} // namespace matchcloud::app
