#include "store/sqlite/sqlite_catalog.hpp"

#include "store/sqlite/rows.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::store {

namespace {

base::expected<void> read_regions(connection& on, model::catalog& into) {
  return for_each_row(on,
                      "SELECT region_id, region_display_name, provider_display_name, latitude, "
                      "longitude FROM regions WHERE removed = 0 ORDER BY region_id",
                      "read the regions", [&](statement& row) {
                        into.regions.push_back({std::string{row.text(0)},
                                                std::string{row.text(1)},
                                                std::string{row.text(2)},
                                                {row.real(3), row.real(4)}});
                      });
}

base::expected<void> read_tiers(connection& on, model::catalog& into) {
  return for_each_row(on, "SELECT tier FROM tiers WHERE removed = 0 ORDER BY tier",
                      "read the tiers",
                      [&](statement& row) { into.tiers.emplace_back(row.text(0)); });
}

base::expected<void> read_games(connection& on, model::catalog& into) {
  return for_each_row(on,
                      "SELECT game_id, display_name FROM games WHERE removed = 0 ORDER BY game_id",
                      "read the games", [&](statement& row) {
                        into.games.push_back({read_uuid(row, 0), std::string{row.text(1)}});
                      });
}

base::expected<void> read_namespaces(connection& on, model::catalog& into) {
  return for_each_row(
      on,
      "SELECT namespace_id, game_id, name, all_regions FROM namespaces WHERE removed = 0 "
      "ORDER BY namespace_id",
      "read the namespaces", [&](statement& row) {
        model::game_namespace each;
        each.namespace_id = read_uuid(row, 0);
        each.game_id = read_uuid(row, 1);
        each.name = row.text(2);
        if (row.integer(3) == 0) each.regions.emplace();
        into.namespaces.push_back(std::move(each));
      });
}

/// Reads rows of (namespace id, value), ordered by both, and calls `take(namespace, value)` for
/// each. Walks the namespaces, which are in the same order, in parallel.
template <class Take>
base::expected<void> read_lists(connection& on, std::string_view sql, std::string_view operation,
                                model::catalog& into, Take take) {
  auto at = into.namespaces.begin();
  return for_each_row(on, sql, operation, [&](statement& row) {
    const auto id = read_uuid(row, 0);
    while (at != into.namespaces.end() && at->namespace_id < id)
      ++at;
    if (at != into.namespaces.end() && at->namespace_id == id) take(*at, row.text(1));
  });
}

base::expected<void> read_domains(connection& on, model::catalog& into) {
  return read_lists(
      on,
      "SELECT namespace_id, domain FROM namespace_domains "
      "ORDER BY namespace_id, domain",
      "read the domains", into,
      [](model::game_namespace& of, std::string_view domain) { of.domains.emplace_back(domain); });
}

base::expected<void> read_region_lists(connection& on, model::catalog& into) {
  return read_lists(on,
                    "SELECT namespace_id, region_id FROM namespace_regions "
                    "ORDER BY namespace_id, region_id",
                    "read the regions of the namespaces", into,
                    [](model::game_namespace& of, std::string_view region_id) {
                      if (of.regions) of.regions->emplace_back(region_id);
                    });
}

base::expected<void> write_regions(connection& on, const model::catalog& before,
                                   const model::catalog& after) {
  auto upsert = on.prepare(
      "INSERT INTO regions (region_id, region_display_name, provider_display_name, latitude, "
      "longitude) VALUES (?, ?, ?, ?, ?) ON CONFLICT (region_id) DO UPDATE SET "
      "region_display_name = excluded.region_display_name, "
      "provider_display_name = excluded.provider_display_name, "
      "latitude = excluded.latitude, longitude = excluded.longitude, removed = 0",
      "write a region");
  if (!upsert) return tl::unexpected(upsert.error());
  for (const auto& each : after.regions) {
    const auto* old = before.find_region(each.region_id);
    if (old && *old == each) continue;
    upsert->bind(each.region_id).bind(each.region_display_name).bind(each.provider_display_name);
    upsert->bind(each.datacenter_coord.latitude).bind(each.datacenter_coord.longitude);
    if (auto written = upsert->run(); !written) return written;
  }
  return {};
}

base::expected<void> write_tiers(connection& on, const model::catalog& before,
                                 const model::catalog& after) {
  auto insert =
      on.prepare("INSERT INTO tiers (tier) VALUES (?) ON CONFLICT (tier) DO UPDATE SET removed = 0",
                 "write a tier");
  if (!insert) return tl::unexpected(insert.error());
  for (const auto& tier : after.tiers) {
    if (std::ranges::binary_search(before.tiers, tier)) continue;
    if (auto written = insert->bind(tier).run(); !written) return written;
  }
  return {};
}

base::expected<void> write_games(connection& on, const model::catalog& before,
                                 const model::catalog& after) {
  auto upsert = on.prepare("INSERT INTO games (game_id, display_name) VALUES (?, ?) "
                           "ON CONFLICT (game_id) DO UPDATE SET display_name = "
                           "excluded.display_name, removed = 0",
                           "write a game");
  if (!upsert) return tl::unexpected(upsert.error());
  for (const auto& each : after.games) {
    const auto* old = before.find_game(each.game_id);
    if (old && *old == each) continue;
    upsert->bind(each.game_id.bytes).bind(each.display_name);
    if (auto written = upsert->run(); !written) return written;
  }
  return {};
}

using namespace_list = std::vector<const model::game_namespace*>;

/// Writes the namespaces and empties their lists. A domain can move from one namespace to another
/// only after all lists are empty.
base::expected<void> write_namespaces(connection& on, const namespace_list& changed) {
  auto upsert = on.prepare(
      "INSERT INTO namespaces (namespace_id, game_id, name, all_regions) VALUES (?, ?, ?, ?) "
      "ON CONFLICT (namespace_id) DO UPDATE SET name = excluded.name, "
      "all_regions = excluded.all_regions, removed = 0",
      "write a namespace");
  if (!upsert) return tl::unexpected(upsert.error());
  auto drop_domains = on.prepare("DELETE FROM namespace_domains WHERE namespace_id = ?",
                                 "replace the domains of a namespace");
  if (!drop_domains) return tl::unexpected(drop_domains.error());
  auto drop_regions = on.prepare("DELETE FROM namespace_regions WHERE namespace_id = ?",
                                 "replace the regions of a namespace");
  if (!drop_regions) return tl::unexpected(drop_regions.error());
  for (const auto* each : changed) {
    const auto& id = each->namespace_id.bytes;
    upsert->bind(id).bind(each->game_id.bytes).bind(each->name);
    upsert->bind(std::int64_t{each->regions ? 0 : 1});
    if (auto written = upsert->run(); !written) return written;
    if (auto dropped = drop_domains->bind(id).run(); !dropped) return dropped;
    if (auto dropped = drop_regions->bind(id).run(); !dropped) return dropped;
  }
  return {};
}

base::expected<void> write_lists(connection& on, const namespace_list& changed) {
  auto add_domain = on.prepare("INSERT INTO namespace_domains (namespace_id, domain) VALUES (?, ?)",
                               "write a domain of a namespace");
  if (!add_domain) return tl::unexpected(add_domain.error());
  auto add_region =
      on.prepare("INSERT INTO namespace_regions (namespace_id, region_id) VALUES (?, ?)",
                 "write a region of a namespace");
  if (!add_region) return tl::unexpected(add_region.error());
  for (const auto* each : changed) {
    const auto& id = each->namespace_id.bytes;
    for (const auto& domain : each->domains)
      if (auto added = add_domain->bind(id).bind(domain).run(); !added) return added;
    if (!each->regions) continue;
    for (const auto& region_id : *each->regions)
      if (auto added = add_region->bind(id).bind(region_id).run(); !added) return added;
  }
  return {};
}

} // namespace

