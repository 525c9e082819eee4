#include "app/reports/geoip_report.hpp"

#include "app/reports/text_table.hpp"
#include "model/json/json_writer.hpp"

#include "model/json/json_text.hpp"
#include "model/text/timestamp.hpp"
#include "model/text/unicode.hpp"

#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

namespace matchcloud::app {

namespace {

/// Code points shown of a file's name and of its database's type.
constexpr std::size_t shown_limit = 4096;

std::string shown(std::string_view text) {
  return model::printable_excerpt(text, shown_limit);
}

/// The text that `append`, a function of the model, writes for a number.
std::string written(void (*append)(std::string&, double), double value) {
  std::string text;
  append(text, value);
  return text;
}

std::string kilometers(const model::ranked_region& region) {
  return written(model::append_kilometers, region.distance_m);
}

std::string miles(const model::ranked_region& region) {
  return written(model::append_miles, region.distance_m);
}

/// Four decimals of a degree are about ten meters.
std::string place(const model::coordinates& at) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.4f, %.4f", at.latitude, at.longitude);
  return text.data();
}

/// The build time in RFC 3339; empty if the file claims a time that RFC 3339 cannot express.
std::string built(const store::mmdb_description& file) {
  constexpr std::uint64_t ms_per_s = 1000;
  if (file.build_epoch > model::timestamp_limit_ms / ms_per_s) return {};
  return model::format_timestamp(static_cast<std::int64_t>(file.build_epoch * ms_per_s));
}

/// What the table shows for unknown properties of a file.
constexpr const char* untold = "-";

std::vector<std::string> file_row(const std::string& path, const store::mmdb_description& what) {
  constexpr std::size_t date_length = 10;
  const auto date = built(what).substr(0, date_length);
  return {shown(path), shown(what.database_type), date.empty() ? "?" : date,
          std::to_string(what.ip_version), std::to_string(what.node_count)};
}

std::string file_table(const geoip_inputs& in, std::size_t width) {
  text_table table;
  table.columns = {{"FILE"}, {"DATABASE TYPE", true}, {"BUILT"}, {"IP VERSION"}, {"NODES"}};
  for (const auto& each : in.files)
    table.rows.push_back(file_row(each->path(), each->describe()));
  if (in.asns)
    table.rows.push_back(
        in.asns->database()
            ? file_row(in.asns->path(), *in.asns->database())
            : std::vector<std::string>{shown(in.asns->path()), "CSV", untold, untold, untold});
  std::string text;
  if (in.files.empty()) text = "no GeoIP file (--geoip FILE): every location is unknown\n";
  return table.rows.empty() ? text : text + table.render(width);
}

/// Where the address is, and how that is known.
std::string place_text(const located_client& client) {
  const auto& found = client.found;
  if (!found.at)
    return client.at ? "unknown; the fallback location is " + place(*client.at)
                     : "unknown, and there is no fallback location: all distances are 0";
  auto text = place(*found.at) + ", ";
  const std::string country{found.country};
  if (!found.is_exact)
    text += "of the country " + country;
  else
    text += country.empty() ? "exact" : "exact, in " + country;
  return text + ", from " + shown(found.file);
}

std::string location_line(const located_client& client) {
  auto text = to_string(client.address);
  if (client.inside)
    text.append(" (")
        .append(name_of(client.inside->way))
        .append(" of ")
        .append(to_string(client.inside->v4))
        .append(")");
  text += ": " + place_text(client);
  const auto& found = client.found;
  if (found.asn != 0)
    text += "; AS" + std::to_string(found.asn) + ", from " + shown(found.asn_file);
  else if (!found.asn_file.empty())
    text += "; of no known autonomous system";
  return text + "\n";
}

std::string region_table(const located_client& client, std::size_t width) {
  if (client.regions.empty()) return "no regions\n";
  text_table table;
  table.columns = {{"REGION ID"}, {"NAME", true}, {"KM"}, {"MILES"}};
  for (const auto& each : client.regions)
    table.rows.push_back(
        {each.where->region_id, each.where->region_display_name, kilometers(each), miles(each)});
  return table.render(width);
}

std::string_view precision(const located_client& client) {
  if (client.found.at) return client.found.is_exact ? "exact" : "country";
  return client.at ? "fallback" : "unknown";
}

void write_file(model::json_writer& out, const std::string& path,
                const store::mmdb_description& what) {
  out.object().name("file").text(shown(path)).name("database_type").text(shown(what.database_type));
  const auto time = built(what);
  out.name("built");
  time.empty() ? out.null() : out.text(time);
  out.name("ip_version").number(what.ip_version).name("node_count").number(what.node_count);
  out.end_object();
}

void write_csv_file(model::json_writer& out, const std::string& path) {
  out.object().name("file").text(shown(path)).name("database_type").text("CSV");
  for (const auto* name : {"built", "ip_version", "node_count"})
    out.name(name).null();
  out.end_object();
}

void write_files(model::json_writer& out, const geoip_inputs& in) {
  out.array();
  for (const auto& each : in.files)
    write_file(out, each->path(), each->describe());
  if (in.asns && in.asns->database())
    write_file(out, in.asns->path(), *in.asns->database());
  else if (in.asns)
    write_csv_file(out, in.asns->path());
  out.end_array();
}

/// Null if it is empty.
void write_text(model::json_writer& out, std::string_view text) {
  text.empty() ? out.null() : out.text(text);
}

void write_regions(model::json_writer& out, const located_client& client) {
  out.array();
  for (const auto& each : client.regions) {
    out.object().name("region_id").text(each.where->region_id);
    out.name("region_display_name").text(each.where->region_display_name);
    out.name("kilometers").raw(kilometers(each));
    out.name("miles").raw(miles(each)).end_object();
  }
  out.end_array();
}

void write_location(model::json_writer& out, const std::optional<model::coordinates>& at) {
  if (!at) {
    out.null();
    return;
  }
  out.object().name("latitude").raw(written(model::append_shortest, at->latitude));
  out.name("longitude").raw(written(model::append_shortest, at->longitude)).end_object();
}

void write_client(model::json_writer& out, const geoip_inputs& in, const located_client& client) {
  const auto& found = client.found;
  out.object().name("address").text(to_string(client.address));
  out.name("looked_up").text(to_string(found.looked_up));
  out.name("embedding");
  client.inside ? out.text(name_of(client.inside->way)) : out.null();
  out.name("location");
  write_location(out, client.at);
  out.name("precision").text(precision(client)).name("country");
  write_text(out, found.country);
  out.name("file");
  write_text(out, shown(found.file));
  out.name("asn");
  found.asn != 0 ? out.number(found.asn) : out.null();
  out.name("asn_file");
  write_text(out, shown(found.asn_file));
  out.name("regions");
  if (in.catalog)
    write_regions(out, client);
  else
    out.null();
  out.end_object();
}

} // namespace

