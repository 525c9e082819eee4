#include "app/latency/latency_view.hpp"
#include "app/reports/text_table.hpp"
#include "model/json/json_text.hpp"
#include "model/json/json_writer.hpp"
#include "model/latency/cell_text.hpp"
#include "model/regions/ranking.hpp"
#include "model/text/unicode.hpp"

#include <cmath>
#include <cstdio>
#include <string_view>

namespace matchcloud::app {

namespace {

/// At most this many code points of a file's name are shown.
constexpr std::size_t shown_cells_limit = 4'096;
/// What a table shows if nothing applies.
constexpr const char* nothing = "-";

bool has_ratio(const known_latency& known) noexcept {
  return known.cell.kind() > model::cell_kind::place;
}

bool is_predicted(const predicted_region& region) noexcept {
  return region.predicted.source != model::latency_source::nothing;
}

std::string shown(std::string_view text) {
  return model::printable_excerpt(text, shown_cells_limit);
}

std::string fixed(double value, int decimals) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

std::string kilometers(const predicted_region& region) {
  std::string text;
  model::append_kilometers(text, region.distance_m);
  return text;
}

std::string_view precision(const latency_view& view) {
  if (view.described.at) return view.described.is_exact ? "exact" : "country";
  return view.at ? "fallback" : "unknown";
}

// -- text ---------------------------------------------------------------------

std::string place_line(const latency_view& view) {
  const auto& described = view.described;
  auto text = to_string(view.address) + ": ";
  if (view.at) text += fixed(view.at->latitude, 4) + ", " + fixed(view.at->longitude, 4) + ", ";
  text += described.at ? precision(view)
          : view.at    ? "the fallback location"
                       : "its place is unknown, and there is no fallback location";
  if (!described.file.empty()) text += ", from " + shown(described.file);
  if (!described.country.empty()) text.append("; country ").append(described.country);
  if (described.asn != 0)
    text += "; AS" + std::to_string(described.asn) + ", from " + shown(described.asn_file);
  return text + "\n";
}

std::string known_table(const latency_view& view, std::size_t width) {
  const auto entries = std::to_string(view.entries) + " latencies are in the store";
  if (view.known.empty()) return entries + ", none of them for a cell of this address\n";
  text_table table;
  table.columns = {{"KIND"},  {"CELL"},    {"REGION ID"}, {"MS"},
                   {"RATIO"}, {"REPORTS"}, {"REPORTERS"}, {"HOURS OLD"}};
  for (const auto& each : view.known)
    table.rows.push_back({std::string{model::name_of(each.cell.kind())}, to_string(each.cell),
                          each.region_id, has_ratio(each) ? nothing : fixed(each.value, 1),
                          has_ratio(each) ? fixed(each.value, 2) : nothing, fixed(each.reports, 1),
                          std::to_string(each.reporters), std::to_string(each.age_hours)});
  return entries + "\n" + table.render(width);
}

std::string region_table(const latency_view& view, std::size_t width) {
  if (view.regions.empty()) return "no regions\n";
  text_table table;
  table.columns = {{"REGION ID"}, {"NAME", true}, {"MS"}, {"CONFIDENCE"},
                   {"SOURCE"},    {"REPORTS"},    {"KM"}, {"BY DISTANCE"}};
  for (const auto& each : view.regions) {
    const auto& predicted = each.predicted;
    const bool known = is_predicted(each);
    table.rows.push_back({each.where->region_id, each.where->region_display_name,
                          known ? fixed(predicted.milliseconds, 1) : nothing,
                          known ? fixed(static_cast<double>(predicted.confidence), 2) : nothing,
                          known ? std::string{model::to_string(predicted.source)} : nothing,
                          fixed(each.reports, 1), view.at ? kilometers(each) : nothing,
                          view.at ? std::to_string(each.by_distance) : nothing});
  }
  return table.render(width);
}

// -- JSON ---------------------------------------------------------------------

using model::json_writer;

void write_text(json_writer& out, std::string_view text) {
  text.empty() ? out.null() : out.text(text);
}

/// Rounded, and as short as possible.
void write_number(json_writer& out, double value, int decimals) {
  const double steps = std::pow(10, decimals);
  std::string text;
  model::append_shortest(text, std::round(value * steps) / steps);
  out.raw(text);
}

void write_location(json_writer& out, const std::optional<model::coordinates>& at) {
  if (!at) {
    out.null();
    return;
  }
  std::string latitude;
  std::string longitude;
  model::append_shortest(latitude, at->latitude);
  model::append_shortest(longitude, at->longitude);
  out.object().name("latitude").raw(latitude).name("longitude").raw(longitude).end_object();
}

void write_known(json_writer& out, const known_latency& known) {
  out.object().name("kind").text(model::name_of(known.cell.kind()));
  out.name("cell").text(to_string(known.cell)).name("region_id").text(known.region_id);
  out.name("ms");
  has_ratio(known) ? static_cast<void>(out.null()) : write_number(out, known.value, 1);
  out.name("ratio");
  has_ratio(known) ? write_number(out, known.value, 3) : static_cast<void>(out.null());
  out.name("reports");
  write_number(out, known.reports, 1);
  out.name("reporters").number(known.reporters).name("age_hours").number(known.age_hours);
  out.end_object();
}

void write_region(json_writer& out, const latency_view& view, const predicted_region& region) {
  out.object().name("region_id").text(region.where->region_id);
  out.name("region_display_name").text(region.where->region_display_name).name("latency");
  if (is_predicted(region)) {
    out.object().name("ms");
    write_number(out, region.predicted.milliseconds, 1);
    out.name("confidence");
    write_number(out, static_cast<double>(region.predicted.confidence), 2);
    out.name("source").text(model::to_string(region.predicted.source)).name("reports");
    write_number(out, region.reports, 1);
    out.end_object();
  } else {
    out.null();
  }
  std::string miles;
  model::append_miles(miles, region.distance_m);
  out.name("kilometers");
  view.at ? out.raw(kilometers(region)) : out.null();
  out.name("miles");
  view.at ? out.raw(miles) : out.null();
  out.name("rank_by_distance");
  view.at ? out.number(region.by_distance) : out.null();
  out.end_object();
}

} // namespace

std::string latency_text(const latency_view& view, std::size_t width) {
  return place_line(view) + known_table(view, width) + "\n" + region_table(view, width);
}

std::string latency_json(const latency_view& view) {
  const auto& described = view.described;
  json_writer out{model::json_escapes::beyond_ascii};
  out.object().name("address").text(to_string(view.address));
  out.name("looked_up").text(to_string(described.looked_up)).name("location");
  write_location(out, view.at);
  out.name("precision").text(precision(view)).name("country");
  write_text(out, described.country);
  out.name("asn");
  described.asn == 0 ? out.null() : out.number(described.asn);
  out.name("file");
  write_text(out, shown(described.file));
  out.name("asn_file");
  write_text(out, shown(described.asn_file));
  out.name("entries").number(view.entries).name("known").array();
  for (const auto& each : view.known)
    write_known(out, each);
  out.end_array().name("regions").array();
  for (const auto& each : view.regions)
    write_region(out, view, each);
  out.end_array().end_object();
  return out.take() + "\n";
}

} // namespace matchcloud::app
