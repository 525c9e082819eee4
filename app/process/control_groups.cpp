#include "app/process/control_groups.hpp"

#include "base/files/file_descriptor.hpp"
#include "base/files/read_bounded.hpp"

#include <fcntl.h>

#include <algorithm>
#include <charconv>

namespace matchcloud::app {

namespace {

/// Machines with many containers have thousands of mounts.
constexpr std::size_t text_limit_bytes = 16UL * 1024 * 1024;

/// Removes the text before the next `separator` from the front of `text` and returns it.
std::string_view take_until(std::string_view& text, char separator) {
  const auto end = std::min(text.find(separator), text.size());
  const auto taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty())
    if (take_until(list, ',') == word) return true;
  return false;
}

/// A path of mountinfo, in which spaces and the like are octal, such as `\040`.
std::string unescaped(std::string_view path) {
  std::string plain;
  while (!path.empty()) {
    unsigned code = 0;
    if (path.front() == '\\' && path.size() >= 4 &&
        std::from_chars(path.data() + 1, path.data() + 4, code, 8).ptr == path.data() + 4) {
      plain += static_cast<char>(code);
      path.remove_prefix(4);
    } else {
      plain += path.front();
      path.remove_prefix(1);
    }
  }
  return plain;
}

/// A mounted hierarchy of control groups.
struct hierarchy {
  /// The group that is mounted, and where.
  std::string root;
  std::string mounted_at;
  bool is_v2 = false;
};

/// The hierarchy of a line of mountinfo; empty if it does not limit `controller`.
std::optional<hierarchy> parse_mount(std::string_view line, std::string_view controller) {
  hierarchy found;
  for (int i = 0; i < 3; ++i) // the mount, its parent, its device
    take_until(line, ' ');
  found.root = unescaped(take_until(line, ' '));
  found.mounted_at = unescaped(take_until(line, ' '));
  // A number of optional fields ends with a dash.
  while (!line.empty() && take_until(line, ' ') != "-") {
  }
  const auto type = take_until(line, ' ');
  take_until(line, ' '); // the source
  found.is_v2 = type == "cgroup2";
  if (!found.is_v2 && (type != "cgroup" || !has_word(line, controller))) return std::nullopt;
  if (!found.mounted_at.starts_with('/')) return std::nullopt;
  return found;
}

/// The path of this process's group in a hierarchy; empty if it has none there.
std::optional<std::string> find_group(std::string_view groups, std::string_view controller,
                                      bool is_v2) {
  while (!groups.empty()) {
    auto line = take_until(groups, '\n');
    const auto number = take_until(line, ':');
    const auto controllers = take_until(line, ':');
    const bool is_wanted =
        is_v2 ? number == "0" && controllers.empty() : has_word(controllers, controller);
    if (is_wanted && line.starts_with('/')) return std::string{line};
  }
  return std::nullopt;
}

/// The part of `group` below `root`; empty if it is not below. If a container sees only its own
/// group, `root` is that group, or `group` is the path on the host, where nothing else is visible.
std::string_view below(std::string_view group, std::string_view root) {
  if (root == "/") root = {};
  const auto rest = group.starts_with(root) ? group.substr(root.size()) : std::string_view{};
  if (rest == "/" || !rest.starts_with('/')) return {};
  return rest.starts_with("/..") ? std::string_view{} : rest;
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  const bool is_whole = read.ptr == end || *read.ptr == '\n';
  if (read.ec != std::errc{} || !is_whole) return std::nullopt;
  return number;
}

std::optional<cpu_quota> make_quota(std::optional<std::uint64_t> quota,
                                    std::optional<std::uint64_t> period) {
  if (!quota || !period || *quota == 0 || *period == 0) return std::nullopt;
  return cpu_quota{*quota, *period};
}

/// The text of a small file; empty if it cannot be read.
std::string text_of(const std::string& path) {
  const base::file_descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  return file ? base::read_bounded(file.get(), text_limit_bytes).value_or("") : std::string{};
}

/// The smallest of the limits that `read(folder)` finds. `less` compares two of them.
template <class Limit, class Read, class Less>
std::optional<control_group_limit<Limit>>
smallest(const std::string& root, std::string_view controller, Read&& read, Less&& less) {
  std::optional<control_group_limit<Limit>> found;
  const auto folders = control_group_folders(text_of(root + "/proc/self/mountinfo"),
                                             text_of(root + "/proc/self/cgroup"), controller);
  for (const auto& each : folders) {
    const auto limit = read(root + each.path + "/", each.is_v2);
    if (limit && (!found || less(*limit, found->limit))) found = {*limit, each.path};
  }
  return found;
}

} // namespace

std::vector<control_group_folder> control_group_folders(std::string_view mounts,
                                                        std::string_view groups,
                                                        std::string_view controller) {
  std::vector<control_group_folder> folders;
  while (!mounts.empty()) {
    const auto found = parse_mount(take_until(mounts, '\n'), controller);
    if (!found) continue;
    const auto group = find_group(groups, controller, found->is_v2);
    if (!group) continue;
    auto rest = below(*group, found->root);
    while (!rest.empty()) {
      folders.push_back({found->mounted_at + std::string{rest}, found->is_v2});
      rest = rest.substr(0, rest.rfind('/'));
    }
    folders.push_back({found->mounted_at, found->is_v2});
  }
  return folders;
}

double cpu_quota::processors() const noexcept {
  return static_cast<double>(quota_us) / static_cast<double>(period_us);
}

std::optional<cpu_quota> parse_cpu_max(std::string_view text) {
  const auto quota = take_until(text, ' '); // or "max"
  return make_quota(parse_number(quota), parse_number(text));
}

std::optional<cpu_quota> parse_cfs_quota(std::string_view quota, std::string_view period) {
  return make_quota(parse_number(quota), parse_number(period)); // -1: no limit
}

std::optional<control_group_limit<cpu_quota>> find_cpu_quota(const std::string& root) {
  return smallest<cpu_quota>(
      root, "cpu",
      [](const std::string& folder, bool is_v2) {
        return is_v2 ? parse_cpu_max(text_of(folder + "cpu.max"))
                     : parse_cfs_quota(text_of(folder + "cpu.cfs_quota_us"),
                                       text_of(folder + "cpu.cfs_period_us"));
      },
      [](const cpu_quota& a, const cpu_quota& b) { return a.processors() < b.processors(); });
}

std::optional<control_group_limit<std::uint64_t>> find_pids_limit(const std::string& root) {
  return smallest<std::uint64_t>(
      root, "pids",
      [](const std::string& folder, bool) { return parse_number(text_of(folder + "pids.max")); },
      std::less<>{});
}

std::optional<control_group_limit<std::uint64_t>> find_memory_limit(const std::string& root) {
  // Without a limit, v1 reports the highest multiple of a page.
  constexpr std::uint64_t limit_of_v1 = INT64_MAX - 0xffff;
  const auto read = [](const std::string& folder, bool is_v2) {
    const auto found =
        parse_number(text_of(folder + (is_v2 ? "memory.max" : "memory.limit_in_bytes")));
    return found && *found < limit_of_v1 ? found : std::nullopt;
  };
  return smallest<std::uint64_t>(root, "memory", read, std::less<>{});
}

} // namespace matchcloud::app
