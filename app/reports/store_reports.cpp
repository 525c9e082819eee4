#include "app/reports/store_reports.hpp"

#include "app/reports/findings_report.hpp"
#include "app/reports/records.hpp"
#include "model/text/timestamp.hpp"
#include "store/object_name.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace matchcloud::app {

namespace {

using store::backup_manifest;
using store::finding;

constexpr std::string_view without_secrets =
    "It contains no signing keys: a service on the restored store makes new ones, so export URLs "
    "in use stop working. Tokens stay valid.";

std::uint64_t rows_of(const backup_manifest& in) {
  std::uint64_t rows = 0;
  for (const auto& each : in.tables)
    rows += each.rows;
  return rows;
}

std::uint64_t images_of(const backup_manifest& in) {
  const auto folder = store::images_folder().text() + "/";
  return static_cast<std::uint64_t>(std::ranges::count_if(
      in.files, [&](const store::backup_file& each) { return each.name.starts_with(folder); }));
}

std::string not_checked(const std::string& what) {
  return what.empty() ? what : "Not checked: " + what + "\n";
}

std::string_view kind_of(finding::kind is) {
  switch (is) {
  case finding::kind::missing: return "missing";
  case finding::kind::damaged:
  case finding::kind::contradictory: return "damaged";
  case finding::kind::unreferenced: return "unreferenced";
  }
  return {};
}

constexpr std::tuple table_members{
    record_member{"table", "TABLE", &store::table_facts::name},
    record_member{"rows", "ROWS", &store::table_facts::rows},
    record_member{"sha256", "SHA-256", &store::table_facts::sha256, shown_digits}};

constexpr std::tuple finding_members{
    record_member{"is", "IS", [](const finding& of) { return kind_of(of.is); }},
    record_member{"what", "WHAT", &finding::what},
    record_member{"detail", "DETAIL", &finding::detail}};

constexpr std::tuple secret_members{
    record_member{"name", "SECRET", &copied_secret::name},
    record_member{"versions", "VERSIONS", &copied_secret::versions}};

constexpr std::tuple object_members{
    record_member{"name", "OBJECT", &store::object_audit::entry::name},
    record_member{"bytes", "BYTES", &store::object_audit::entry::size_bytes}};

void append_facts(model::json_writer& json, const backup_manifest& of) {
  json.name("source").text(of.source).name("engine").text(of.engine);
  json.name("begun").text(model::format_timestamp(of.begun_ts));
  json.name("ended").text(model::format_timestamp(of.ended_ts));
  json.name("secrets").boolean(of.has_secrets());
  json.name("files").number(of.files.size()).name("bytes").number(of.size_bytes());
  json.name("tables");
  write_records(json, of.tables, table_members);
}

} // namespace

std::string text_of(const backup_report& report) {
  const auto& of = report.manifest;
  auto text = fmt::format("{}: a complete backup of {} ({}): {} rows, {} images, {:.1f} MB\n",
                          printable_name(report.folder), of.source, of.engine, rows_of(of),
                          images_of(of), static_cast<double>(of.size_bytes()) / 1e6);
  if (!of.has_secrets()) return text.append(without_secrets) + "\n";
  return text + "It contains signing keys: protect it as you protect them.\n";
}

std::string text_of(const restore_report& report) {
  const auto& of = report.done.manifest;
  if (report.done.was_done)
    return fmt::format("{}: an earlier run already restored all of {}; it is now ready to use\n",
                       printable_name(report.into), printable_name(report.folder));
  auto text =
      fmt::format("{}: restored as of {}: {} rows, {} images\n", printable_name(report.into),
                  model::format_timestamp(of.begun_ts), rows_of(of), report.done.images);
  text.append(of.has_secrets() ? "Signing keys come from the backup." : without_secrets) += "\n";
  return text + not_checked(report.done.left_out);
}

std::string table_of(const store::verification& found, std::size_t width) {
  std::string text;
  if (!found.tables.empty()) text += table_of_records(found.tables, table_members).render(width);
  // Findings are never shortened.
  if (!found.found.empty()) text += table_of_records(found.found, finding_members).render(0);
  text += fmt::format("{} images", found.images);
  if (found.exports) text += fmt::format(", {} exports", *found.exports);
  text += fmt::format("; {} missing or damaged, {} unreferenced\n", found.faults(),
                      found.found.size() - found.faults());
  return text + not_checked(found.left_out);
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
  json.name("images").number(report.done.images).name("was_done").boolean(report.done.was_done);
  json.name("left_out").text(report.done.left_out);
  append_facts(json, report.done.manifest);
  json.end_object();
  return json.take() + "\n";
}

std::string json_of(const store::verification& found) {
  model::json_writer json{model::json_escapes::beyond_ascii};
  json.object().name("name").text(found.name);
  json.name("images").number(found.images).name("exports").number(found.exports.value_or(0));
  json.name("faults").number(found.faults()).name("found");
  write_records(json, found.found, finding_members);
  json.name("left_out").text(found.left_out).name("tables");
  write_records(json, found.tables, table_members);
  json.end_object();
  return json.take() + "\n";
}

std::string table_of(const copy_report& report, std::size_t width) {
  auto text = table_of_records(report.tables, table_members).render(width);
  for (const auto& each : report.secrets)
    text += fmt::format("{}: {} versions\n", each.name, each.versions);
  return text + "both stores have the same content\n";
}

std::string json_of(const copy_report& report) {
  model::json_writer json;
  json.object().name("tables");
  write_records(json, report.tables, table_members);
  json.name("secrets");
  write_records(json, report.secrets, secret_members);
  json.end_object();
  return json.take() + "\n";
}

std::string table_of(const object_report& report, std::size_t width) {
  const auto& found = report.found;
  auto table = table_of_records(found.missing, object_members);
  const auto unreferred = table_of_records(found.unreferred, object_members);
  for (auto& row : table.rows)
    row.insert(row.begin(), "missing");
  for (auto row : unreferred.rows) {
    row.insert(row.begin(), "unreferenced");
    table.rows.push_back(std::move(row));
  }
  table.columns.insert(table.columns.begin(), {"IS"});
  auto text = table.rows.empty() ? std::string{} : table.render(width);
  text += fmt::format("{} images and {} exports are referenced, {} missing, {} unreferenced",
                      found.images, found.exports, found.missing.size(), found.unreferred.size());
  if (report.removed) text += fmt::format(", {} removed", *report.removed);
  if (found.young > 0)
    text += fmt::format(", {} younger than {} h ignored", found.young, report.age_h);
  return text + "\n";
}

std::string json_of(const object_report& report) {
  const auto& found = report.found;
  model::json_writer json;
  json.object().name("images").number(found.images).name("exports").number(found.exports);
  json.name("missing");
  write_records(json, found.missing, object_members);
  json.name("unreferred");
  write_records(json, found.unreferred, object_members);
  json.name("young").number(found.young);
  if (report.removed) json.name("removed").number(std::uint64_t{*report.removed});
  json.end_object();
  return json.take() + "\n";
}

} // namespace matchcloud::app