located_client locate_client(const geoip_inputs& inputs, const model::ip_address& address) {
  located_client client;
  client.address = address;
  client.inside = model::find_embedded_v4(address);
  client.found = store::geoip::of(inputs.files, inputs.asns)->describe(address);
  client.at = client.found.at ? client.found.at : inputs.fallback;
  if (!inputs.catalog) return client;
  const auto& catalog = *inputs.catalog;
  const auto* const of =
      inputs.namespace_id ? catalog.find_namespace(*inputs.namespace_id) : nullptr;
  client.regions = model::rank_regions(model::regions_of(catalog, of), client.at);
  return client;
}

std::string geoip_text(const geoip_inputs& inputs, std::span<const located_client> clients,
                       std::size_t width) {
  auto text = file_table(inputs, width);
  if (!inputs.catalog) text += "nothing is ranked: " + shown(inputs.catalog.error().detail) + "\n";
  for (const auto& each : clients) {
    text += "\n" + location_line(each);
    if (inputs.catalog) text += region_table(each, width);
  }
  return text;
}

std::string geoip_json(const geoip_inputs& inputs, std::span<const located_client> clients) {
  model::json_writer out{model::json_escapes::beyond_ascii};
  out.object().name("files");
  write_files(out, inputs);
  out.name("namespace_id");
  inputs.namespace_id ? out.text(to_string(*inputs.namespace_id)) : out.null();
  out.name("addresses").array();
  for (const auto& each : clients)
    write_client(out, inputs, each);
  out.end_array().end_object();
  return out.take() + "\n";
}

} // namespace matchcloud::app
