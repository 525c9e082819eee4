#pragma once

#include "store/exports/export_objects.hpp"
#include "store/files/file_objects.hpp"
#include "store/open_store.hpp"
#include "store/sqlite/sqlite.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::fixtures {

/// Opens the exports of a data directory, whose records are in `records`, and counts them.
inline base::expected<std::unique_ptr<store::export_objects>>
open_exports(const std::string& data_dir, std::shared_ptr<store::database> records,
             const base::clock& clock = base::machine_clock(),
             std::uint64_t limit_bytes = UINT64_MAX, std::size_t game_share_percent = 100) {
  auto objects = store::file_objects::open(data_dir);
  if (!objects) return tl::unexpected(objects.error());
  store::export_objects_settings settings;
  settings.objects = *std::move(objects);
  settings.records = std::move(records);
  settings.clock = &clock;
  settings.limit_bytes = limit_bytes;
  settings.game_share_percent = game_share_percent;
  auto opened = std::make_unique<store::export_objects>(std::move(settings));
  if (auto counted = opened->sweep(0); !counted) return tl::unexpected(counted.error());
  return opened;
}

/// Sets what the history of a game is at in a SQLite store. No two games have the same, except 0.
inline void set_revisions(store::sqlite_connection& of, const model::uuid& game_id,
                          const store::history_revisions& now) {
  of.prepare("UPDATE revisions SET revision = $1 WHERE name = 'catalog'", "set a revision")
      .bind(now.catalog)
      .run();
  if (now.lobbies == 0) return;
  of.prepare("INSERT INTO game_revisions (subject, game_id, revision) VALUES ('lobbies', $1, $2) "
             "ON CONFLICT (subject, game_id) DO UPDATE SET revision = excluded.revision",
             "set a revision")
      .bind(std::span<const std::uint8_t>{game_id.bytes})
      .bind(now.lobbies)
      .run();
}

/// The records of exports of a store that has no SQL: in a SQLite store of its own. Before each
/// session of it, `follow` is called to set the revisions that claims are compared with.
inline base::expected<std::shared_ptr<store::database>>
open_export_records(const std::string& data_dir,
                    std::function<base::expected<void>(store::sqlite_connection&)> follow) {
  if (const auto made = store::open_sqlite(data_dir); !made) return tl::unexpected(made.error());
  const auto open = [=]() -> base::expected<std::unique_ptr<store::session>> {
    auto on = store::sqlite_connection::open(data_dir + "/" + store::database_file_name);
    on.execute("PRAGMA synchronous = OFF", "skip waits for the disk");
    if (auto followed = follow(on); !followed) return tl::unexpected(followed.error());
    return store::open_sqlite_session(data_dir, {});
  };
  store::session_limits limits;
  limits.idle = 0;
  return std::make_shared<store::database>(open, limits);
}

} // namespace matchcloud::fixtures
