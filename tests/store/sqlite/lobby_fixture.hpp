#pragma once

#include "store/open_store.hpp"
#include "store/sqlite/sqlite.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/store/store_fixture.hpp"

#include <string>
#include <utility>
#include <vector>

namespace matchcloud::store {

/// Everything stored about lobbies, one line per lobby in the order of ids.
inline std::vector<std::string> stored_lobbies(const std::string& data_dir) {
  auto db = sqlite_connection::open(data_dir + "/matchcloud.db");
  auto query = db.prepare(
      "SELECT hex(lobby_id) || ' ' || hex(game_id) || ' ' || duration_class || ' ' || start_ts || "
      "' ' || coalesce(stop_ts, 'running') || ' ' || hex(namespace_id) || ' ' || hex(version_id) "
      "|| ' ' || region_id || ' ' || tier || ' ' || version_name || ' ' || game_mode "
      "FROM lobbies JOIN lobby_kinds USING (kind) ORDER BY lobby_id",
      "read the lobbies");
  std::vector<std::string> lines;
  while (query.step())
    lines.emplace_back(query.text(0));
  return lines;
}

/// A store with `lobby_catalog` in its own directory.
class lobby_store : private fixtures::temporary_directory, public all_roles {
public:
  lobby_store() : all_roles{open_sqlite(temporary_directory::path(), {.use = workload::bulk})} {
    had(catalog->import_document(lobby_catalog()));
  }

  std::string path() const { return temporary_directory::path(); }
  std::vector<std::string> lobbies() const { return stored_lobbies(path()); }
};

} // namespace matchcloud::store
