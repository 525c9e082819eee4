#pragma once

#include "base/clock.hpp"
#include "model/text/timestamp.hpp"
#include "store/lobby_history.hpp"
#include "tests/fixtures/csv_reader.hpp"
#include "tests/store/store_fixture.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::store {

/// A clock that stands at the given time.
class fixed_clock final : public base::clock {
public:
  explicit fixed_clock(std::int64_t unix_ms) : unix_ms_{unix_ms} {}
  base::steady_time now() const noexcept override { return {}; }
  std::int64_t unix_ms() const noexcept override { return unix_ms_; }

private:
  std::int64_t unix_ms_;
};

/// A complete export in memory.
struct written_history {
  std::string csv;
  history_summary summary;

  /// The rows without the header, which is checked.
  std::vector<fixtures::csv_record> rows() const {
    auto records = fixtures::read_csv(csv);
    REQUIRE(records.has_value());
    REQUIRE(csv.starts_with(model::lobby_csv_header));
    records->erase(records->begin());
    return *std::move(records);
  }
};

inline base::expected<written_history> try_to_write(lobby_history& from,
                                                    const model::export_query& query,
                                                    std::int64_t snapshot_ts,
                                                    std::function<bool()> stop = {}) {
  written_history written;
  const history_output to{{},
                          [&](std::string_view bytes, std::uint64_t) -> base::expected<void> {
                            written.csv += bytes;
                            return {};
                          },
                          std::move(stop)};
  auto done = write_lobby_history(from, query, fixed_clock{snapshot_ts}, to);
  if (!done) return tl::unexpected(done.error());
  written.summary = *done;
  return written;
}

/// Exports `game` (game 1 by default) and checks the summary.
inline written_history write_all(lobby_history& from, const model::time_span& span,
                                 std::int64_t snapshot_ts, const model::uuid& game = id_of(1)) {
  auto written = had(try_to_write(from, {game, span}, snapshot_ts));
  CHECK(written.summary.bytes == written.csv.size());
  CHECK(written.summary.snapshot.taken_ts == snapshot_ts);
  CHECK(written.summary.rows == written.rows().size());
  return written;
}

/// The lobby numbers (see `id_of`) in an export's rows, in order.
inline std::vector<std::uint32_t> numbers_of(const written_history& written) {
  std::vector<std::uint32_t> numbers;
  for (const auto& row : written.rows())
    numbers.push_back(static_cast<std::uint32_t>(
        std::stoul(row.at(0).substr(row.at(0).size() - 8), nullptr, 16)));
  return numbers;
}

} // namespace matchcloud::store
