#include "app/reports/object_report.hpp"

#include "app/reports/text_table.hpp"
#include "model/json/json_writer.hpp"

#include <string_view>
#include <vector>

namespace matchcloud::app {

namespace {

using entries = std::vector<store::object_audit::entry>;

void append(text_table& table, std::string_view what, const entries& all) {
  for (const auto& each : all)
    table.rows.push_back({std::string{what}, each.name, std::to_string(each.size_bytes)});
}

void append(model::json_writer& json, std::string_view name, const entries& all) {
  json.name(name).array();
  for (const auto& each : all)
    json.object().name("name").text(each.name).name("bytes").number(each.size_bytes).end_object();
  json.end_array();
}

} // namespace

std::string table_of(const object_report& report, std::size_t width) {
  const auto& found = report.found;
  text_table table;
  table.columns = {{"IS"}, {"OBJECT"}, {"BYTES"}};
  append(table, "missing", found.missing);
  append(table, "unreferenced", found.unreferred);
  auto text = table.rows.empty() ? std::string{} : table.render(width);
  text += std::to_string(found.images) + " images and " + std::to_string(found.exports) +
          " exports are referenced, " + std::to_string(found.missing.size()) + " missing, " +
          std::to_string(found.unreferred.size()) + " unreferenced";
  if (report.removed) text += ", " + std::to_string(*report.removed) + " removed";
  if (found.young > 0)
    text += ", " + std::to_string(found.young) + " younger than " + std::to_string(report.age_h) +
            " h ignored";
  return text + "\n";
}

std::string json_of(const object_report& report) {
  const auto& found = report.found;
  model::json_writer json;
  json.object().name("images").number(found.images).name("exports").number(found.exports);
  append(json, "missing", found.missing);
  append(json, "unreferred", found.unreferred);
  json.name("young").number(found.young);
  if (report.removed) json.name("removed").number(std::uint64_t{*report.removed});
  json.end_object();
  return json.take() + "\n";
}

} // namespace matchcloud::app
