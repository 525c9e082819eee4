#include "store/lobby_history_csv.hpp"

#include "model/lobbies/lobby_csv.hpp"

#include <cstddef>
#include <string>
#include <utility>

namespace matchcloud::store {

namespace {

/// The size above which a piece is written.
constexpr std::size_t csv_piece_bytes = 256UL * 1024;
/// More than a row needs, so that a piece is rarely reallocated.
constexpr std::size_t row_room_bytes = 8UL * 1024;

/// Renders lobbies as CSV in pieces.
class csv_writer {
public:
  csv_writer(const model::export_query& query, const history_output& to) : query_{query}, to_{to} {
    piece_.reserve(csv_piece_bytes + row_room_bytes);
  }

  void begin(const history_snapshot& snapshot) {
    summary_.snapshot = snapshot;
    piece_ = model::csv_beginning(query_.dialect);
    if (to_.begun) to_.begun(snapshot);
  }

  bool add(const model::history_lobby& lobby) {
    model::append_lobby_csv(piece_, lobby, query_.span, summary_.snapshot.taken_ts);
    ++summary_.rows;
    summary_.has_running = summary_.has_running || !lobby.times.stop_ts;
    return piece_.size() < csv_piece_bytes || write();
  }

  /// Writes the rest and returns the summary.
  base::expected<history_summary> finish() {
    if (written_) write();
    if (!written_) return tl::unexpected(written_.error());
    return summary_;
  }

private:
  bool write() {
    summary_.bytes += piece_.size();
    written_ = to_.write(piece_, summary_.rows);
    piece_.clear();
    return written_.has_value();
  }

  const model::export_query& query_;
  const history_output& to_;
  std::string piece_;
  history_summary summary_;
  base::expected<void> written_;
};

} // namespace

base::expected<history_summary> write_lobby_history(lobby_history& from,
                                                    const model::export_query& query,
                                                    const base::clock& clock,
                                                    const history_output& to) {
  csv_writer out{query, to};
  history_reader reader;
  reader.begun = [&](const history_snapshot& snapshot) { out.begin(snapshot); };
  reader.take = [&](const model::history_lobby& lobby) { return out.add(lobby); };
  reader.stop = to.stop;
  if (auto read = from.read(query, clock, reader); !read) return tl::unexpected(read.error());
  return out.finish();
}

} // namespace matchcloud::store
