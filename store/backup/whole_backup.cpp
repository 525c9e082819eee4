#include "store/backup/whole_backup.hpp"

#include "base/files/io_failure.hpp"
#include "base/files/read_bounded.hpp"
#include "base/hexadecimal.hpp"
#include "store/backup/file_digest.hpp"
#include "store/sqlite/migrations.hpp"

#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

namespace matchcloud::store {

namespace {

namespace fs = std::filesystem;

tl::unexpected<base::error> not_whole(const std::string& folder) {
  std::error_code ignored;
  if (fs::exists(folder + "/" + unfinished_manifest_name, ignored))
    return base::fail(base::errc::import_invalid,
                      folder + ": the backup into this folder was not completed, so it is not "
                               "whole; remove the folder and make another backup");
  return base::fail(
      base::errc::import_invalid,
      folder + ": there is no " + manifest_name +
          ", so this is not a whole backup; use the folder that `matchcloud backup` wrote");
}

base::expected<void> compare(const whole_backup& of, const backup_file& expected, findings& found) {
  const auto path = of.path_of(expected.name);
  const auto file = open_regular(path);
  if (!file) {
    found.push_back({finding::kind::damaged, expected.name, file.error().detail});
    return {};
  }
  if (!*file) {
    found.push_back({finding::kind::missing, expected.name, "it is in the manifest"});
    return {};
  }
  const auto facts = read_file((*file)->get(), path, expected.name);
  if (!facts)
    found.push_back({finding::kind::damaged, expected.name, facts.error().detail});
  else if (facts->size_bytes != expected.size_bytes)
    found.push_back({finding::kind::damaged, expected.name,
                     "it has " + std::to_string(facts->size_bytes) + " bytes instead of " +
                         std::to_string(expected.size_bytes)});
  else if (facts->sha256 != expected.sha256)
    found.push_back({finding::kind::damaged, expected.name,
                     "its bytes do not have the digest in the manifest"});
  return {};
}

/// Finds files that are in the folder but not in the manifest.
base::expected<void> find_strangers(const whole_backup& of, findings& found) {
  std::set<std::string, std::less<>> known{manifest_name};
  for (const auto& each : of.manifest.files)
    known.insert(each.name);
  std::error_code failed;
  fs::recursive_directory_iterator entry{of.folder, failed};
  for (; !failed && entry != fs::recursive_directory_iterator{}; entry.increment(failed)) {
    std::error_code ignored;
    if (entry->is_directory(ignored) && !entry->is_symlink(ignored)) continue;
    const auto name = entry->path().lexically_relative(of.folder).string();
    if (!known.contains(name))
      found.push_back({finding::kind::unreferenced, name, "it is not in the manifest"});
  }
  if (failed)
    return base::io_failure(of.folder, "list the folder", failed.value(), base::errc::store_failed);
  return {};
}

} // namespace

base::expected<whole_backup> open_backup(const std::string& folder) {
  const auto path = folder + "/" + manifest_name;
  const auto file = open_regular(path);
  if (!file) return tl::unexpected(file.error());
  if (!*file) return not_whole(folder);
  const auto text = base::read_bounded((*file)->get(), manifest_limit_bytes);
  if (!text) return base::io_failure(path, "read the file", errno, base::errc::store_failed);
  if (text->size() > manifest_limit_bytes)
    return base::fail(base::errc::import_invalid, path + ": it is too large for a manifest");
  auto manifest = parse_manifest(*text);
  if (!manifest) return base::fail(manifest.error().code, folder + "/" + manifest.error().detail);
  if (manifest->schema > sqlite_schema().newest())
    return base::fail(base::errc::store_newer,
                      folder + ": its database has the schema " + std::to_string(manifest->schema) +
                          ", of matchcloud " + manifest->program +
                          ", and this program knows up to " +
                          std::to_string(sqlite_schema().newest()) + "; use a newer matchcloud");
  return whole_backup{folder, *std::move(manifest), base::hexadecimal(base::sha256(*text))};
}

base::expected<findings> check_files(const whole_backup& of, const copy_watch& watch) {
  findings found;
  std::uint64_t read = 0;
  for (const auto& each : of.manifest.files) {
    if (watch.stop && watch.stop()) return base::fail(base::errc::cancelled, "interrupted");
    if (auto done = compare(of, each, found); !done) return tl::unexpected(done.error());
    if (watch.show) watch.show("files read", ++read);
  }
  if (auto done = find_strangers(of, found); !done) return tl::unexpected(done.error());
  return found;
}

} // namespace matchcloud::store
