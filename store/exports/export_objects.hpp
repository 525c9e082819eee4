#pragma once

#include "base/byte_budget.hpp"
#include "base/clock.hpp"
#include "base/failure.hpp"
#include "base/second_chance_cache.hpp"
#include "store/database.hpp"
#include "store/exports/export_ledger.hpp"
#include "store/exports/export_store.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>

namespace matchcloud::store {

/// How long an export counts as being written after its process last renewed the lease, and how
/// often it renews it.
inline constexpr std::chrono::milliseconds export_lease_time{10'000};
inline constexpr std::chrono::milliseconds export_renewal_interval{2'000};

/// The default limit on exports that are open at the same time, each with at most two descriptors.
inline constexpr std::size_t open_exports_limit = 256;

/// What exports need. What is pointed to must outlive them.
struct export_objects_settings {
  std::shared_ptr<object_store> objects;
  /// The database with the records of exports.
  std::shared_ptr<database> records;
  /// This process.
  model::uuid owner;
  /// How objects in a bucket are delivered.
  objects_delivery delivery = objects_delivery::redirect;
  /// Lends the memory of objects in a bucket that the service passes on.
  base::byte_budget* budget = nullptr;
  const base::clock* clock = nullptr;
  /// Bounds the sum of all finished exports and this process's unfinished ones.
  std::uint64_t limit_bytes = 0;
  /// See `export_bounds`.
  std::size_t game_share_percent = 100;
  /// How long an export may take. An export that is incomplete for longer than this and
  /// `given_up_after` is abandoned.
  std::chrono::milliseconds timeout{600'000};
  std::chrono::milliseconds renewal_interval = export_renewal_interval;
  /// How many exports may be open at the same time, if they are files.
  std::size_t open_limit = open_exports_limit;
};

/// Longer than any call to an object storage takes.
inline constexpr std::chrono::minutes given_up_after{60};

/// How often a sweep looks for objects without a record, and the age from which it removes them and
/// unfinished uploads.
inline constexpr std::chrono::hours leftovers_interval{1};
inline constexpr std::chrono::hours leftovers_age{24};

/// Exports as objects, in a bucket or a data directory, that count once the database has their
/// record. Several processes share both: if several are asked for the same export, one writes it,
/// and another takes over if that one dies. If the objects are files, all readers of one share its
/// descriptor, and it can be compressed. While the database is away, exports that this process
/// published or opened are still served.
class export_objects final : public export_store {
public:
  explicit export_objects(export_objects_settings settings);

  base::expected<begun_export> begin(const export_request& request) override;
  base::expected<std::optional<export_record>> find(const model::export_query& query,
                                                    std::int64_t linked_until_ts) override;
  base::expected<std::optional<export_record>> follow(const export_record& record) override;
  base::expected<opened_export_ptr> open(const model::uuid& export_id) override;
  base::expected<opened_export_ptr> for_reader(const opened_export_ptr& opened) override;
  bool has(const model::uuid& export_id) override;
  base::expected<void> compress(const model::uuid& export_id,
                                const std::function<bool()>& stop) override;
  void remove(const model::uuid& export_id) override;
  base::expected<std::size_t> erase(const model::uuid& game_id) override;
  base::expected<void> sweep(std::int64_t now_ts) override;
  std::uint64_t used_bytes() const override { return ledger_.used_bytes(); }
  std::uint64_t refused_by_share() const override { return ledger_.refused_by_share(); }
  std::uint64_t leases_lost() const override { return leases_lost_; }

private:
  class draft;
  class renewal;
  struct opened_object;
  using opened_ptr = std::shared_ptr<opened_object>;
  /// The files of an export that may be open.
  struct shared_files {
    std::weak_ptr<const base::open_file> csv;
    std::weak_ptr<const base::open_file> gzip;
  };

  // All but those that return an expected throw `base::failure`.

  /// Calls the method `what` of the records in its own session.
  auto ask(auto what, const auto&... with) {
    const auto in = base::value_of(settings_.records->exports());
    return base::value_of(((*in).*what)(with...));
  }
  /// The result of `claim_export` for a request, after checking that a whole export's object
  /// exists.
  export_claimed claim(const export_request& request);
  /// Whether an incomplete export is one that this process gave up while the database could not be
  /// reached; removes it. Call it while no other thread claims.
  bool is_left(const export_record& begun);
  /// Whether the object of a whole export exists (true if that is unknown); forgets the export if
  /// it does not.
  bool is_there(const export_record& whole);
  /// Renews a lease. False if the export is no longer this process's; true if that is unknown.
  bool renew(const export_record& record);
  base::expected<std::optional<export_record>> find_record(const model::uuid& export_id);
  /// The record of a complete export. Throws `export_not_found` or `store_failed`.
  export_record record_of(const model::uuid& export_id);
  opened_ptr open_record(const export_record& record);
  /// Opens the files of an export. One that is damaged or missing is removed.
  opened_ptr open_files(const export_record& record);
  /// The same, but throws `store_failed` if the export is damaged. `mutex_` is held.
  opened_ptr share_files(const export_record& record);
  /// Whether another export may be open. `mutex_` is held.
  bool make_room();
  /// The size of the compressed file; 0 if there is none.
  std::uint64_t gzip_bytes_of(const export_record& record);
  export_usages count();
  /// Forgets a record. A failure is only logged: a sweep forgets the record when it is old.
  void forget(const export_record& record);
  void remove(const export_record& record);
  /// The same, but a failure is only logged: a sweep tries again when the export has expired.
  void discard(const export_record& record);
  void remove_over(std::int64_t now_ts);
  /// Removes objects without a record, and unfinished uploads.
  void collect_leftovers(std::int64_t now_ts);

  export_objects_settings settings_;
  std::atomic<std::uint64_t> leases_lost_{0};
  /// The complete exports of the last count, those finished here since, and this process's
  /// unfinished ones.
  export_ledger ledger_;
  /// When a sweep next looks for leftovers, once per `leftovers_interval`.
  std::atomic<base::steady_time> next_collection_{};
  /// Held from a claim until its draft is there.
  std::mutex claiming_;
  /// Held while files are opened, so that of two concurrent requests one opens them and both share
  /// them.
  std::mutex mutex_;
  std::unordered_map<model::uuid, shared_files> open_;
  /// The exports of this process's drafts.
  std::set<model::uuid> writing_;
  /// Complete exports. Each costs 1.
  base::second_chance_cache<model::uuid, export_record> known_;
};

} // namespace matchcloud::store
