#pragma once

#include "base/expected.hpp"
#include "base/files/open_file.hpp"
#include "base/metrics.hpp"
#include "store/export_records.hpp"
#include "store/object_store.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace matchcloud::store {

/// The `Content-Type` of an export, and its `Content-Disposition`.
inline constexpr std::string_view export_csv_type = "text/csv; charset=utf-8; header=present";
std::string export_disposition(const model::export_query& query);

/// One metric counts refusals by the export queue and by the store of export files.
inline constexpr base::metric_text exports_over_share{
    "matchcloud_exports_over_share_total",
    "Refusals because a game had its share (export-share-percent) of the export queue, or of the "
    "space for files."};

/// A finished export for a download: either its bytes, or where they are. Immutable.
struct opened_export {
  export_facts facts;
  /// Stays open while it is held. Null if the export is elsewhere, or if it is passed on and its
  /// reader is not known yet.
  std::shared_ptr<const base::open_file> csv = {};
  /// The compressed file; null if it has not been made.
  std::shared_ptr<const base::open_file> gzip = {};
  object_links elsewhere = {};
};
using opened_export_ptr = std::shared_ptr<const opened_export>;

/// What is to be exported.
struct export_request {
  model::export_query query;
  /// For a new export.
  model::uuid export_id;
  /// How long links that are issued now are valid, in milliseconds since 1970.
  std::int64_t linked_until_ts = 0;
};

/// An export that is being written; destroying it before it is published leaves nothing behind.
/// Its store must outlive it. One thread at a time; calls wait for the disk or the network.
class export_draft {
public:
  explicit export_draft(const model::uuid& export_id) : export_id_{export_id} {}
  export_draft(const export_draft&) = delete;
  export_draft& operator=(const export_draft&) = delete;
  virtual ~export_draft() = default;

  /// The request's id, or the id of the export that was taken over for it.
  const model::uuid& export_id() const noexcept { return export_id_; }
  /// Notes for other processes which snapshot is being read.
  virtual void note_snapshot(const history_snapshot&) {}
  /// False once another process is known to have taken the export over, which can then no longer be
  /// published here. Costs nothing, unless the lease of a file has to be renewed.
  virtual bool is_own() { return true; }
  /// The same, but checks in the store. True if the check fails.
  virtual bool ask_own() { return true; }
  /// Appends to the CSV. Fails with `exports_full` if the byte limit or the game's share of it is
  /// reached, or with `store_full` or `store_failed` if the store fails; after a failure the draft
  /// can no longer be published.
  virtual base::expected<void> append(std::string_view bytes) = 0;
  /// Publishes the export, which survives a power failure when this returns. The last call. See
  /// `export_facts` for the time, and `export_record` for `has_running`.
  virtual base::expected<void> publish(std::int64_t keep_until_ts, bool has_running = false) = 0;

private:
  model::uuid export_id_;
};

/// An export that another process wrote or writes, which serves a request.
struct other_export {
  export_record record;
  /// The request needs an export whose snapshot covers these revisions. Empty if any export of the
  /// other process will do.
  std::optional<history_revisions> needs;
};
/// The outcome of `begin`.
using begun_export = std::variant<std::unique_ptr<export_draft>, other_export>;

/// The finished exports, for downloads. Any thread. All calls except `for_reader` and `used_bytes`
/// wait for the disk or the network.
class export_store {
public:
  virtual ~export_store() = default;

  /// Begins an export, unless another process has it. Fails with `exports_full` at the limit, or
  /// with `store_full` or `store_failed`.
  virtual base::expected<begun_export> begin(const export_request& request) = 0;

  /// A finished export that serves as well as a new one, or else one in progress at another process
  /// that may. See `export_request` for the time. Fails with `store_failed`.
  virtual base::expected<std::optional<export_record>> find(const model::export_query& /*query*/,
                                                            std::int64_t /*linked_until_ts*/) {
    return std::nullopt;
  }
  /// The state of an export that another process is writing; nothing if that process gave up or
  /// died, so that another has to write it. Fails with `store_failed`.
  virtual base::expected<std::optional<export_record>> follow(const export_record& /*record*/) {
    return std::nullopt;
  }

  /// Opens an export. Fails with `export_not_found` (also if the export is damaged, which is
  /// logged), with `overloaded` if too many files are open, or with `io_failed` or `store_failed`.
  virtual base::expected<opened_export_ptr> open(const model::uuid& export_id) = 0;
  /// Prepares an opened export, which several downloads may share, for one of them. Fails with
  /// `budget_exhausted` or `io_failed`.
  virtual base::expected<opened_export_ptr> for_reader(const opened_export_ptr& opened) {
    return opened;
  }

  /// Whether the export exists, possibly damaged. True if that is unknown.
  virtual bool has(const model::uuid& export_id) = 0;

  /// Makes the compressed file next to an export's CSV, if that is a file, unless it exists. `stop`
  /// is called from time to time. Fails with `cancelled`, `overloaded`, `export_not_found`,
  /// `exports_full`, `store_full`, `store_failed` or `io_failed`; a failure leaves nothing behind.
  virtual base::expected<void> compress(const model::uuid& export_id,
                                        const std::function<bool()>& stop) = 0;

  /// Removes an export, if it exists; requests that have it open can still read it.
  virtual void remove(const model::uuid& export_id) = 0;
  /// Removes all exports of a game, complete or not, and returns how many there were. Fails with
  /// `store_failed`.
  virtual base::expected<std::size_t> erase(const model::uuid& game_id) = 0;
  /// Removes all exports that have expired at `now_ts` (milliseconds since 1970), and what dead
  /// processes left, and recounts the bytes of the others. Fails with `store_failed`.
  virtual base::expected<void> sweep(std::int64_t now_ts) = 0;

  /// Bytes of finished and unfinished exports: the last count plus what this process changed since.
  virtual std::uint64_t used_bytes() const = 0;
  /// How often this process refused bytes because the game's share was used up.
  virtual std::uint64_t refused_by_share() const { return 0; }
  /// How many exports of this process another one took over, because this one did not renew their
  /// leases in time.
  virtual std::uint64_t leases_lost() const { return 0; }
  /// Adds the numbers above.
  void show(base::metric_set& in) const;
};

tl::unexpected<base::error> export_not_found();
tl::unexpected<base::error> too_many_exports_open();
/// Fails with `exports_full`: no space is left for export files.
tl::unexpected<base::error> exports_full();

} // namespace matchcloud::store
