#pragma once

#include "base/expected.hpp"
#include "base/open_file.hpp"
#include "model/text/uuid.hpp"
#include "store/exports/export_about.hpp"
#include "store/exports/export_ledger.hpp"
#include "store/files/new_file.hpp"
#include "store/files/temporary_folder.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace matchcloud::store {

class export_folder;

/// The limit on finished exports of a data directory, regardless of their size.
inline constexpr std::size_t export_count_limit = 100'000;

/// The default limit on exports that are open at the same time, each with at most two descriptors.
inline constexpr std::size_t open_exports_limit = 256;

/// A finished export, which stays open while this object is held. Immutable.
struct opened_export {
  export_facts facts;
  std::shared_ptr<const base::open_file> csv;
  /// The compressed file; null if it has not been made.
  std::shared_ptr<const base::open_file> gzip;
};

class export_files;

/// An export that is being written outside `exports/`; removed with this object unless it was
/// published. Its `export_files` must outlive it. One thread at a time.
class export_draft {
public:
  export_draft(export_draft&& other) noexcept;
  export_draft& operator=(export_draft&&) = delete;
  ~export_draft();

  /// Appends to the CSV. Fails with `exports_full` if the byte limit is reached, or with
  /// `store_full` or `store_failed`; after a failure the draft can no longer be published.
  base::expected<void> append(std::string_view bytes);
  std::uint64_t size_bytes() const noexcept { return file_.size_bytes(); }

private:
  friend class export_files;
  export_draft(export_files& files, std::string folder, new_file file) noexcept;

  export_files* files_;
  /// Empty once the draft is published or moved from.
  std::string folder_;
  new_file file_;
  /// The bytes taken from the ledger's limit.
  std::uint64_t taken_bytes_ = 0;
  /// Whether everything that was appended is in the file.
  bool whole_ = true;
};

/// The exports of a data directory. Each is a folder, `DATA_DIR/exports/EXPORT_ID/`, which is
/// renamed into place when it is complete. Several processes share the directory. One object per
/// process; any thread. All calls wait for the disk.
class export_files {
public:
  /// Opens the exports of a data directory. `limit_bytes` bounds the sum of all CSV and compressed
  /// files, including this process's unfinished ones. Fails with `store_failed` or `store_full`.
  static base::expected<std::unique_ptr<export_files>>
  open(std::string data_dir, std::uint64_t limit_bytes,
       std::size_t open_limit = open_exports_limit);
  export_files(const export_files&) = delete;
  export_files& operator=(const export_files&) = delete;

  /// Begins an export. Fails with `exports_full` at the limit, or with `store_full` or
  /// `store_failed`.
  base::expected<export_draft> begin();
  /// Publishes a draft as the export with the id in `facts`; it is on disk when this returns. A
  /// failure leaves nothing behind.
  base::expected<void> publish(export_draft draft, const export_facts& facts);

  /// Opens an export. Fails with `export_not_found` (also if the export is damaged, which is
  /// logged), with `overloaded` if too many files are open, or with `io_failed`.
  base::expected<std::shared_ptr<const opened_export>> open(const model::uuid& export_id);

  /// Whether an export's folder exists; the export may be damaged.
  bool has(const model::uuid& export_id) const;

  /// Makes the compressed file beside an export's CSV unless it exists. `stop` is called from time
  /// to time. Fails with `cancelled`, `overloaded`, `export_not_found`, `exports_full`,
  /// `store_full`, `store_failed` or `io_failed`; a failure leaves nothing behind.
  base::expected<void> compress(const model::uuid& export_id, const std::function<bool()>& stop);

  /// Removes an export, if it exists; requests that have it open can still read it.
  void remove(const model::uuid& export_id);
  /// Removes all exports that have expired at `now_ts` (milliseconds since 1970) and recounts the
  /// bytes of the others. Leaves alone whatever is not an export and logs it once. Fails with
  /// `store_failed`.
  base::expected<void> sweep(std::int64_t now_ts);

  /// Bytes of finished and unfinished exports: the last count plus what this process changed since.
  std::uint64_t used_bytes() const { return ledger_.used_bytes(); }
  /// The number of exports that are open or were open recently; at most `open_limit`.
  std::size_t known() const;

private:
  friend class export_draft;
  export_files(std::string data_dir, std::uint64_t limit_bytes, std::size_t open_limit,
               temporary_folder folder);

  /// The files of an export that may be open, so that all readers share the descriptors.
  struct shared_files {
    export_facts facts;
    std::weak_ptr<const base::open_file> csv;
    std::weak_ptr<const base::open_file> gzip;
  };

  /// A new path in this process's temporary folder, for an export that is incomplete or being
  /// removed.
  std::string path_aside();
  // All functions below require that `mutex_` is held.
  base::expected<std::shared_ptr<const opened_export>> open_shared(const model::uuid& export_id,
                                                                   const export_folder& folder);
  base::expected<void> open_csv(const export_folder& folder, opened_export& into);
  bool make_room();
  bool move_aside(const model::uuid& export_id, const std::string& aside);
  void sweep_one(const model::uuid& export_id, std::int64_t now_ts, const std::string& aside);
  void tell_damaged(const model::uuid& export_id, const std::string& detail);
  void tell_once(const std::string& about, std::string_view what);

  std::string data_dir_;
  std::size_t open_limit_;
  temporary_folder folder_;
  export_ledger ledger_;
  std::atomic<std::uint64_t> made_aside_{0};
  /// Held while names in `exports/` change and while files are opened, so that of two concurrent
  /// requests one opens the files and both share them.
  mutable std::mutex mutex_;
  std::unordered_map<model::uuid, shared_files> open_;
  /// Subjects of warnings that were already logged.
  std::set<std::string> told_;
};

} // namespace matchcloud::store
