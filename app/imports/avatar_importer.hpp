#pragma once

#include "app/imports/line_findings.hpp"
#include "app/imports/line_input.hpp"
#include "base/expected.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress_display.hpp"
#include "model/avatars/avatar_line.hpp"
#include "store/avatar_store.hpp"
#include "store/files/media_writer.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace matchcloud::app {

/// What an avatar import did, in avatars.
struct avatar_import_summary {
  std::size_t added = 0;
  std::size_t changed = 0;
  std::size_t unchanged = 0;
};

/// An import of avatars and their images: first the check of the whole input, then the writing in
/// batches that each are whole and can be repeated. One thread.
class avatar_importer {
public:
  /// Lines that one input may have; each takes about 300 bytes of memory.
  static constexpr std::size_t line_limit = 1'000'000;
  /// Avatars that one transaction writes.
  static constexpr std::size_t batch_limit = 1'024;

  /// Images are looked for below `folder`, which is empty or ends with a slash. The rest outlives
  /// the import.
  avatar_importer(store::avatar_store& into, std::string folder, const cli::interrupt& until,
                  cli::progress_display& progress);

  /// Reads and checks everything: lines, images, games. Fails with `io_failed`, `import_invalid`
  /// (too many lines) or what the store fails with; what is wrong with lines is in `findings`.
  base::expected<void> check(line_input& in);
  const line_findings& findings() const noexcept { return findings_; }

  /// Writes the good lines. Images that changed since the check are left out, and are findings.
  base::expected<avatar_import_summary> write(store::media_writer& media);

private:
  struct entry {
    std::uint64_t line = 0;
    model::avatar avatar;
    std::string file;
  };

  static std::vector<model::avatar> avatars_of(std::span<const entry> entries);
  base::expected<void> add(const model::input_line& line);
  base::expected<void> check_batch();
  base::expected<void> write_batch(std::span<const entry> entries, store::media_writer& media);
  base::expected<bool> put_image(const entry& from, store::media_writer& media);
  /// Whether the store would not take it; then it is a finding.
  bool refused(const entry& which, store::put_outcome outcome);

  store::avatar_store* into_;
  std::string folder_;
  const cli::interrupt* until_;
  cli::progress_display* progress_;
  model::avatar_line_reader reader_;
  /// Good as far as they are checked; then they go to `entries_`.
  std::vector<entry> batch_;
  std::vector<entry> entries_;
  /// Lines by upload id, to find repeated ones.
  std::unordered_map<model::uuid, std::uint64_t> lines_;
  line_findings findings_;
  avatar_import_summary summary_;
};

} // namespace matchcloud::app
