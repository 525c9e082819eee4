#include "app/latency/explain_report.hpp"

#include "app/reports/records.hpp"
#include "model/json/members.hpp"
#include "model/text/timestamp.hpp"

#include <spdlog/fmt/fmt.h>

#include <cstdint>
#include <string_view>
#include <tuple>

namespace matchcloud::app {

namespace {

/// What a table shows if nothing applies.
constexpr const char* no_value = "-";

/// The build time in RFC 3339; none of CSV, and of a time that RFC 3339 cannot express.
std::optional<std::string> built_at(const explained_file& file) {
  constexpr std::uint64_t ms_per_s = 1000;
  if (!file.database || file.database->build_epoch > model::timestamp_limit_ms / ms_per_s)
    return std::nullopt;
  return model::format_timestamp(static_cast<std::int64_t>(file.database->build_epoch * ms_per_s));
}

constexpr std::size_t date_length = 10;
constexpr std::tuple file_members{record_member{"file", "FILE", &explained_file::path},
                                  record_member{"database_type", "DATABASE TYPE",
                                                [](const explained_file& file) {
                                                  return file.database
                                                             ? file.database->database_type
                                                             : "CSV";
                                                }},
                                  record_member{"built", "BUILT", built_at, date_length}};

/// A value of a ranking, as a table shows it.
std::string value_text(const rapidjson::Value& of) {
  if (of.IsNull()) return no_value;
  if (of.IsString()) return of.GetString();
  return model::as_json(of);
}

/// Four decimals of a degree are about ten meters.
std::string coordinates_text(const rapidjson::Value& place) {
  return fmt::format("{:.4f}, {:.4f}", place["latitude"].GetDouble(),
                     place["longitude"].GetDouble());
}

/// Where the address is, and how that is known.
std::string place_line(const explained_address& of, const rapidjson::Value& ranking) {
  const auto& found = of.found;
  auto text = to_string(of.address);
  if (found.looked_up != of.address) text += " (as " + to_string(found.looked_up) + ")";
  text += ": ";
  const auto& place = ranking["place"];
  if (found.at) {
    text += coordinates_text(place) + (found.is_exact ? ", exact" : ", by country");
    if (!found.country.empty()) text.append(", in ").append(found.country);
    text += ", from " + found.file;
  } else if (place.IsObject()) {
    text += "unknown; the fallback location is " + coordinates_text(place);
  } else {
    text += "unknown, and there is no fallback location: all distances are 0";
  }
  if (found.asn != 0)
    text += "; AS" + std::to_string(found.asn) + ", from " + found.asn_file;
  else if (!found.asn_file.empty())
    text += "; of no known autonomous system";
  return text + "\n";
}

/// The groups of players that the address belongs to.
std::string cells_table(const rapidjson::Value& cells, std::size_t width) {
  if (cells.Empty()) return {};
  text_table table;
  table.columns = {{"KIND"}, {"CELL"}, {"REGIONS"}, {"REPORTS"}};
  for (const auto& each : cells.GetArray())
    table.rows.push_back({value_text(each["kind"]), value_text(each["cell"]),
                          value_text(each["regions"]), value_text(each["reports"])});
  return table.render(width) + "\n";
}

std::string ranked_table(const rapidjson::Value& ranking, std::size_t width) {
  const auto& regions = ranking["listing"]["regions"];
  const auto& latencies = ranking["latencies"];
  if (regions.Empty()) return "no regions\n";
  text_table table;
  table.columns = {{"REGION ID"},  {"NAME", true}, {"KM"},     {"MS"},
                   {"CONFIDENCE"}, {"SOURCE"},     {"REPORTS"}};
  for (rapidjson::SizeType i = 0; i < regions.Size(); ++i) {
    const auto& each = regions[i];
    std::vector<std::string> row{value_text(each["region_id"]),
                                 value_text(each["region_display_name"]),
                                 value_text(each["datacenter_distance_from_client"]["kilometers"])};
    // The farthest of very many regions have no predictions.
    const bool is_predicted = i < latencies.Size() && latencies[i]["latency"].IsObject();
    for (const auto* member : {"ms", "confidence", "source", "reports"})
      row.push_back(is_predicted ? value_text(latencies[i]["latency"][member]) : no_value);
    table.rows.push_back(std::move(row));
  }
  return table.render(width);
}

void write_optional_text(model::json_writer& out, std::string_view text) {
  text.empty() ? out.null() : out.text(text);
}

} // namespace

std::string explain_text(const explained_addresses& of, std::size_t width) {
  std::string text;
  if (!of.files.empty()) {
    auto files = table_of_records(of.files, file_members);
    files.columns[1].shortens = true;
    text = files.render(width);
  }
  for (const auto& each : of.all) {
    const auto ranking = model::parse_members(each.ranking);
    if (!text.empty()) text += "\n";
    text += place_line(each, ranking) + cells_table(ranking["cells"], width) +
            ranked_table(ranking, width);
  }
  return text;
}

std::string explain_json(const explained_addresses& of) {
  model::json_writer out{model::json_escapes::beyond_ascii};
  out.object().name("files");
  write_records(out, of.files, file_members);
  out.name("addresses").array();
  for (const auto& each : of.all) {
    const auto& found = each.found;
    out.object().name("address").text(to_string(each.address));
    out.name("looked_up").text(to_string(found.looked_up)).name("precision");
    write_optional_text(out, !found.at ? "" : found.is_exact ? "exact" : "country");
    out.name("asn_file");
    write_optional_text(out, found.asn_file);
    out.name("ranking").raw(each.ranking).end_object();
  }
  return out.end_array().end_object().take() + "\n";
}

} // namespace matchcloud::app
