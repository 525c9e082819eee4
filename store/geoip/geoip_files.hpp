#pragma once

#include "base/expected.hpp"
#include "base/metrics.hpp"
#include "store/files/stable_file.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::store {

class asn_file;
class geoip;
class mmdb_file;

/// The GeoIP files of a process, and its file of autonomous systems: opened at start, and again
/// whenever they are replaced on disk in any way (renamed over, overwritten, a symbolic link that
/// points elsewhere). Copies are opened, so nothing that happens to the files disturbs their users.
/// Any thread.
class geoip_files {
public:
  /// How many replaced databases may stay in memory because they are still in use; at this limit no
  /// file is opened.
  static constexpr std::size_t retired_limit = 4;

  /// A refused file that has not changed is opened again after this many checks, because the cause
  /// may have been the machine: too little memory or too few descriptors.
  static constexpr unsigned looks_until_retry = 240;

  /// Opens the files, given in order of preference, and a file of autonomous systems if `asn_path`
  /// is not empty. Fails with `geoip_invalid`, naming the file and the reason. Blocks like
  /// `mmdb_file::open` and `asn_file::open`, for each file.
  static base::expected<std::shared_ptr<geoip_files>> open(const std::vector<std::string>& paths,
                                                           const std::string& asn_path = {});

  struct taken_file {
    std::string path;
    std::int64_t size_bytes = 0;
  };

  struct findings {
    /// Combines all files, each as it was last opened successfully. Never null.
    std::shared_ptr<const geoip> in_force;
    /// Files that were opened again successfully.
    std::vector<taken_file> taken;
    /// Why replacements were refused, naming the files; each reason is reported once. The
    /// previously opened file stays in force.
    std::vector<base::error> refused;
  };

  /// Opens files that were replaced and have not changed since the previous check, so that no file
  /// is read while it is being written; other files are not read. Opens one file per check, so that
  /// at most one is in memory twice. Frees replaced databases that are no longer in use, so that no
  /// other thread has to spend the time. Blocks like `open`, for each file that is opened.
  findings reload();

  /// Waits for a running `reload`.
  std::shared_ptr<const geoip> in_force() const;

  /// Adds the build time of each database of places in use. Reading it does not wait for `reload`.
  void show(base::metric_set& in) const;

private:
  struct file_facts {
    std::string path;
    /// From its metadata, in seconds since 1970.
    std::uint64_t built_s = 0;
  };
  struct refusal {
    file_state state;
    std::string reason;
    unsigned looks = 0;
  };

  /// One of the two.
  struct opened_file {
    std::shared_ptr<const mmdb_file> places;
    std::shared_ptr<const asn_file> asns;
  };
  struct watched_file {
    std::string path;
    bool is_of_asns = false;
    opened_file opened = {};
    /// The state of the open file; empty if it is not known for certain.
    std::optional<file_state> taken = {};
    std::optional<refusal> refused = {};
    /// The state at the previous check.
    std::optional<file_state> seen = {};
  };

  void reload_if_replaced(watched_file& file, findings& found) const;
  // These throw.
  opened_file open_again(const watched_file& file) const;
  static opened_file open_one(const watched_file& file,
                              std::optional<std::uint64_t> corrupted_by = {});
  /// Combines the open files, and stores what `show` reports.
  std::shared_ptr<const geoip> join();

  mutable std::mutex mutex_;
  std::vector<watched_file> files_;
  std::shared_ptr<const geoip> in_force_;
  std::vector<std::shared_ptr<const geoip>> retired_;
  /// Held only briefly, unlike `mutex_`.
  mutable std::mutex facts_mutex_;
  std::vector<file_facts> facts_;
};

} // namespace matchcloud::store
