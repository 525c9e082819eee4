#include "store/open_store.hpp"
#include "store/sql/copy_mark.hpp"
#include "store/sqlite/migrations.hpp"
#include "store/sqlite/sqlite.hpp"

#include <sqlite3.h>

namespace matchcloud::store {

base::expected<store_examination> examine_sqlite(const std::string& data_dir) {
  store_examination found;
  found.engine = std::string{"SQLite "} + sqlite3_libversion();
  found.newest = sqlite_schema().newest();
  const auto there = find_store(data_dir);
  if (!there) return tl::unexpected(there.error());
  if (!*there) return found;
  return base::attempt([&] {
    auto db = sqlite_connection::open_unchanging(data_dir + "/" + database_file_name);
    found.version = check_schema(db);
    if (found.version > 0) check_is_whole(db, data_dir);
    return found;
  });
}

} // namespace matchcloud::store
