#include "model/catalog/catalog_change.hpp"
#include "model/catalog/catalog_element.hpp"
#include "model/records/finding_list.hpp"
#include "store/sql/shared_statements.hpp"
#include "store/sql/sql_session.hpp"
#include "store/sql/transactions.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::store {

namespace {

void read_regions(sql_connection& on, model::catalog& into) {
  static constexpr sql_command query{
      "SELECT region_id, region_display_name, provider_display_name, latitude, longitude, "
      "ping_url FROM regions WHERE removed = 0 ORDER BY region_id",
      "read the regions"};
  on.each(query, {}, [&](sql_row& row) {
    into.regions.push_back(
        {row.string(0), row.string(1), row.string(2), {row.real(3), row.real(4)}, row.string(5)});
  });
}

void read_tiers(sql_connection& on, model::catalog& into) {
  static constexpr sql_command query{"SELECT tier FROM tiers WHERE removed = 0 ORDER BY tier",
                                     "read the tiers"};
  on.each(query, {}, [&](sql_row& row) { into.tiers.emplace_back(row.text(0)); });
}

void read_games(sql_connection& on, model::catalog& into) {
  static constexpr sql_command query{
      "SELECT game_id, display_name, retention_days FROM games WHERE removed = 0 ORDER BY game_id",
      "read the games"};
  on.each(query, {}, [&](sql_row& row) {
    into.games.push_back({row.uuid(0), row.string(1), row.optional_integer(2)});
  });
}

void read_namespaces(sql_connection& on, model::catalog& into) {
  static constexpr sql_command query{"SELECT namespace_id, game_id, name, all_regions "
                                     "FROM namespaces WHERE removed = 0 ORDER BY namespace_id",
                                     "read the namespaces"};
  on.each(query, {}, [&](sql_row& row) {
    model::game_namespace each;
    each.namespace_id = row.uuid(0);
    each.game_id = row.uuid(1);
    each.name = row.text(2);
    if (row.integer(3) == 0) each.regions.emplace();
    into.namespaces.push_back(std::move(each));
  });
}

/// Reads rows of (namespace id, value), ordered by both, and calls `take(namespace, value)` for
/// each. Walks the namespaces, which are in the same order, in parallel.
template <class Take>
void read_lists(sql_connection& on, const sql_command& query, model::catalog& into, Take take) {
  auto at = into.namespaces.begin();
  on.each(query, {}, [&](sql_row& row) {
    const auto id = row.uuid(0);
    while (at != into.namespaces.end() && at->namespace_id < id)
      ++at;
    if (at != into.namespaces.end() && at->namespace_id == id) take(*at, row.text(1));
  });
}

void read_domains(sql_connection& on, model::catalog& into) {
  static constexpr sql_command query{
      "SELECT namespace_id, domain FROM namespace_domains ORDER BY namespace_id, domain",
      "read the domains"};
  read_lists(on, query, into, [](model::game_namespace& of, std::string_view domain) {
    of.domains.emplace_back(domain);
  });
}

void read_region_lists(sql_connection& on, model::catalog& into) {
  static constexpr sql_command query{
      "SELECT namespace_id, region_id FROM namespace_regions ORDER BY namespace_id, region_id",
      "read the regions of the namespaces"};
  read_lists(on, query, into, [](model::game_namespace& of, std::string_view region_id) {
    if (of.regions) of.regions->emplace_back(region_id);
  });
}

void write_regions(sql_connection& on, const model::catalog& before, const model::catalog& after) {
  static constexpr sql_command upsert{
      "INSERT INTO regions (region_id, region_display_name, provider_display_name, latitude, "
      "longitude, ping_url) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (region_id) DO UPDATE SET "
      "region_display_name = excluded.region_display_name, "
      "provider_display_name = excluded.provider_display_name, "
      "latitude = excluded.latitude, longitude = excluded.longitude, "
      "ping_url = excluded.ping_url, removed = 0",
      "write a region"};
  for (const auto& each : after.regions) {
    const auto* old = before.find_region(each.region_id);
    if (old && *old == each) continue;
    on.run(upsert,
           {each.region_id, each.region_display_name, each.provider_display_name,
            each.datacenter_coord.latitude, each.datacenter_coord.longitude, each.ping_url});
  }
}

void write_tiers(sql_connection& on, const model::catalog& before, const model::catalog& after) {
  static constexpr sql_command insert{
      "INSERT INTO tiers (tier) VALUES ($1) ON CONFLICT (tier) DO UPDATE SET removed = 0",
      "write a tier"};
  for (const auto& tier : after.tiers)
    if (!std::ranges::binary_search(before.tiers, tier)) on.run(insert, {tier});
}

void write_games(sql_connection& on, const model::catalog& before, const model::catalog& after) {
  static constexpr sql_command upsert{
      "INSERT INTO games (game_id, display_name, retention_days) VALUES ($1, $2, $3) "
      "ON CONFLICT (game_id) DO UPDATE SET display_name = excluded.display_name, "
      "retention_days = excluded.retention_days, removed = 0",
      "write a game"};
  for (const auto& each : after.games) {
    const auto* old = before.find_game(each.game_id);
    if (old && *old == each) continue;
    on.run(upsert, {each.game_id, each.display_name, each.retention_days});
  }
}

using namespace_list = std::vector<const model::game_namespace*>;

/// Writes the namespaces and empties their lists. A domain can move from one namespace to another
/// only after all lists are empty.
void write_namespaces(sql_connection& on, const namespace_list& changed) {
  static constexpr sql_command upsert{
      "INSERT INTO namespaces (namespace_id, game_id, name, all_regions) VALUES ($1, $2, $3, $4) "
      "ON CONFLICT (namespace_id) DO UPDATE SET name = excluded.name, "
      "all_regions = excluded.all_regions, removed = 0",
      "write a namespace"};
  static constexpr sql_command drop_domains{"DELETE FROM namespace_domains WHERE namespace_id = $1",
                                            "replace the domains of a namespace"};
  static constexpr sql_command drop_regions{"DELETE FROM namespace_regions WHERE namespace_id = $1",
                                            "replace the regions of a namespace"};
  for (const auto* each : changed) {
    const auto& id = each->namespace_id;
    on.run(upsert, {id, each->game_id, each->name, !each->regions});
    on.run(drop_domains, {id});
    on.run(drop_regions, {id});
  }
}

void write_lists(sql_connection& on, const namespace_list& changed) {
  static constexpr sql_command add_domain{
      "INSERT INTO namespace_domains (namespace_id, domain) VALUES ($1, $2)",
      "write a domain of a namespace"};
  static constexpr sql_command add_region{
      "INSERT INTO namespace_regions (namespace_id, region_id) VALUES ($1, $2)",
      "write a region of a namespace"};
  for (const auto* each : changed) {
    const auto& id = each->namespace_id;
    for (const auto& domain : each->domains)
      on.run(add_domain, {id, domain});
    if (!each->regions) continue;
    for (const auto& region_id : *each->regions)
      on.run(add_region, {id, region_id});
  }
}

void write_catalog_revision(sql_connection& on, std::int64_t revision) {
  static constexpr sql_command update{"UPDATE revisions SET revision = $1 WHERE name = 'catalog'",
                                      "write the catalog's revision"};
  on.run(update, {revision});
}

/// Reads the whole catalog in order, without removed elements. Call this in a transaction, because
/// it runs several queries.
model::catalog read_catalog(sql_connection& on) {
  model::catalog result;
  result.revision = read_catalog_revision(on);
  read_regions(on, result);
  read_tiers(on, result);
  read_games(on, result);
  read_namespaces(on, result);
  read_domains(on, result);
  read_region_lists(on, result);
  result.index_domains();
  return result;
}

/// Writes the differences between `before`, the stored catalog, and `after`, and the revision of
/// `after`. Removed elements that `after` contains return; `check_returning` must have succeeded.
/// Call this in the write transaction that read `before`.
void write_catalog(sql_connection& on, const model::catalog& before, const model::catalog& after) {
  write_regions(on, before, after);
  write_tiers(on, before, after);
  write_games(on, before, after);
  namespace_list changed;
  for (const auto& each : after.namespaces) {
    const auto* old = before.find_namespace(each.namespace_id);
    if (!old || *old != each) changed.push_back(&each);
  }
  write_namespaces(on, changed);
  write_lists(on, changed);
  write_catalog_revision(on, after.revision);
}

/// The operation, for errors.
constexpr std::string_view removal = "remove an element of the catalog";

/// Hides an element; its row stays because history refers to it. A namespace gives up its domains
/// and regions. Call this in the write transaction that found the element removable.
void hide_element(sql_connection& on, const model::element_key& key) {
  static constexpr sql_command hide_region{"UPDATE regions SET removed = 1 WHERE region_id = $1",
                                           removal};
  static constexpr sql_command hide_tier{"UPDATE tiers SET removed = 1 WHERE tier = $1", removal};
  static constexpr sql_command hide_game{"UPDATE games SET removed = 1 WHERE game_id = $1",
                                         removal};
  static constexpr sql_command hide_namespace[]{
      {"DELETE FROM namespace_domains WHERE namespace_id = $1", removal},
      {"DELETE FROM namespace_regions WHERE namespace_id = $1", removal},
      {"UPDATE namespaces SET removed = 1 WHERE namespace_id = $1", removal}};
  switch (key.kind()) {
  case model::element_kind::region: on.run(hide_region, {key.text()}); return;
  case model::element_kind::tier: on.run(hide_tier, {key.text()}); return;
  case model::element_kind::game: on.run(hide_game, {key.uuid()}); return;
  case model::element_kind::game_namespace:
    for (const auto& each : hide_namespace)
      on.run(each, {key.uuid()});
    return;
  }
}

/// Adds a finding for each game of `document` that was erased.
void find_erased(sql_connection& on, const model::catalog_document& document,
                 model::finding_list& findings) {
  static constexpr sql_command query{"SELECT game_id FROM erasures", "read the erasures"};
  std::set<model::uuid> named;
  for (const auto& each : document.games)
    named.insert(each.game_id);
  on.each(query, {}, [&](sql_row& row) {
    if (const auto id = row.uuid(0); named.contains(id))
      findings.add("game " + to_string(id),
                   "was erased with all its data, and its id cannot be used again; give the new "
                   "game and its namespaces new ids");
  });
}

/// Throws `import_invalid` if `document` names a removed namespace under a game other than its
/// former one, to which its history belongs, or an erased game. `merge` cannot detect this, because
/// it does not see removed elements.
void check_returning(sql_connection& on, const model::catalog_document& document) {
  static constexpr sql_command query{"SELECT game_id FROM namespaces WHERE namespace_id = $1 AND "
                                     "game_id <> $2 AND removed = 1",
                                     "look for removed namespaces"};
  model::finding_list findings;
  find_erased(on, document, findings);
  for (const auto& each : document.namespaces)
    on.each(query, {each.namespace_id, each.game_id}, [&](sql_row& row) {
      findings.add("namespace " + to_string(each.namespace_id),
                   "was removed from game " + to_string(row.uuid(0)) +
                       " and cannot return to game " + to_string(each.game_id) +
                       "; give the new namespace a new id");
    });
  if (!findings.empty()) throw base::failure{findings.failure().value()};
}

/// The number of elements in a catalog.
std::size_t size_of(const model::catalog& of) noexcept {
  return of.regions.size() + of.tiers.size() + of.games.size() + of.namespaces.size();
}

} // namespace

