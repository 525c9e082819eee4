#pragma once

#include "base/clock.hpp"
#include "model/lobbies/export_query.hpp"
#include "store/lobby_history.hpp"
#include "store/postgres/postgres.hpp"

#include <vector>

namespace matchcloud::store {

/// How many lobbies of a duration class are fetched at once. While they are merged, the next batch
/// is on its way: a reading holds at most two batches per class, for 43 classes, of 120 bytes each.
inline constexpr int fetched_at_once = 5'000;

/// Reads lobby history on one connection and from one snapshot, with a cursor for each duration
/// class that the game has, merged by start and id: neither side sorts. One thread.
class postgres_lobby_history {
public:
  explicit postgres_lobby_history(postgres_connection& on) : on_{&on} {}

  /// Implements `lobby_history::read`, in a transaction of its own.
  void read(const model::export_query& query, const base::clock& clock, const history_reader& to);

private:
  /// The remaining lobbies of a duration class: those received, and those requested.
  class cursor;

  /// The duration classes of the game.
  std::vector<int> find_classes(const model::export_query& query);
  void merge(const model::export_query& query, const history_reader& to);

  postgres_connection* on_;
};

} // namespace matchcloud::store
