#include "store/lobby_history.hpp"

#include "base/failure.hpp"
#include "model/lobbies/lobby_csv.hpp"

#include <cstddef>
#include <string>

namespace matchcloud::store {

namespace {

/// The size above which a piece is written.
constexpr std::size_t csv_piece_bytes = 256UL * 1024;
/// More than a row needs, so that a piece is rarely reallocated.
constexpr std::size_t row_room_bytes = 8UL * 1024;

/// Renders lobbies as CSV in pieces. Throws what writing fails with.
class csv_writer {
public:
  csv_writer(const model::export_query& query, const history_output& to) : query_{query}, to_{to} {
    piece_.reserve(csv_piece_bytes + row_room_bytes);
  }

  void begin(const history_snapshot& snapshot) {
    summary_.snapshot = snapshot;
    piece_ += model::csv_beginning(query_.dialect);
    if (to_.begun) to_.begun(snapshot);
  }

  void add(const model::history_lobby& lobby) {
    model::append_lobby_csv(piece_, lobby, query_.span, summary_.snapshot.taken_ts);
    ++summary_.rows;
    summary_.has_running = summary_.has_running || !lobby.times.stop_ts;
    if (piece_.size() >= csv_piece_bytes) write();
  }

  /// Writes the rest and returns the summary.
  history_summary finish() {
    write();
    return summary_;
  }

private:
  void write() {
    summary_.bytes += piece_.size();
    base::value_of(to_.write(piece_, summary_.rows));
    piece_.clear();
  }

  const model::export_query& query_;
  const history_output& to_;
  std::string piece_;
  history_summary summary_;
};

} // namespace

base::expected<history_summary> write_lobby_history(lobby_history& from,
                                                    const model::export_query& query,
                                                    const base::clock& clock,
                                                    const history_output& to) {
  return base::attempt([&] {
    csv_writer out{query, to};
    history_reader reader;
    reader.begun = [&](const history_snapshot& snapshot) { out.begin(snapshot); };
    reader.take = [&](const model::history_lobby& lobby) {
      out.add(lobby);
      return true;
    };
    reader.stop = to.stop;
    base::value_of(from.read(query, clock, reader));
    return out.finish();
  });
}

} // namespace matchcloud::store
