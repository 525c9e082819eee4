#pragma once

#include "base/expected.hpp"
#include "model/avatars/avatar.hpp"
#include "model/catalog/catalog.hpp"
#include "model/catalog/catalog_document.hpp"
#include "model/catalog/catalog_element.hpp"
#include "model/lobbies/export_query.hpp"
#include "model/lobbies/lobby.hpp"
#include "store/avatar_store.hpp"
#include "store/catalog_store.hpp"
#include "store/change_feed.hpp"
#include "store/lobby_history.hpp"
#include "store/lobby_sink.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::simulation {

/// Lobbies by id.
using lobby_map = std::map<model::uuid, model::lobby>;
/// The revisions of a subject by game.
using game_revisions = std::map<model::uuid, std::int64_t>;
/// Whether a report of a lobby said anything new, or why it is refused.
using report_outcome = tl::expected<bool, model::line_finding>;
/// Lobbies in export order, each with the columns of its attributes.
using found_lobbies = std::vector<std::pair<const model::lobby*, std::string>>;

/// One state of everything that a store holds, and what the roles of a store do with it, said as
/// plainly as possible: the conformance suite compares it with the engines. New, it is that of a
/// new store.
struct stored_state {
  stored_state();

  std::shared_ptr<const model::catalog> catalog;
  /// Those that were removed too, as they were last: history names them.
  std::map<model::uuid, model::game_namespace> namespaces;
  std::map<std::string, model::region> regions;
  /// By upload id, also of games that were removed.
  std::map<model::uuid, model::avatar> avatars;
  lobby_map lobbies;
  game_revisions avatar_revisions;
  game_revisions lobby_revisions;

  /// Replaces the catalog.
  void become(model::catalog changed);

  // As the roles of the same names say. A change that fails changes nothing.
  base::expected<store::import_summary> import_document(const model::catalog_document& doc);
  base::expected<void> remove(const model::element_key& key);
  std::vector<store::put_outcome> put(std::span<const model::avatar> list);
  store::lobby_merge merge(std::span<const model::lobby_record> records,
                           const model::lobby_attributes_table& attributes);
  store::lobby_merge check(std::span<const model::lobby_record> records,
                           const model::lobby_attributes_table& attributes) const;
  std::vector<store::attributes_check>
  check_attributes(const model::lobby_attributes_table& attributes) const;
  store::history_revisions revisions(const model::uuid& game_id) const;
  store::moved_games moved_games_since(std::int64_t known) const;

  /// The avatars of a game in listing order.
  std::vector<model::avatar> avatars_of(const model::uuid& game_id) const;
  /// The lobbies of an export.
  found_lobbies history_of(const model::export_query& query) const;
  /// The `model::csv_attribute_columns` of a lobby.
  std::string columns_of(const model::lobby& of) const;
  const model::uuid& game_of(const model::lobby& of) const;
  /// Merges a report into `known`, which need not be this state's lobbies.
  report_outcome merge_into(lobby_map& known, const model::lobby& report) const;

  /// Whether this state follows from `before` by a change.
  bool has_moved_since(const stored_state& before) const;
};

/// A report as it is given to a store.
model::lobby report_of(const model::lobby_record& record,
                       const model::lobby_attributes_table& attributes);

/// Merges a report into what is known of its lobby. False where it says nothing new.
bool merge_into(lobby_map& known, const model::lobby& report);

/// Counts what became of the next report.
void count(store::lobby_merge& in, const report_outcome& became);

std::int64_t revision_in(const game_revisions& of, const model::uuid& game);

/// The CSV of an export of `query` that read `state` at `taken_ts`.
std::string csv_of(const stored_state& state, const model::export_query& query,
                   std::int64_t taken_ts);

} // namespace matchcloud::simulation
