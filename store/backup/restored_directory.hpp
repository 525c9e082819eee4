#pragma once

#include "base/expected.hpp"
#include "store/backup/whole_backup.hpp"
#include "store/copy/filling.hpp"
#include "store/copy/store_copy.hpp"

#include <string>

namespace matchcloud::store {

/// A data directory that a backup's database is restored into. Until `complete`, its database has
/// the mark of an unfinished copy, so nothing uses it, and no other restore goes on. One thread;
/// works as the user of `take_owner`.
class restored_directory {
public:
  /// `data_dir` is missing or empty, or has what an earlier run of the same restore left. Fails
  /// with `import_invalid` otherwise, also while another restore is at work, or with `store_failed`
  /// or `store_full`.
  static base::expected<restored_directory> begin(std::string data_dir, const whole_backup& of);

  /// Whether an earlier run put the database in its place, so that the directory may have been in
  /// use since.
  bool has_database() const noexcept { return has_database_; }

  /// Replaces the marked database with the backup's atomically, and writes the entry of a copy into
  /// its audit log. The last call. Fails with `cancelled`, `store_failed` or `store_full`; all can
  /// be tried again.
  base::expected<void> complete(const copy_watch& watch);

private:
  restored_directory(std::string data_dir, const whole_backup& of, filling alone)
      : data_dir_{std::move(data_dir)}, of_{&of}, alone_{std::move(alone)} {}

  base::expected<bool> read_former() const;
  base::expected<void> claim() const;
  base::expected<void> claim_unless_begun() const;
  base::expected<void> mark();
  base::expected<void> make_marked() const;
  base::expected<void> put_database(const copy_watch& watch) const;
  base::expected<void> record() const;
  base::expected<void> release() const;

  std::string path_of(const char* name) const { return data_dir_ + "/" + name; }

  std::string data_dir_;
  const whole_backup* of_;
  filling alone_;
  bool has_database_ = false;
};

} // namespace matchcloud::store
