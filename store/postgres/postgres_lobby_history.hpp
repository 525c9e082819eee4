#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "model/lobbies/export_query.hpp"
#include "store/lobby_history.hpp"
#include "store/postgres/postgres.hpp"

#include <cstddef>
#include <memory>
#include <string>
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
  base::expected<void> read(const model::export_query& query, const base::clock& clock,
                            const history_reader& to);

private:
  /// The remaining lobbies of a duration class: those received, and those requested.
  struct cursor {
    std::string fetch;
    binary_rows here;
    int row = 0;
    binary_rows coming;
    /// Whether a result is on its way or in `coming`.
    bool asked = false;
    bool answered = false;
    postgres_connection::take_rows take;
  };
  /// The next lobby of a cursor. Entries are ordered like the rows of the export.
  struct entry {
    std::int64_t start_ts = 0;
    model::uuid lobby_id;
    std::size_t from = 0;

    friend bool operator>(const entry& a, const entry& b) noexcept {
      return a.start_ts != b.start_ts ? a.start_ts > b.start_ts : a.lobby_id > b.lobby_id;
    }
  };

  base::expected<void> open(const model::export_query& query);
  base::expected<void> open_cursor(const model::export_query& query, int duration_class);
  base::expected<void> merge(model::csv_dialect as, const history_reader& to);
  base::expected<void> ask(cursor& of);
  /// Moves to the next lobby of a cursor; false at its end.
  base::expected<bool> advance(cursor& of, const std::function<bool()>& stop);

  postgres_connection* on_;
  /// At stable addresses, because results are written to them.
  std::vector<std::unique_ptr<cursor>> cursors_;
};

} // namespace matchcloud::store
