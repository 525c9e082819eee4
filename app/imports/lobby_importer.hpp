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
#include <vector>

namespace matchcloud::app {

/// What a lobby import did.
struct lobby_import_summary {
  std::uint64_t lines = 0;
  /// Lobbies that are new or of which something new is known.
  std::uint64_t accepted = 0;
  /// Lobbies that were known already.
  std::uint64_t unchanged = 0;
};

/// An import of lobbies: first the check of the whole input, which merges what the input says of a
/// lobby more than once; then the writing in transactions that each are whole and can be repeated.
/// One thread.
class lobby_importer {
public:
  /// Memory for the `model::lobby_attributes` of one input.
  static constexpr std::size_t attributes_limit_bytes = 256UL * 1024 * 1024;
  /// Lobbies that are handed to the store at once.
  static constexpr std::size_t batch_limit = 16'384;

  /// All of these outlive the import.
  lobby_importer(store::lobby_sink& into, lobby_spool& spool, const cli::interrupt& until,
                 cli::progress_display& progress);

  /// Reads and checks everything, each line and then against the store. Fails with `io_failed`,
  /// `import_invalid` (too much in one input) or what the store fails with; what is wrong with
  /// lines is in `findings`.
  base::expected<void> check(line_input& in);
  const line_findings& findings() const noexcept { return findings_; }

  /// Writes the good lines. What the store refuses by now is left out, and a finding.
  base::expected<lobby_import_summary> write();

private:
  base::expected<void> add(model::input_line line);
  base::expected<void> merge_repeated(spooled_lobby& known, std::uint64_t line);
  /// Asks the store about the attributes of `lobby_`, which is the next without a finding.
  base::expected<void> check_attributes();
  base::expected<void> check_stored();
  /// Takes out of `lobbies_` what is `left_out`.
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
  /// By number of attributes.
  std::vector<store::attributes_check> checks_;
  std::span<spooled_lobby> lobbies_;
  std::vector<model::lobby_record> batch_;
  line_findings findings_;
  lobby_import_summary summary_;
};

} // namespace matchcloud::app
