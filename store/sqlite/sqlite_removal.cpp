#include "store/sqlite/sqlite_removal.hpp"

#include "model/records/finding_list.hpp"
#include "store/sqlite/rows.hpp"

namespace matchcloud::store {

namespace {

base::expected<void> run_for(connection& on, const char* sql, const model::element_key& key) {
  auto change = on.prepare(sql, "remove an element of the catalog");
  if (!change) return tl::unexpected(change.error());
  switch (key.kind()) {
  case model::element_kind::region:
  case model::element_kind::tier: change->bind(key.text()); break;
  case model::element_kind::game:
  case model::element_kind::game_namespace: change->bind(key.uuid().bytes); break;
  }
  return change->run();
}

base::expected<void> hide_namespace(connection& on, const model::element_key& key) {
  for (const auto* sql : {"DELETE FROM namespace_domains WHERE namespace_id = ?",
                          "DELETE FROM namespace_regions WHERE namespace_id = ?",
                          "UPDATE namespaces SET removed = 1 WHERE namespace_id = ?"})
    if (auto done = run_for(on, sql, key); !done) return done;
  return {};
}

} // namespace

base::expected<void> hide_element(connection& on, const model::element_key& key) {
  switch (key.kind()) {
  case model::element_kind::region:
    return run_for(on, "UPDATE regions SET removed = 1 WHERE region_id = ?", key);
  case model::element_kind::tier:
    return run_for(on, "UPDATE tiers SET removed = 1 WHERE tier = ?", key);
  case model::element_kind::game:
    return run_for(on, "UPDATE games SET removed = 1 WHERE game_id = ?", key);
  case model::element_kind::game_namespace: return hide_namespace(on, key);
  }
  return {};
}

base::expected<void> check_returning(connection& on, const model::catalog_document& document) {
  auto query = on.prepare("SELECT game_id FROM namespaces WHERE namespace_id = ? AND game_id <> ? "
                          "AND removed = 1",
                          "look for removed namespaces");
  if (!query) return tl::unexpected(query.error());
  model::finding_list findings;
  for (const auto& each : document.namespaces) {
    query->bind(each.namespace_id.bytes).bind(each.game_id.bytes);
    auto read = for_each_row(*query, [&](statement& row) {
      findings.add("namespace " + to_string(each.namespace_id),
                   "was removed from game " + to_string(read_uuid(row, 0)) +
                       " and cannot return to game " + to_string(each.game_id) +
                       "; give the new namespace an id of its own");
    });
    if (!read) return read;
  }
  if (!findings.empty()) return findings.failure();
  return {};
}

} // namespace matchcloud::store
