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

/// Finished exports of a data directory, however small.
inline constexpr std::size_t export_count_limit = 100'000;

/// Exports that are open at once, each with two descriptors at most, unless told otherwise.
inline constexpr std::size_t open_exports_limit = 256;

/// A finished export, open for as long as somebody holds it. Immutable.
struct opened_export {
  export_facts facts;
  std::shared_ptr<const base::open_file> csv;
  /// The same bytes compressed; null where nobody has made them yet.
  std::shared_ptr<const base::open_file> gzip;
};

class export_files;

/// An export that is being written, aside; gone with this object unless it was published. Its
/// `export_files` must outlive it. One thread at a time.
class export_draft {
public:
  export_draft(export_draft&& other) noexcept;
  export_draft& operator=(export_draft&&) = delete;
  ~export_draft();

  /// Fails with `exports_full` beyond the limit of bytes, with `store_full` or `store_failed`; then
  /// it cannot be published any more.
  base::expected<void> append(std::string_view bytes);
  std::uint64_t size_bytes() const noexcept { return file_.size_bytes(); }

private:
  friend class export_files;
  export_draft(export_files& files, std::string folder, new_file file) noexcept;

  export_files* files_;
  /// Empty once published or moved from.
  std::string folder_;
  new_file file_;
  /// Of the limit.
  std::uint64_t taken_bytes_ = 0;
  /// Everything that was appended is in it.
  bool whole_ = true;
};

/// The exports of a data directory: a folder each, `DATA_DIR/exports/EXPORT_ID/`, renamed into
/// place whole. Several processes share it. One per process; any thread. All of it waits for the
/// disk.
class export_files {
public:
  /// `limit_bytes`: of all CSV files and compressed ones together, unfinished ones of this process
  /// included. Fails with `store_failed` or `store_full`.
  static base::expected<std::unique_ptr<export_files>>
  open(std::string data_dir, std::uint64_t limit_bytes,
       std::size_t open_limit = open_exports_limit);
  export_files(const export_files&) = delete;
  export_files& operator=(const export_files&) = delete;

  /// Begins a file. Fails with `exports_full` at the limit, with `store_full` or `store_failed`.
  base::expected<export_draft> begin();
  /// Makes it an export under its id, on disk when this returns. Whatever fails, nothing is left.
  base::expected<void> publish(export_draft draft, const export_facts& facts);

  /// Fails with `export_not_found` (also where it is damaged, which is logged), with `overloaded`
  /// where too many files are open, or with `io_failed`.
  base::expected<std::shared_ptr<const opened_export>> open(const model::uuid& export_id);

  /// Whether an export's folder is there; it may be damaged.
  bool has(const model::uuid& export_id) const;

  /// Makes the compressed file of an export beside it, unless it is there. `stop` is asked now and
  /// then. Fails with `cancelled`, `overloaded`, `export_not_found`, `exports_full`, `store_full`,
  /// `store_failed` or `io_failed`; then nothing is left.
  base::expected<void> compress(const model::uuid& export_id, const std::function<bool()>& stop);

  /// Removes an export; who has it open keeps it. One that is not there is removed.
  void remove(const model::uuid& export_id);
  /// Removes all whose time is over at `now_ts` and counts the bytes of the rest anew. What is no
  /// export is left alone and logged once. Fails with `store_failed`.
  base::expected<void> sweep(std::int64_t now_ts);

  /// Finished and unfinished, as of the last count and what this process did since.
  std::uint64_t used_bytes() const { return ledger_.used_bytes(); }
  /// Exports that are open, and some that were until lately. At most `open_limit`.
  std::size_t known() const;

private:
  friend class export_draft;
  export_files(std::string data_dir, std::uint64_t limit_bytes, std::size_t open_limit,
               temporary_folder folder);

  /// Of an export whose files somebody may hold, so that all share the descriptors.
  struct shared_files {
    export_facts facts;
    std::weak_ptr<const base::open_file> csv;
    std::weak_ptr<const base::open_file> gzip;
  };

  /// For what is not whole yet, or not any more.
  std::string path_aside();
  // All below with `mutex_` held.
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
  /// Held while names below `exports/` change and while they are opened: of two who ask at once,
  /// one opens and both get the same.
  mutable std::mutex mutex_;
  std::unordered_map<model::uuid, shared_files> open_;
  /// What was logged.
  std::set<std::string> told_;
};

} // namespace matchcloud::store
