#include "app/reports/copy_report.hpp"

#include "app/reports/text_table.hpp"
#include "base/hexadecimal.hpp"
#include "model/json/json_writer.hpp"

namespace matchcloud::app {

std::string table_of(const copy_report& report, std::size_t width) {
  text_table table;
  table.columns = {{"TABLE"}, {"ROWS"}, {"WRITTEN"}, {"SHA-256"}};
  for (const auto& each : report.tables)
    table.rows.push_back({std::string{each.table}, std::to_string(each.rows),
                          std::to_string(each.written),
                          base::hexadecimal(each.digest).substr(0, shown_digits)});
  auto text = table.render(width);
  for (const auto& each : report.secrets)
    text.append(each.name).append(": ").append(std::to_string(each.versions)).append(" versions\n");
  return text + "both stores have the same content\n";
}

std::string json_of(const copy_report& report) {
  model::json_writer json;
  json.object().name("tables").array();
  for (const auto& each : report.tables) {
    json.object().name("table").text(each.table).name("rows").number(each.rows);
    json.name("written").number(each.written).name("sha256").text(base::hexadecimal(each.digest));
    json.end_object();
  }
  json.end_array().name("secrets").array();
  for (const auto& each : report.secrets)
    json.object().name("name").text(each.name).name("versions").number(each.versions).end_object();
  json.end_array().end_object();
  return json.take() + "\n";
}

} // namespace matchcloud::app
