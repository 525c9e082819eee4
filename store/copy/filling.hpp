#pragma once

#include "base/expected.hpp"
#include "store/files/data_directory.hpp"
#include "store/sql/sql.hpp"

#include <string>

namespace matchcloud::store {

/// The folder of a data directory that exists while a restore or a copy fills it.
inline constexpr const char* filling_name = "filling";

/// Held while a restore or a copy fills a data directory, so that no other one does. If the process
/// dies, the next one takes it.
class filling {
public:
  /// Fails with `import_invalid` while another process holds it, or with `store_failed`.
  static base::expected<filling> begin(const std::string& data_dir);

  filling(filling&& other) noexcept = default;
  filling& operator=(filling&& other) noexcept = default;
  ~filling();

private:
  filling(std::string path, directory_lock lock) : path_{std::move(path)}, lock_{std::move(lock)} {}

  std::string path_;
  directory_lock lock_;
};

/// The same for the store of a PostgreSQL server, until the connection ends; throws. Does nothing
/// on SQLite.
void begin_filling(sql_connection& on, const std::string& name);

} // namespace matchcloud::store
