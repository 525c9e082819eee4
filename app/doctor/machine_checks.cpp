#include "app/doctor/health_checks.hpp"
#include "app/node/resources.hpp"
#include "app/process/process_limits.hpp"
#include "app/process/spawn.hpp"
#include "base/failure.hpp"
#include "base/files/working_identity.hpp"
#include "store/database_file.hpp"
#include "store/open_store.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <spdlog/fmt/fmt.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

// The data directory and its file system, and what the machine offers to a process.

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

std::string shown_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  for (; bytes >= 1'024 && unit + 1 < units.size(); ++unit)
    bytes /= 1'024;
  return fmt::format("{} {}", bytes, units[unit]);
}

std::uint64_t little_space(std::uint64_t size_bytes) noexcept {
  constexpr std::uint64_t gibibyte = 1ULL << 30U;
  return std::clamp<std::uint64_t>(size_bytes / 20, gibibyte, 10 * gibibyte);
}

namespace {

/// The name of a network file system; empty for others. The types are from <linux/magic.h>, except
/// CIFS, which has no name there (fs/smb/client/cifsfs.h).
std::string_view network_name(std::uint32_t type) noexcept {
  switch (type) {
  case NFS_SUPER_MAGIC: return "NFS";
  case SMB_SUPER_MAGIC:
  case 0xfe534d42:
  case 0xff534d42: return "SMB";
  case V9FS_MAGIC: return "9P";
  case 0x00c36400: return "Ceph";
  default: return {};
  }
}

} // namespace

health_findings check_disk(examined_service& of) {
  const auto& place = of.config().store;
  if (is_elsewhere(place)) return {};
  const auto folder = base::existing_part(place.data_dir);
  struct statvfs disk {};
  struct statfs kind {};
  if (::statvfs(folder.c_str(), &disk) != 0 || ::statfs(folder.c_str(), &kind) != 0)
    return {refused(folder + ": its file system cannot be examined: " + reason(errno))};
  if ((disk.f_flag & ST_RDONLY) != 0)
    return {refused(folder + " is on a read-only file system",
                    "mount it for writing, or use another --data-dir")};
  const auto size_bytes = std::uint64_t{disk.f_blocks} * disk.f_frsize;
  const auto free_bytes = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  const auto left =
      fmt::format("{} has {} of {} left", folder, shown_bytes(free_bytes), shown_bytes(size_bytes));
  const auto type = static_cast<std::uint32_t>(kind.f_type);
  health_findings all;
  if (free_bytes < little_space(size_bytes))
    all.push_back(warned(left, "free up space: a full disk stops ingestion, changes and exports"));
  if (disk.f_files > 0 && disk.f_favail < disk.f_files / 20)
    all.push_back(warned(
        fmt::format("{} has room for {} of {} files (inodes)", folder, disk.f_favail, disk.f_files),
        "remove files: without inodes nothing new can be written"));
  if (type == TMPFS_MAGIC || type == RAMFS_MAGIC)
    all.push_back(warned(
        folder + " is in memory (tmpfs): all data is lost when the machine or the container stops",
        "put the data directory on a disk or a volume"));
  if (const auto network = network_name(type); !network.empty() && place.url.empty())
    all.push_back(warned(fmt::format("{} is on {}: most network file systems lack the locks and "
                                     "the shared memory that SQLite needs",
                                     folder, network),
                         "put the data directory on a local disk, or the store in PostgreSQL"));
  if (all.empty()) all.push_back(fine(left));
  return all;
}

namespace {

/// The memory that a process may use, and the control group that limits it.
control_group_limit usable_memory(pid_t process) {
  const auto physical =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  const auto group = find_memory_limit({}, process);
  if (group && group->limit < physical) return *group;
  return {physical, {}};
}

/// The control groups of a process, as the kernel lists them.
std::string control_groups_of(pid_t process) {
  std::ifstream file{folder_of_process(process) + "/cgroup"};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// The hard RLIMIT_NOFILE of another process. Any user may read it (proc(5)), but prlimit(2)
/// refuses root in a container without CAP_SYS_RESOURCE.
std::optional<std::size_t> descriptors_allowed(pid_t process) {
  std::istringstream values{line_of_process(process, "limits", "Max open files")};
  std::string soft;
  std::size_t hard = 0;
  return values >> soft >> hard ? std::optional{hard} : std::nullopt;
}

} // namespace

health_findings check_processors(examined_service& of) {
  const auto found = find_processors(of.serving());
  if (!of.configuration()) return {fine(found.describe())};
  const auto& config = of.config();
  if (data_loops(config) > found.usable())
    return {warned(of.served_by() + "; they share processors and wait for each other",
                   "leave out --loops, or use at most " + std::to_string(found.usable()))};
  return {fine(of.served_by())};
}

health_findings check_thread_limits(examined_service& of) {
  const auto needed = threads_needed(of.config());
  const auto enough = try_threads(needed);
  if (enough) return {fine(std::to_string(needed) + " are needed, and the system allows them")};
  // They count against the same limits.
  if (const auto& running = of.running()) {
    const auto process = name_of_process(running->pid);
    // A unit's limits are not those of the shell from which this command was started.
    if (control_groups_of(running->pid) != control_groups_of(0))
      return {fine(std::to_string(needed) + " are needed; the limits of " + process +
                   ", which is serving, are its own")};
    return {
        warned(enough.error().detail,
               process + " is serving, and a second process could not start to take over from it")};
  }
  return {refused(enough.error().detail)};
}

health_findings check_descriptor_limits(examined_service& of) {
  const auto& config = of.config();
  const auto serving = of.serving();
  const auto theirs = serving == 0 ? std::nullopt : descriptors_allowed(serving);
  if (!theirs) base::value_of(check_descriptors(config));
  const auto all = theirs ? *theirs : raise_descriptor_limit();
  const auto wanted = config.limits.connection_limit;
  const auto given = bounded_by_descriptors(config.limits, all).connection_limit;
  const auto limit = fmt::format("the hard RLIMIT_NOFILE of {} is {}",
                                 theirs ? name_of_process(serving) : "this command", all);
  if (given < wanted)
    return {warned(fmt::format("{}, which allows {} connections, and max-connections is {}", limit,
                               given, wanted),
                   "raise the limit (ulimit -Hn, LimitNOFILE= of systemd, --ulimit nofile=.. of "
                   "docker), or use --max-connections " +
                       std::to_string(given))};
  return {fine(fmt::format("{}, enough for max-connections, {}", limit, wanted))};
}

health_findings check_memory(examined_service& of) {
  const auto& limits = of.config().limits;
  const auto held = limits.byte_budget_bytes + limits.ops_byte_budget_bytes;
  const auto memory = usable_memory(of.serving());
  const auto may_use = (memory.folder.empty() ? "this machine has " : memory.folder + " allows ") +
                       shown_bytes(static_cast<std::uint64_t>(memory.limit));
  const auto text = "requests may hold " + shown_bytes(held) + ", and " + may_use;
  if (static_cast<double>(held) > memory.limit / 2)
    return {warned(text + ": more than half of it, so the kernel may kill the process",
                   "lower byte-budget-bytes and ops-byte-budget-bytes, or allow more memory "
                   "(MemoryMax= of systemd, --memory of docker)")};
  return {fine(text)};
}

} // namespace matchcloud::app
