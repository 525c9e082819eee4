#pragma once

#include "model/lobbies/lobby_batch.hpp"
#include "store/sqlite/sqlite.hpp"
#include "store/store.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <string>
#include <utility>
#include <vector>

namespace matchcloud::store {

/// An id that ends in `number`.
inline model::uuid id_of(std::uint32_t number) {
  model::uuid id;
  for (std::size_t i = 0; i < 4; ++i)
    id.bytes[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
  return id;
}

/// Two games, 1 and 2; game 1 has the namespaces 11 and 12, game 2 has 21; regions fra and iad.
inline model::catalog_document lobby_catalog() {
  model::catalog_document document;
  document.regions = {{"fra", "Frankfurt", "P", {}}, {"iad", "Ashburn", "P", {}}};
  document.games = {{id_of(1), "one"}, {id_of(2), "two"}};
  document.namespaces = {{id_of(11), id_of(1), "prod", {}, std::nullopt},
                         {id_of(12), id_of(1), "test", {}, std::nullopt},
                         {id_of(21), id_of(2), "prod", {}, std::nullopt}};
  return document;
}

inline model::lobby_kind kind_of(std::uint32_t namespace_number, std::string region = "fra",
                                 std::string mode = "duel") {
  return {id_of(namespace_number), id_of(7), std::move(region), "basic-1d1", "1.0",
          std::move(mode)};
}

/// Lobbies as they are handed to a store.
struct lobby_list {
  std::vector<model::lobby_record> records;
  model::lobby_kind_table kinds;

  lobby_list& add(std::uint32_t number, model::lobby_times times, const model::lobby_kind& kind) {
    records.push_back({id_of(number), times, kinds.number_of(kind)});
    return *this;
  }
};

/// Merges all of a list, as often as it takes.
inline lobby_merge merge_all(store& into, const lobby_list& list) {
  lobby_merge sum;
  std::span<const model::lobby_record> rest = list.records;
  while (!rest.empty()) {
    const auto part = into.merge_lobbies(rest, list.kinds);
    INFO((part ? std::string{} : part.error().detail));
    REQUIRE(part.has_value());
    REQUIRE(part->taken > 0);
    for (const auto& each : part->rejected)
      sum.rejected.push_back({sum.taken + each.index, each.problem});
    sum.taken += part->taken;
    sum.accepted += part->accepted;
    sum.unchanged += part->unchanged;
    rest = rest.subspan(part->taken);
  }
  return sum;
}

/// Everything that is stored of lobbies, a line each in the order of their ids.
inline std::vector<std::string> stored_lobbies(const std::string& data_dir) {
  auto db = connection::open(data_dir + "/matchcloud.db");
  REQUIRE(db.has_value());
  auto query = db->prepare(
      "SELECT hex(lobby_id) || ' ' || hex(game_id) || ' ' || duration_class || ' ' || start_ts || "
      "' ' || coalesce(stop_ts, 'running') || ' ' || hex(namespace_id) || ' ' || hex(version_id) "
      "|| ' ' || region_id || ' ' || tier || ' ' || version_name || ' ' || game_mode "
      "FROM lobbies JOIN lobby_kinds USING (kind) ORDER BY lobby_id",
      "read the lobbies");
  REQUIRE(query.has_value());
  std::vector<std::string> lines;
  while (*query->step())
    lines.emplace_back(query->text(0));
  return lines;
}

/// A store with `lobby_catalog` in a directory of its own.
class lobby_store {
public:
  lobby_store() : opened_{open_sqlite(directory_.path(), {.use = workload::bulk})} {
    REQUIRE(opened_.has_value());
    REQUIRE((*opened_)->import_catalog(lobby_catalog()).has_value());
  }

  store& get() { return **opened_; }
  const std::string& path() const { return directory_.path(); }
  std::vector<std::string> lobbies() const { return stored_lobbies(directory_.path()); }
  std::int64_t revision_of(std::uint32_t game) {
    const auto moved = get().moved_games_since(game_subject::lobbies, 0);
    for (const auto& each : moved->games)
      if (each.game_id == id_of(game)) return each.revision;
    return 0;
  }

private:
  fixtures::temporary_directory directory_;
  base::expected<std::unique_ptr<store>> opened_;
};

} // namespace matchcloud::store
