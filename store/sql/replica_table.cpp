#include "store/sql/replica_table.hpp"

namespace matchcloud::store {

namespace {

/// How long ago the lease of a replica must be over for its row to go.
constexpr std::chrono::milliseconds forgotten_after = std::chrono::hours{1};

} // namespace

base::expected<std::uint32_t> upsert_replica(sql_connection& on, const model::uuid& replica_id,
                                             std::chrono::milliseconds lease) {
  static constexpr sql_command remove{"DELETE FROM replicas WHERE serving_until_ts <= $1",
                                      "forget replicas that are gone"};
  static constexpr sql_command upsert{
      "INSERT INTO replicas (replica_id, serving_until_ts) VALUES ($1, $2) "
      "ON CONFLICT (replica_id) DO UPDATE SET serving_until_ts = excluded.serving_until_ts",
      "renew the lease of a replica"};
  static constexpr sql_command count{"SELECT count(*) FROM replicas WHERE serving_until_ts > $1",
                                     "count the replicas"};
  const auto now_ts = select_store_time(on);
  if (!now_ts) return tl::unexpected(now_ts.error());
  auto done = on.run(upsert, {replica_id, *now_ts + lease.count()});
  // Not those that may come back: two that renew and remove each other would deadlock.
  if (done) done = on.run(remove, {*now_ts - forgotten_after.count()});
  if (!done) return tl::unexpected(done.error());
  return select_integer(on, count, {*now_ts}).map([](std::int64_t all) {
    return static_cast<std::uint32_t>(all);
  });
}

} // namespace matchcloud::store
