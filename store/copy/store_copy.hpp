#pragma once

#include "base/expected.hpp"
#include "store/copy/copy_watch.hpp"
#include "store/files/data_directory.hpp"
#include "store/sql/sql.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::store {

/// A store that is copied from or into.
struct copy_side {
  sql_connection& on;
  /// For messages and the audit log, so without a password.
  std::string name;
};

/// Copies all tables of a store, from one snapshot, into one that is empty, and then reads and
/// compares them. What an unfinished copy left in the target is removed first. Until the end the
/// target has a mark, so that `open_store` refuses it; `first`, if not empty, is called once it is
/// there. Nothing else may write to the target during the copy. Secrets and files are not copied.
///
/// The revisions of catalog and tokens are written last, when everything else is equal, with an
/// entry in the target's audit log.
///
/// Fails with `import_invalid` if the target is not empty (it is then left unchanged), if the
/// source is itself an unfinished copy, or if the stores differ at the end; with `cancelled` if the
/// watch stops it; or like a connection. The detail says what to do. Returns what both have.
base::expected<std::vector<table_facts>> copy_store(const copy_side& from, const copy_side& into,
                                                    const copy_watch& watch,
                                                    const std::function<void()>& first = {});

/// Enters a copy of these tables into the audit log of the target, within a write transaction.
void record_copy(sql_connection& into, const std::string& from,
                 const std::vector<table_facts>& tables);

/// The folder of a data directory that exists while a restore or a copy fills it.
inline constexpr const char* filling_name = "filling";

/// Held while a restore or a copy fills a data directory, so that no other one does. If the process
/// dies, the next one takes it.
class filling {
public:
  /// Throws `import_invalid` while another process holds it, or `store_failed`.
  static filling begin(const std::string& data_dir);

  filling(filling&& other) noexcept = default;
  filling& operator=(filling&& other) noexcept = default;
  ~filling();

private:
  filling(std::string path, directory_lock lock) : path_{std::move(path)}, lock_{std::move(lock)} {}

  std::string path_;
  directory_lock lock_;
};

} // namespace matchcloud::store
