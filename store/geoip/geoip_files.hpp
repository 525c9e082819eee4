#pragma once

#include "base/expected.hpp"
#include "store/files/file_state.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::store {

class geoip;
class mmdb_file;

/// The GeoIP files of a process: opened at start, and again when they are replaced on disk, in
/// whatever way (renamed over, overwritten, a symbolic link that leads elsewhere). What is opened
/// are copies, so nothing that happens to the files disturbs who uses them. Any thread.
class geoip_files {
public:
  /// Replaced databases that somebody still uses: at most so many stay in memory; with as many no
  /// file is opened.
  static constexpr std::size_t retired_limit = 4;

  /// A refused file that does not change is opened again every so many looks: what was wrong may
  /// have been the machine, short of memory or descriptors.
  static constexpr unsigned looks_until_retry = 240;

  /// Opens the files in the order of preference. Fails with `geoip_invalid`, naming the file and
  /// the reason. Blocks as `mmdb_file::open` does, for each.
  static base::expected<std::shared_ptr<geoip_files>> open(const std::vector<std::string>& paths);

  struct taken_file {
    std::string path;
    std::int64_t size_bytes = 0;
  };

  struct findings {
    /// By all files, each as it was last taken. Never null.
    std::shared_ptr<const geoip> in_force;
    /// Files that were opened again.
    std::vector<taken_file> taken;
    /// Why replacements were not taken, naming the files; each is told once. What was open before
    /// stays.
    std::vector<base::error> refused;
  };

  /// Opens what was replaced and is as it was at the last look, so that a file is not read while
  /// it is written; files that were not replaced are not read. Frees replaced databases that nobody
  /// else uses any more, so that nobody else has to wait for that. Blocks as `mmdb_file::open`
  /// does, for each file that is opened.
  findings look();

  /// Waits for a look that is under way.
  std::shared_ptr<const geoip> in_force() const;

private:
  struct refusal {
    file_state state;
    std::string reason;
    unsigned looks = 0;
  };

  struct watched_file {
    std::string path;
    std::shared_ptr<const mmdb_file> opened;
    /// Of what is opened; nothing: not known for certain.
    std::optional<file_state> taken;
    std::optional<refusal> refused;
    /// At the last look.
    std::optional<file_state> seen;
  };

  void look_at(watched_file& file, findings& found) const;
  base::expected<std::shared_ptr<const mmdb_file>> open_again(const std::string& path) const;
  std::shared_ptr<const geoip> join() const;

  mutable std::mutex mutex_;
  std::vector<watched_file> files_;
  std::shared_ptr<const geoip> in_force_;
  std::vector<std::shared_ptr<const geoip>> retired_;
};

} // namespace matchcloud::store
