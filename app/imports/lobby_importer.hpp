#pragma once

#include "app/imports/line_input.hpp"
#include "base/failure.hpp"
#include "base/files/file_descriptor.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress_display.hpp"
#include "model/lobbies/lobby.hpp"
#include "store/lobby_sink.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::app {

/// A lobby of an import file, with the first line that names it.
struct spooled_lobby {
  model::lobby_record record;
  std::uint64_t line = 0;
};

/// Holds lobbies on their way from a file into the store, in an unlinked file that is mapped into
/// memory, so that the kernel can write out what does not fit. The index from ids to lobbies takes
/// 8 to 16 bytes of real memory per lobby. One thread.
class lobby_spool {
public:
  /// At this size the index takes 512 MB.
  static constexpr std::size_t lobby_limit = 60'000'000;

  /// Creates the file in `folder`. Fails with `io_failed` or `store_full`.
  static lobby_spool make(const std::string& folder);

  lobby_spool(lobby_spool&& other) noexcept;
  lobby_spool& operator=(lobby_spool&&) = delete;
  ~lobby_spool();

  /// Finds the lobby with the id of `added`, or adds it and returns true with it. The pointer is
  /// valid until the next call. Fails with `import_invalid` beyond the limit, or with `store_full`.
  std::pair<spooled_lobby*, bool> find_or_add(const spooled_lobby& added);

  /// All lobbies, to be read, changed and reordered. After this call, lobbies cannot be found or
  /// added.
  std::span<spooled_lobby> all();
  std::size_t size() const noexcept { return size_; }

private:
  lobby_spool() = default;
  void reserve_one();
  void index_again(std::size_t places);
  /// The slot of the id in the index, or the free slot where it would go.
  std::size_t place_of(const model::uuid& id) const;

  base::file_descriptor file_;
  std::string path_;
  spooled_lobby* mapped_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  /// Positions plus one, by hash; 0 is free. The size is a power of two, at most half of it in use.
  std::vector<std::uint32_t> index_;
};

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
  void check(line_input& in);
  const line_findings& findings() const noexcept { return findings_; }

  /// Writes the good lines. A lobby that the store refuses at this point is left out and becomes a
  /// finding.
  lobby_import_summary write();

private:
  void add(model::input_line line);
  void merge_repeated(spooled_lobby& known, std::uint64_t line);
  /// Checks the attributes of `lobby_`, the current lobby, against the store; records any finding.
  void check_attributes();
  void check_stored();
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
