#include "store/sql/catalog_removal.hpp"

#include "model/records/finding_list.hpp"

namespace matchcloud::store {

namespace {

constexpr std::string_view operation = "remove an element of the catalog";

base::expected<void> hide_namespace(sql_connection& on, const model::uuid& namespace_id) {
  static constexpr sql_command removals[]{
      {"DELETE FROM namespace_domains WHERE namespace_id = $1", operation},
      {"DELETE FROM namespace_regions WHERE namespace_id = $1", operation},
      {"UPDATE namespaces SET removed = 1 WHERE namespace_id = $1", operation}};
  for (const auto& removal : removals)
    if (auto done = on.run(removal, {namespace_id}); !done) return done;
  return {};
}

} // namespace

base::expected<void> hide_element(sql_connection& on, const model::element_key& key) {
  static constexpr sql_command hide_region{"UPDATE regions SET removed = 1 WHERE region_id = $1",
                                           operation};
  static constexpr sql_command hide_tier{"UPDATE tiers SET removed = 1 WHERE tier = $1", operation};
  static constexpr sql_command hide_game{"UPDATE games SET removed = 1 WHERE game_id = $1",
                                         operation};
  switch (key.kind()) {
  case model::element_kind::region: return on.run(hide_region, {key.text()});
  case model::element_kind::tier: return on.run(hide_tier, {key.text()});
  case model::element_kind::game: return on.run(hide_game, {key.uuid()});
  case model::element_kind::game_namespace: return hide_namespace(on, key.uuid());
  }
  return {};
}

base::expected<void> check_returning(sql_connection& on, const model::catalog_document& document) {
  static constexpr sql_command query{"SELECT game_id FROM namespaces WHERE namespace_id = $1 AND "
                                     "game_id <> $2 AND removed = 1",
                                     "look for removed namespaces"};
  model::finding_list findings;
  for (const auto& each : document.namespaces) {
    auto read = for_each_row(on, query, {each.namespace_id, each.game_id}, [&](sql_row& row) {
      findings.add("namespace " + to_string(each.namespace_id),
                   "was removed from game " + to_string(row.uuid(0)) +
                       " and cannot return to game " + to_string(each.game_id) +
                       "; give the new namespace an id of its own");
    });
    if (!read) return read;
  }
  if (!findings.empty()) return findings.failure();
  return {};
}

} // namespace matchcloud::store
