#include "store/exports/export_store.hpp"

#include <spdlog/fmt/fmt.h>

namespace matchcloud::store {

std::string export_disposition(const model::export_query& query) {
  return fmt::format("attachment; filename=\"lobby-history_{}_{}_{}{}.csv\"",
                     model::to_string(query.game_id), query.span.begin, query.span.end,
                     query.dialect == model::csv_dialect::excel ? "_excel" : "");
}

void export_store::show(base::metric_set& in) const {
  in.add_gauge(
      {"matchcloud_export_file_bytes", "Size of all export files, including unfinished ones."},
      [this] { return used_bytes(); });
  in.add_counter({"matchcloud_export_leases_lost_total",
                  "Exports that another replica took over while this one was still writing them."},
                 [this] { return leases_lost(); });
  in.add_counter(exports_over_share, [this] { return refused_by_share(); }, {"of", "files"});
}

tl::unexpected<base::error> export_not_found() {
  return base::fail(base::errc::export_not_found,
                    "There is no such export, or it was removed: exports are removed when their "
                    "URLs expire. Request the export again.");
}

tl::unexpected<base::error> too_many_exports_open() {
  return base::fail(base::errc::overloaded, "Too many exports are open. Retry later.");
}

tl::unexpected<base::error> exports_full() {
  return base::fail(base::errc::exports_full,
                    "The space for export files is full, and existing exports stay until their "
                    "URLs expire. Retry when some have expired, or request a shorter span.");
}

} // namespace matchcloud::store