base::expected<std::int64_t> sql_session::revision() {
  return look("read the catalog's revision", [this] { return read_catalog_revision(*on_); });
}

base::expected<model::catalog> sql_session::load() {
  return read_at_once("begin reading the catalog", [this] { return read_catalog(*on_); });
}

base::expected<import_summary> sql_session::import_document(const model::catalog_document& doc) {
  return base::attempt([&] {
    auto changes = sql_transaction::write(*on_, sql_subject::catalog, "import the catalog");
    audit_->begin();
    const auto before = read_catalog(*on_);
    const auto after = base::value_of(model::merge(before, doc));
    check_returning(*on_, doc);
    const import_summary summary{doc.regions.size(),
                                 doc.tiers.size(),
                                 doc.games.size(),
                                 doc.namespaces.size(),
                                 size_of(after) - size_of(before),
                                 after != before};
    if (!summary.changed) return summary;
    write_catalog(*on_, before, after);
    audit_->write(*on_, model::describe_import(before, after, doc));
    audit_->commit(changes);
    return summary;
  });
}

base::expected<void> sql_session::remove(const model::element_key& key) {
  return change(sql_subject::catalog, "change the catalog", [&] {
    const auto before = read_catalog(*on_);
    const auto after = base::value_of(model::without(before, key));
    hide_element(*on_, key);
    write_catalog_revision(*on_, after.revision);
    audit_->write(*on_, model::describe_removal(before, key));
  });
}

} // namespace matchcloud::store
