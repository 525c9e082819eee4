#pragma once

#include "base/expected.hpp"
#include "store/files/file_state.hpp"
#include "store/geoip/table_file.hpp"

#include <string>
#include <vector>

namespace matchcloud::store {

class mmdb_file;

/// A folder with the tables of GeoIP files, so that not every process has to make them. What is in
/// it can always be made again, so it may be removed at any time, and all that fails costs time
/// only. Processes may share a folder: files are renamed into place, and who finds another process
/// at work leaves the folder as it is. Any thread.
class kept_tables {
public:
  /// Keeps nothing.
  kept_tables() = default;
  /// Keeps tables in `folder`, which is created when it is needed.
  explicit kept_tables(std::string folder) noexcept : folder_{std::move(folder)} {}

  /// Whether this keeps anything.
  explicit operator bool() const noexcept { return !folder_.empty(); }

  /// The tables of the GeoIP file at `path` in the state `source`; see `read_tables`.
  tl::expected<tables_read, tables_unusable> read(const std::string& path,
                                                  const file_state& source) const;

  /// Keeps the tables of the file at `path` in the state `source`, and no longer those of other
  /// states. Takes as long as the disk takes. Fails with `store_full` or `store_failed`.
  base::expected<void> keep(const std::string& path, const file_state& source,
                            const mmdb_file& tables) const;

  /// Removes the tables of the file at `path`, if there are any.
  void remove(const std::string& path) const noexcept;

  /// Removes the tables of all files but those at `paths`, and what killed processes left.
  void remove_others(const std::vector<std::string>& paths) const;

  /// Where the tables of the file at `path` are kept.
  std::string place_of(const std::string& path) const;

private:
  std::string folder_;
};

} // namespace matchcloud::store
