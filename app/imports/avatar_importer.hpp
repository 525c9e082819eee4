#pragma once

#include "app/imports/line_input.hpp"
#include "base/failure.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress_display.hpp"
#include "model/avatars/avatar.hpp"
#include "store/avatar_store.hpp"
#include "store/object_store.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace matchcloud::app {

/// The result of an avatar import; all counts are avatars.
struct avatar_import_summary {
  std::size_t added = 0;
  std::size_t changed = 0;
  std::size_t unchanged = 0;
  /// Avatars among these whose file continues after the end of the image; the rest is not stored.
  std::size_t images_cut = 0;
};

/// Imports avatars and their images: first checks the whole input, then writes it in batches that
/// are atomic and repeatable. One thread.
class avatar_importer {
public:
  /// The most avatars (distinct upload ids) in one input; each takes about 300 bytes of memory.
  static constexpr std::size_t line_limit = 1'000'000;
  /// The most avatars that one transaction writes.
  static constexpr std::size_t batch_limit = 1'024;

  /// `folder` is where images are looked up; it is empty or ends with a slash. Lines may have
  /// `ignored_members`. The other arguments must outlive the import.
  avatar_importer(store::avatar_store& into, std::string folder, const cli::interrupt& until,
                  cli::progress_display& progress, std::vector<std::string> ignored_members = {});

  /// Reads and checks everything: lines, images, games. Fails with `io_failed`, `import_invalid`
  /// (too many avatars) or an error of the store; wrong lines are reported in `findings`.
  void check(line_input& in);
  const line_findings& findings() const noexcept { return findings_; }

  /// Writes the good lines. An image that changed since the check is left out and becomes a
  /// finding.
  avatar_import_summary write(store::object_store& images);

private:
  struct entry {
    std::uint64_t line = 0;
    model::avatar avatar;
    std::string file;
    /// Whether the file continues after the end of the image.
    bool is_cut = false;
  };

  static std::vector<model::avatar> avatars_of(std::span<const entry> entries);
  void add(const model::input_line& line);
  void check_batch();
  void write_batch(std::span<const entry> entries, store::object_store& images);
  /// Stores the images of a batch, several at once. Returns the avatars to write, without the ones
  /// whose image has changed.
  std::vector<entry> put_images(std::span<const entry> entries, store::object_store& images);
  /// Returns false if the image has changed since the check. Any thread.
  base::expected<bool> put_image(const entry& from, store::object_store& images) const;
  /// Whether the store refused the avatar, which is then reported as a finding.
  bool refused(const entry& which, store::put_outcome outcome);

  store::avatar_store* into_;
  std::string folder_;
  const cli::interrupt* until_;
  cli::progress_display* progress_;
  model::avatar_line_reader reader_;
  /// Lines that passed the checks of a single line; after the batch's checks they go to `entries_`.
  std::vector<entry> batch_;
  std::vector<entry> entries_;
  /// Line numbers by upload id, to find duplicates.
  std::unordered_map<model::uuid, std::uint64_t> lines_;
  line_findings findings_;
  avatar_import_summary summary_;
};

} // namespace matchcloud::app
