#include "store/backup/store_rows.hpp"

#include "base/hexadecimal.hpp"
#include "store/backup/row_checks.hpp"
#include "store/copy/copied_tables.hpp"
#include "store/copy/table_pages.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::store {

namespace {

table_facts read_table(sql_connection& on, const copied_table& table, const copy_watch& watch,
                       row_checks& checks, std::vector<image_key>& images) {
  const auto step = std::string{table.name} + " read";
  checks.begin(table);
  table_pages pages{on, table};
  row_digest digest{table};
  bool has_more = true;
  while (has_more) {
    if (watch.stop && watch.stop()) throw base::failure{base::errc::cancelled, "interrupted"};
    const auto rows = pages.next([&](sql_row& row) {
      digest.add(row);
      checks.look(row);
      if (const auto image = checks.image_of(row)) images.push_back(*image);
      return true;
    });
    has_more = rows == copy_page_rows;
    if (watch.show) watch.show(step, digest.rows());
  }
  return {std::string{table.name}, digest.rows(), base::hexadecimal(digest.digest())};
}

} // namespace

std::uint64_t store_rows::rows_of(std::string_view table) const noexcept {
  const auto at = std::ranges::find(tables, table, &table_facts::name);
  return at == tables.end() ? 0 : at->rows;
}

store_rows read_rows(sql_connection& on, const copy_watch& watch, bool keeps_on) {
  read_along_keys(on);
  store_rows all;
  row_checks checks;
  std::vector<const copied_table*> tables{&revisions_table()};
  for (const auto& each : copied_tables())
    tables.push_back(&each);
  for (const auto* table : tables) {
    try {
      all.tables.push_back(read_table(on, *table, watch, checks, all.images));
    } catch (const base::failure& failed) {
      if (!keeps_on || failed.why().code != base::errc::store_failed) throw;
      all.found.push_back({finding::kind::damaged, std::string{table->name}, failed.what()});
    }
  }
  auto mistakes = checks.found();
  std::ranges::move(mistakes, std::back_inserter(all.found));
  return all;
}

} // namespace matchcloud::store
