#pragma once

#include "store/exports/export_ledger.hpp"
#include "store/exports/export_store.hpp"
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
#include <unordered_set>

namespace matchcloud::store {

class export_folder;

/// The default limit on exports that are open at the same time, each with at most two descriptors.
inline constexpr std::size_t open_exports_limit = 256;

/// The exports of a data directory. Each is a folder, `DATA_DIR/exports/EXPORT_ID/`, which is
/// renamed into place when it is complete. Several processes share the directory. One object per
/// process.
class export_files final : public export_store {
public:
  /// Opens the exports of a data directory. `bounds` applies to all CSV and compressed files,
  /// including this process's unfinished ones. Fails with `store_failed` or `store_full`.
  static base::expected<std::unique_ptr<export_files>>
  open(std::string data_dir, export_bounds bounds, std::size_t open_limit = open_exports_limit);
  export_files(const export_files&) = delete;
  export_files& operator=(const export_files&) = delete;

  base::expected<begun_export> begin(const export_request& request) override;
  base::expected<opened_export_ptr> open(const model::uuid& export_id) override;
  bool has(const model::uuid& export_id) override;
  base::expected<void> compress(const model::uuid& export_id,
                                const std::function<bool()>& stop) override;
  void remove(const model::uuid& export_id) override;
  base::expected<std::size_t> erase(const model::uuid& game_id) override;
  /// Leaves anything that is not an export as it is, and logs it once.
  base::expected<void> sweep(std::int64_t now_ts) override;
  std::uint64_t used_bytes() const override { return ledger_.used_bytes(); }
  std::uint64_t refused_by_share() const override { return ledger_.refused_by_share(); }
  /// The number of exports that are open or were open recently; at most `open_limit`.
  std::size_t known() const;

private:
  /// An export that is being written outside `exports/`.
  class draft;

  export_files(std::string data_dir, export_bounds bounds, std::size_t open_limit,
               temporary_folder folder);

  /// The files of an export that may be open, so that all readers share the descriptors.
  struct shared_files {
    export_facts facts;
    std::weak_ptr<const base::open_file> csv;
    std::weak_ptr<const base::open_file> gzip;
  };

  /// A new path in this process's temporary folder, for an export that is incomplete or being
  /// removed. Fails with `store_failed` if that folder is gone and cannot be created again.
  base::expected<std::string> path_aside();
  /// The exports that have a folder. Logs anything else once.
  base::expected<std::unordered_set<model::uuid>> list();
  /// Gives a draft its name.
  base::expected<void> publish(draft& whole);
  // All functions below require that `mutex_` is held.
  base::expected<opened_export_ptr> open_shared(const model::uuid& export_id,
                                                const export_folder& folder);
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
