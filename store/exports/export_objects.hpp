#pragma once

#include "base/byte_budget.hpp"
#include "base/clock.hpp"
#include "store/database.hpp"
#include "store/exports/export_ledger.hpp"
#include "store/exports/export_store.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>

namespace matchcloud::store {

/// How long an export counts as being written after its process last renewed the lease, and how
/// often it renews it.
inline constexpr std::chrono::milliseconds export_lease_time{10'000};
inline constexpr std::chrono::milliseconds export_renewal_interval{2'000};

/// What exports in a bucket need. What is pointed to must outlive them.
struct export_objects_settings {
  std::shared_ptr<object_store> objects;
  /// The database with the records of exports.
  std::shared_ptr<database> records;
  /// This process.
  model::uuid owner;
  objects_delivery delivery = objects_delivery::redirect;
  /// Lends the memory of exports that the service passes on.
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
};

/// Longer than any call to an object storage takes.
inline constexpr std::chrono::minutes given_up_after{60};

/// How often a sweep looks for objects without a record, and the age from which it removes them and
/// unfinished uploads.
inline constexpr std::chrono::hours leftovers_interval{1};
inline constexpr std::chrono::hours leftovers_age{24};

/// The exports of a bucket: objects that count once the database has their record. Several
/// processes share both: if several are asked for the same export, one writes it, and another takes
/// over if that one dies. Exports are not compressed.
class export_objects final : public export_store {
public:
  explicit export_objects(export_objects_settings settings);

  base::expected<begun_export> begin(const export_request& request) override;
  bool is_shared() const noexcept override { return true; }
  base::expected<std::optional<export_record>> find(const model::export_query& query,
                                                    std::int64_t linked_until_ts) override;
  base::expected<std::optional<export_record>> follow(const export_record& record) override;
  base::expected<opened_export_ptr> open(const model::uuid& export_id) override;
  base::expected<opened_export_ptr> for_reader(const opened_export_ptr& opened) override;
  bool has(const model::uuid& export_id) override;
  /// Does nothing.
  base::expected<void> compress(const model::uuid&, const std::function<bool()>&) override {
    return {};
  }
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

  /// Calls the method `what` of the records in its own session.
  auto ask(auto what, const auto&... with) {
    return settings_.records->exports().and_then(
        [&](const auto& in) { return ((*in).*what)(with...); });
  }
  /// The result of `claim_export` for a request, after checking that a whole export's object
  /// exists.
  base::expected<export_claimed> claim(const export_request& request);
  /// Whether the object of a whole export exists (true if that is unknown); forgets the export if
  /// it does not.
  bool is_there(const export_record& whole);
  base::expected<bool> renew(const export_record& record);
  /// Forgets a record. A failure is only logged: a sweep forgets the record when it is old.
  void forget(const export_record& record);
  base::expected<void> remove(const export_record& record);
  base::expected<void> remove_over(std::int64_t now_ts);
  /// Removes objects without a record, and unfinished uploads.
  base::expected<void> collect_leftovers(std::int64_t now_ts);

  export_objects_settings settings_;
  std::atomic<std::uint64_t> leases_lost_{0};
  /// The complete exports of the last count, those finished here since, and this process's
  /// unfinished ones.
  export_ledger ledger_;
  /// When a sweep next looks for leftovers, once per `leftovers_interval`.
  std::atomic<base::steady_time> next_collection_{};
};

} // namespace matchcloud::store