base::expected<std::int64_t> read_catalog_revision(connection& on) {
  return on.read_integer("SELECT revision FROM revisions WHERE name = 'catalog'",
                         "read the catalog's revision");
}

base::expected<void> write_catalog_revision(connection& on, std::int64_t revision) {
  auto update = on.prepare("UPDATE revisions SET revision = ? WHERE name = 'catalog'",
                           "write the catalog's revision");
  if (!update) return tl::unexpected(update.error());
  return update->bind(revision).run();
}

base::expected<model::catalog> read_catalog(connection& on) {
  model::catalog result;
  const auto revision = read_catalog_revision(on);
  if (!revision) return tl::unexpected(revision.error());
  result.revision = *revision;
  for (const auto part :
       {read_regions, read_tiers, read_games, read_namespaces, read_domains, read_region_lists})
    if (auto done = part(on, result); !done) return tl::unexpected(done.error());
  result.index_domains();
  return result;
}

base::expected<void> write_catalog(connection& on, const model::catalog& before,
                                   const model::catalog& after) {
  for (const auto part : {write_regions, write_tiers, write_games})
    if (auto done = part(on, before, after); !done) return done;
  namespace_list changed;
  for (const auto& each : after.namespaces) {
    const auto* old = before.find_namespace(each.namespace_id);
    if (!old || *old != each) changed.push_back(&each);
  }
  for (const auto part : {write_namespaces, write_lists})
    if (auto done = part(on, changed); !done) return done;
  return write_catalog_revision(on, after.revision);
}

} // namespace matchcloud::store
