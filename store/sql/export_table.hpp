#pragma once

#include "store/export_records.hpp"
#include "store/sql/sql.hpp"

namespace matchcloud::store {

// Implement the functions of `export_records` with these names. Call those that change anything in
// a write transaction.

/// Waits for others who claim an export of the query, until their transactions end.
base::expected<void> lock_claims_of(sql_connection& on, const model::export_query& query);
base::expected<void> insert_export(sql_connection& on, const export_record& record,
                                   std::int64_t begun_ts);
/// Gives an export of the generation before that of `record` its generation and owner. Returns
/// false if there is none that is incomplete.
base::expected<bool> take_over_export(sql_connection& on, const export_record& record,
                                      std::int64_t begun_ts);
base::expected<bool> renew_export(sql_connection& on, const export_record& mine,
                                  std::chrono::milliseconds lease);
base::expected<bool> complete_export(sql_connection& on, const export_record& whole);
/// Nothing is known of the revisions in what this returns.
base::expected<query_exports> select_exports_of(sql_connection& on,
                                                const model::export_query& query);
base::expected<std::optional<export_record>> select_export(sql_connection& on,
                                                           const model::uuid& export_id);
base::expected<void> delete_export(sql_connection& on, const export_record& which);
base::expected<std::vector<export_record>> select_exports_over(sql_connection& on,
                                                               std::int64_t now_ts,
                                                               std::int64_t begun_before_ts,
                                                               std::size_t limit);
base::expected<void> select_exports(sql_connection& on,
                                    const std::function<bool(const export_record&)>& take);
base::expected<export_usages> select_export_usage(sql_connection& on);

} // namespace matchcloud::store
