#pragma once

#include "app/imports/line_findings.hpp"
#include "app/imports/line_input.hpp"
#include "app/imports/lobby_spool.hpp"
#include "base/expected.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress_display.hpp"
#include "model/lobbies/lobby_batch.hpp"
#include "model/lobbies/lobby_line.hpp"
#include "store/lobby_sink.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace matchcloud::app {

/// The result of a lobby import.
struct lobby_import_summary {
  std::uint64_t lines = 0;
  /// Lobbies that are new or whose times were updated.
  std::uint64_t accepted = 0;
  /// Lobbies that brought nothing new.
  std::uint64_t unchanged = 0;
};

/// Imports lobbies: first checks the whole input and merges repeated reports of a lobby, then
/// writes in transactions that are atomic and repeatable. One thread.
class lobby_importer {
public:
  /// The most memory for the `model::lobby_attributes` of one input.
  static constexpr std::size_t attributes_limit_bytes = 256UL * 1024 * 1024;
  /// The most lobbies that are passed to the store at once.
  static constexpr std::size_t batch_limit = 16'384;

  /// Lines may have `ignored_members`. All other arguments must outlive the import.
  lobby_importer(store::lobby_sink& into, lobby_spool& spool, const cli::interrupt& until,
                 cli::progress_display& progress, std::vector<std::string> ignored_members = {});

  /// Reads and checks everything, first each line, then against the store. Fails with `io_failed`,
  /// with `import_invalid` (the input is too large) or with the store's errors; wrong lines are
  /// reported in `findings`.
  base::expected<void> check(line_input& in);
  const line_findings& findings() const noexcept { return findings_; }

  /// Writes the good lines. A lobby that the store refuses at this point is left out and becomes a
  /// finding.
  base::expected<lobby_import_summary> write();

private:
  base::expected<void> add(model::input_line line);
  base::expected<void> merge_repeated(spooled_lobby& known, std::uint64_t line);
  /// Checks the attributes of `lobby_`, the current lobby, against the store; records any finding.
  base::expected<void> check_attributes();
  base::expected<void> check_stored();
  /// Removes the lobbies marked by `leave_out` from `lobbies_`.
  void drop_left_out();
  void leave_out(spooled_lobby& which, model::line_finding finding);
  std::span<const model::lobby_record> batch_at(std::size_t first);

  store::lobby_sink* into_;
  lobby_spool* spool_;
  const cli::interrupt* until_;
  cli::progress_display* progress_;
  model::lobby_line_reader reader_;
  model::lobby lobby_;
  model::lobby_attributes_table attributes_;
  /// Indexed by the number of the attributes.
  std::vector<store::attributes_check> checks_;
  std::span<spooled_lobby> lobbies_;
  std::vector<model::lobby_record> batch_;
  line_findings findings_;
  lobby_import_summary summary_;
};

} // namespace matchcloud::app
