#pragma once

#include "base/expected.hpp"
#include "base/file_descriptor.hpp"
#include "base/open_file.hpp"
#include "model/export_query.hpp"
#include "model/uuid.hpp"
#include "store/temporary_folder.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace matchcloud::store {

/// What is kept beside a finished export.
struct export_facts {
  model::uuid export_id;
  model::export_query query;
  /// Milliseconds since 1970. No URL of it lives longer; then anybody may remove it.
  std::int64_t keep_until_ts = 0;

  friend bool operator==(const export_facts&, const export_facts&) = default;
};

/// A finished export, open for as long as somebody holds it. Immutable.
struct opened_export {
  export_facts facts;
  std::shared_ptr<const base::open_file> csv;
  /// The same bytes compressed; null where nobody has made them yet.
  std::shared_ptr<const base::open_file> gzip;
};

class export_files;

/// An export that is being written, aside; gone with this object unless it was published. One
/// thread at a time.
class export_draft {
public:
  export_draft(export_draft&& other) noexcept;
  export_draft& operator=(export_draft&&) = delete;
  ~export_draft();

  /// Fails with `exports_full` beyond the limit of bytes, with `store_full` or `store_failed`.
  base::expected<void> append(std::string_view bytes);
  std::uint64_t size_bytes() const noexcept { return size_bytes_; }

private:
  friend class export_files;
  export_draft(export_files& files, std::string folder, base::file_descriptor file) noexcept;

  export_files* files_;
  /// Empty once published or moved from.
  std::string folder_;
  base::file_descriptor file_;
  std::uint64_t size_bytes_ = 0;
  /// Handed to the disk already, so that the last sync is short.
  std::uint64_t flushed_bytes_ = 0;
};

/// The exports of a data directory: a folder each, `DATA_DIR/exports/EXPORT_ID/`, renamed into
/// place whole. Several processes share it. One per process; any thread. All of it waits for the
/// disk.
class export_files {
public:
  /// `limit_bytes`: of all files together, compressed ones and unfinished ones included. Fails with
  /// `store_failed` or `store_full`.
  static base::expected<std::unique_ptr<export_files>> open(std::string data_dir,
                                                            std::uint64_t limit_bytes);
  export_files(const export_files&) = delete;
  export_files& operator=(const export_files&) = delete;

  /// Begins a file. Fails with `exports_full` at the limit, with `store_full` or `store_failed`.
  base::expected<export_draft> begin();
  /// Makes it an export under its id, on disk when this returns. Whatever fails, nothing is left.
  base::expected<void> publish(export_draft draft, const export_facts& facts);

  /// Fails with `export_not_found`, with `overloaded` where too many files are open, or with
  /// `io_failed`.
  base::expected<std::shared_ptr<const opened_export>> open(const model::uuid& export_id);

  /// Makes the compressed file of an export beside it, unless it is there. `stop` is asked now and
  /// then. Fails with `cancelled`, `export_not_found`, `exports_full`, `store_full` or
  /// `store_failed`; then nothing is left.
  base::expected<void> compress(const model::uuid& export_id, const std::function<bool()>& stop);

  /// Removes an export; who has it open keeps it. One that is not there is removed.
  void remove(const model::uuid& export_id);
  /// Removes all whose time is over at `now_ts` and counts the bytes of the rest anew.
  base::expected<void> sweep(std::int64_t now_ts);

  /// Finished and unfinished, as of the last count and what this process did since.
  std::uint64_t used_bytes() const noexcept { return used_bytes_.load(std::memory_order_relaxed); }

private:
  friend class export_draft;
  export_files(std::string data_dir, std::uint64_t limit_bytes, temporary_folder folder);

  std::string data_dir_;
  std::uint64_t limit_bytes_;
  temporary_folder folder_;
  std::atomic<std::uint64_t> used_bytes_{0};
  std::mutex mutex_;
  /// Of what is open, so that all readers of a file share its descriptor.
  std::unordered_map<model::uuid, std::weak_ptr<const opened_export>> open_;
};

} // namespace matchcloud::store
