#pragma once

#include "base/expected.hpp"
#include "store/backup/backup_manifest.hpp"
#include "store/files/new_file.hpp"
#include "store/object_store.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// A folder that becomes a backup; it is removed with this object unless it was completed. Its
/// files are written as the user that started the process and chose the folder; sources are read as
/// the user of `take_owner`. One thread. All functions fail with `store_failed` or `store_full`.
class new_backup {
public:
  /// `folder` is missing or empty. Fails with `config_invalid` otherwise.
  static base::expected<std::unique_ptr<new_backup>> begin(const std::string& folder);
  new_backup(const new_backup&) = delete;
  ~new_backup();

  const std::string& folder() const noexcept { return folder_; }
  std::string path_of(std::string_view name) const;

  bool has(const std::string& name) const { return files_.contains(name); }
  /// The digest of an added file.
  const std::string& digest_of(const std::string& name) const { return files_.at(name).sha256; }
  /// Adds the file at `source`, which is never written to: by a hard link, or by a copy if that is
  /// impossible. Returns false if there is no such file.
  base::expected<bool> add(const std::string& source, const std::string& name);
  /// Adds a copy of an object. Returns false if there is none.
  base::expected<bool> add(object_store& from, const object_name& name);
  /// Adds a file with this text.
  base::expected<void> add_text(const std::string& name, std::string_view text);
  /// Adds a file that other code made in the folder.
  base::expected<void> add_own(const std::string& name);
  /// Removes a file from the folder, if it exists.
  void drop(const std::string& name);
  /// Calls `is_wanted` for each file that was added, and drops it if that returns false.
  template <class IsWanted>
  void keep_if(IsWanted is_wanted) {
    std::erase_if(files_, [&](const auto& each) {
      if (is_wanted(each.first)) return false;
      remove_file(each.first);
      return true;
    });
  }

  /// Syncs everything, then writes the manifest with the added files. The last call.
  base::expected<backup_manifest> complete(backup_manifest manifest);

private:
  new_backup(std::string folder, bool is_own, new_file manifest);

  base::expected<void> make_folder_of(const std::string& name) const;
  base::expected<void> digest(int file, const std::string& path, const std::string& name);
  base::expected<void> copy(int file, const std::string& path, const std::string& name);
  base::expected<void> sync_all() const;
  void remove_file(const std::string& name) const;

  std::string folder_;
  /// Whether the folder itself was made too.
  bool is_own_;
  new_file manifest_;
  bool is_whole_ = false;
  std::map<std::string, backup_file> files_;
};

} // namespace matchcloud::store
