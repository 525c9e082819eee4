#include "store/exports/export_store.hpp"

namespace matchcloud::store {

std::string export_disposition(const model::export_query& query) {
  return "attachment; filename=\"lobby-history_" + model::to_string(query.game_id) + "_" +
         std::to_string(query.span.begin) + "_" + std::to_string(query.span.end) +
         (query.dialect == model::csv_dialect::excel ? "_excel" : "") + ".csv\"";
}

void export_store::show(base::metric_set& in) const {
  in.add_gauge({"matchcloud_export_file_bytes", "Files of exports, unfinished ones included."},
               [this] { return used_bytes(); });
  if (is_shared())
    in.add_counter({"matchcloud_export_leases_lost_total",
                    "Exports that another replica took over while this one still made them."},
                   [this] { return leases_lost(); });
  in.add_counter(exports_over_share, [this] { return refused_by_share(); }, {"of", "files"});
}

tl::unexpected<base::error> export_not_found() {
  return base::fail(base::errc::export_not_found,
                    "There is no such export, or no longer: exports are removed when their URLs "
                    "have expired. Ask for the export again.");
}

tl::unexpected<base::error> too_many_exports_open() {
  return base::fail(base::errc::overloaded,
                    "As many exports are open as the service takes. Try again later.");
}

tl::unexpected<base::error> exports_full() {
  return base::fail(base::errc::exports_full,
                    "The files of exports take as many bytes as they may, and those that are "
                    "there were promised. Ask again when some have expired, or for a shorter "
                    "span.");
}

} // namespace matchcloud::store
