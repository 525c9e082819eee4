#pragma once

#include "base/clock.hpp"
#include "model/avatars/avatar.hpp"
#include "model/catalog/catalog.hpp"
#include "model/lobbies/export_query.hpp"
#include "model/lobbies/lobby.hpp"
#include "model/lobbies/lobby_batch.hpp"
#include "store/database.hpp"
#include "tests/simulation/chance.hpp"
#include "tests/simulation/lobby_batch.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace matchcloud::simulation {

/// One state of everything that a store holds. Immutable: the oracle looks back at any state.
struct stored_state {
  std::shared_ptr<const model::catalog> catalog;
  /// By game, newest first.
  std::map<model::uuid, std::vector<model::avatar>> avatars;
  std::map<model::uuid, std::int64_t> avatar_revisions;
  std::map<model::uuid, std::vector<model::lobby>> lobbies;
  std::map<model::uuid, std::int64_t> lobby_revisions;
};

/// An export that has read the history.
struct taken_snapshot {
  std::size_t state = 0;
  std::int64_t taken_ts = 0;
};

/// The simulated disk: every state so far, in order, and the failures in force.
class database {
public:
  explicit database(std::uint64_t seed);

  const stored_state& now() const { return *states_.back(); }
  const stored_state& at(std::size_t number) const { return *states_[number]; }
  std::size_t last() const noexcept { return states_.size() - 1; }

  /// Each call makes one further state and returns a description for the trace. `now_ts`:
  /// milliseconds since 1970.
  std::string change_catalog();
  std::string change_avatars();
  std::string change_lobbies(std::int64_t now_ts);

  /// Merges the first of `records`, or all of them, into the ingested lobbies.
  store::lobby_merge merge_lobbies(std::span<const model::lobby_record> records,
                                   const model::lobby_attributes_table& attributes);
  /// The lobbies of ingests, apart from those that are exported: no state is kept of them.
  const lobby_map& ingested() const noexcept { return ingested_; }

  /// The database as the node sees it.
  std::shared_ptr<store::database> store(const base::clock& clock);

  /// Whether every call fails.
  bool failing = false;
  /// Called in the middle of long reads, so that the rest of the world goes on.
  std::function<void()> while_reading;
  /// Called before lobbies are committed, and after that.
  std::function<void()> while_merging;
  std::vector<taken_snapshot> snapshots;

private:
  std::shared_ptr<stored_state> next();
  void become(std::shared_ptr<stored_state> state) { states_.push_back(std::move(state)); }

  chance random_;
  std::vector<std::shared_ptr<const stored_state>> states_;
  lobby_map ingested_;
  std::int64_t last_revision_ = 1;
  std::uint32_t last_id_ = 1'000;
};

/// The games. The last one is removed and added repeatedly.
const std::vector<model::uuid>& known_games();
/// The hosts whose pages may request listings.
const std::vector<std::string>& known_domains();

model::uuid numbered(std::uint32_t number);

/// Merges a report into what is known of its lobby. False where it says nothing new.
bool merge_into(lobby_map& known, const model::lobby& report);

/// The CSV of an export of `query` that read `state` at `taken_ts`.
std::string csv_of(const stored_state& state, const model::export_query& query,
                   std::int64_t taken_ts);

} // namespace matchcloud::simulation
