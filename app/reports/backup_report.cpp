#include "app/reports/backup_report.hpp"

#include "app/reports/findings_report.hpp"
#include "app/reports/text_table.hpp"
#include "model/json/json_writer.hpp"
#include "model/text/timestamp.hpp"
#include "store/export_records.hpp"
#include "store/image_key.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

namespace matchcloud::app {

namespace {

using store::backup_manifest;
using store::finding;

constexpr std::string_view without_secrets =
    "It contains no signing keys: a service on the restored store makes new ones, so export URLs "
    "in use stop working. Tokens stay valid.";

std::string megabytes(std::uint64_t bytes) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f MB", static_cast<double>(bytes) / 1e6);
  return text.data();
}

std::uint64_t count(const backup_manifest& in, const store::object_name& folder,
                    std::string_view ending = {}) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(in.files, [&](const store::backup_file& each) {
        return each.name.starts_with(folder.text() + "/") && each.name.ends_with(ending);
      }));
}

std::uint64_t rows_of(const backup_manifest& in) {
  std::uint64_t rows = 0;
  for (const auto& each : in.tables)
    rows += each.rows;
  return rows;
}

std::uint64_t images_of(const backup_manifest& in) {
  return count(in, store::images_folder());
}

std::uint64_t exports_of(const backup_manifest& in) {
  return count(in, store::exports_folder(), "/about.json");
}

std::string_view kind_of(finding::kind is) {
  switch (is) {
  case finding::kind::missing: return "missing";
  case finding::kind::damaged: return "damaged";
  case finding::kind::unreferenced: return "unreferenced";
  }
  return {};
}

void append_tables(model::json_writer& json, const std::vector<store::table_facts>& tables) {
  json.name("tables").array();
  for (const auto& each : tables) {
    json.object().name("table").text(each.name).name("rows").number(each.rows);
    json.name("sha256").text(each.sha256).end_object();
  }
  json.end_array();
}

void append_facts(model::json_writer& json, const backup_manifest& of) {
  json.name("source").text(of.source).name("engine").text(of.engine);
  json.name("begun").text(model::format_timestamp(of.begun_ts));
  json.name("ended").text(model::format_timestamp(of.ended_ts));
  json.name("secrets").boolean(of.has_secrets);
  json.name("files").number(of.files.size()).name("bytes").number(of.size_bytes());
  append_tables(json, of.tables);
}

} // namespace

std::string text_of(const backup_report& report) {
  const auto& of = report.manifest;
  std::string text = printable_name(report.folder) + ": a complete backup of " + of.source + " (" +
                     of.engine + "): ";
  text += std::to_string(rows_of(of)) + " rows, " + std::to_string(images_of(of)) + " images, " +
          std::to_string(exports_of(of)) + " exports, " + megabytes(of.size_bytes()) + "\n";
  if (!of.has_secrets) return text.append(without_secrets) + "\n";
  return text + "It contains signing keys: protect it as you protect them.\n";
}

std::string text_of(const restore_report& report) {
  const auto& of = report.done.manifest;
  if (report.done.was_done)
    return printable_name(report.into) + ": an earlier run already restored all of " +
           printable_name(report.folder) + "; it is now ready to use\n";
  std::string text = printable_name(report.into) + ": restored as of " +
                     model::format_timestamp(of.begun_ts) + ": " + std::to_string(rows_of(of)) +
                     " rows, " + std::to_string(report.done.images) + " images, " +
                     std::to_string(report.done.exports) + " exports\n";
  if (report.done.exports < exports_of(of))
    text +=
        "The exports of the backup are not in the bucket: they are made again when requested.\n";
  if (of.has_secrets) return text + "Signing keys come from the backup.\n";
  return text.append(without_secrets) + "\n";
}

std::string table_of(const store::verification& found, std::size_t width) {
  std::string text;
  if (!found.tables.empty()) {
    text_table tables;
    tables.columns = {{"TABLE"}, {"ROWS"}, {"SHA-256"}};
    for (const auto& each : found.tables)
      tables.rows.push_back(
          {each.name, std::to_string(each.rows), each.sha256.substr(0, shown_digits)});
    text += tables.render(width);
  }
  if (!found.found.empty()) {
    text_table things;
    things.columns = {{"IS"}, {"WHAT"}, {"DETAIL"}};
    for (const auto& each : found.found)
      things.rows.push_back({std::string{kind_of(each.is)}, each.what, each.detail});
    text += things.render(0); // findings are never shortened
  }
  text += std::to_string(found.images) + " images, " + std::to_string(found.exports) +
          " exports; " + std::to_string(found.faults()) + " missing or damaged, " +
          std::to_string(found.found.size() - found.faults()) + " unreferenced\n";
  if (!found.left_out.empty()) text += "Not checked: " + found.left_out + "\n";
  return text;
}

std::string json_of(const backup_report& report) {
  model::json_writer json;
  json.object().name("folder").text(report.folder);
  append_facts(json, report.manifest);
  json.end_object();
  return json.take() + "\n";
}

std::string json_of(const restore_report& report) {
  model::json_writer json;
  json.object().name("into").text(report.into).name("folder").text(report.folder);
  json.name("images").number(report.done.images).name("exports").number(report.done.exports);
  json.name("was_done").boolean(report.done.was_done);
  append_facts(json, report.done.manifest);
  json.end_object();
  return json.take() + "\n";
}

std::string json_of(const store::verification& found) {
  model::json_writer json{model::json_escapes::beyond_ascii};
  json.object().name("name").text(found.name);
  json.name("images").number(found.images).name("exports").number(found.exports);
  json.name("faults").number(found.faults()).name("found").array();
  for (const auto& each : found.found) {
    json.object().name("is").text(kind_of(each.is)).name("what").text(each.what);
    json.name("detail").text(each.detail).end_object();
  }
  json.end_array().name("left_out").text(found.left_out);
  append_tables(json, found.tables);
  json.end_object();
  return json.take() + "\n";
}

} // namespace matchcloud::app
