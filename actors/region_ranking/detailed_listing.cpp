#include "actors/region_ranking/region_ranking.hpp"

#include "model/json/json_writer.hpp"
#include "model/latency/cell.hpp"

#include <algorithm>
#include <cmath>

namespace matchcloud::actors {

namespace {

using model::json_writer;

constexpr double ms_steps = 10;
constexpr double confidence_steps = 100;

void write_rounded(json_writer& json, double value, double steps) {
  std::string text;
  model::append_shortest(text, std::round(value * steps) / steps);
  json.raw(text);
}

void write_place(json_writer& json, const std::optional<model::coordinates>& at) {
  if (!at) {
    json.null();
    return;
  }
  std::string latitude;
  std::string longitude;
  model::append_shortest(latitude, at->latitude);
  model::append_shortest(longitude, at->longitude);
  json.object().name("latitude").raw(latitude).name("longitude").raw(longitude).end_object();
}

/// The part of what is known about a client's cells that is shown.
class known_cells {
public:
  known_cells(const model::latency_snapshot* in, const model::client_cells& of) : in_{in} {
    if (in == nullptr) return;
    cells_ = {of.network, of.where ? std::optional{model::place_cell(*of.where)} : std::nullopt};
  }

  /// How many networks or clients determined a region's latency; 0: none.
  std::size_t reports(model::latency_source source, std::uint16_t region) const noexcept {
    for (const auto& cell : cells_)
      if (cell && model::name_of(cell->kind()) == model::to_string(source))
        return shown(*cell, region);
    return 0;
  }

  /// Writes the cells that have reports, from narrow to wide.
  void write(json_writer& json) const {
    json.array();
    for (const auto& cell : cells_) {
      std::size_t regions = 0;
      std::size_t most = 0;
      for (std::size_t region = 0; cell && region < model::latency_region_limit; ++region) {
        const auto reports = shown(*cell, static_cast<std::uint16_t>(region));
        regions += reports > 0 ? 1 : 0;
        most = std::max(most, reports);
      }
      if (regions == 0) continue;
      json.object().name("kind").text(model::name_of(cell->kind()));
      json.name("cell").text(model::to_string(*cell));
      json.name("regions").number(regions);
      json.name("reports").number(most).end_object();
    }
    json.end_array();
  }

private:
  std::size_t shown(model::latency_cell cell, std::uint16_t region) const noexcept {
    if (in_ == nullptr) return 0;
    const auto count = model::voices_for(in_->find(cell), region).size();
    const bool is_hidden =
        cell.kind() == model::cell_kind::network && count < model::shown_reporters;
    return is_hidden ? 0 : count;
  }

  const model::latency_snapshot* in_;
  std::array<std::optional<model::latency_cell>, 2> cells_{};
};

void write_latency(json_writer& json, const model::latency_prediction& predicted,
                   std::size_t reports) {
  if (predicted.source == model::latency_source::nothing) {
    json.null();
    return;
  }
  json.object().name("ms");
  write_rounded(json, predicted.milliseconds, ms_steps);
  json.name("confidence");
  write_rounded(json, static_cast<double>(predicted.confidence), confidence_steps);
  json.name("source").text(model::to_string(predicted.source));
  json.name("reports").number(reports).end_object();
}

/// The name of a file without its folders, which are not for players.
std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

} // namespace

/// The assumed location of a client, and what is known about it.
struct region_ranking_state::explanation {
  client_at client;
  place_source source = place_source::unknown;
  store::address_description described;

  known_cells cells_in(const model::latency_snapshot* latencies) const {
    auto cells = client.cells;
    cells.where = client.location;
    return {latencies, cells};
  }
};

region_ranking_state::explanation
region_ranking_state::explanation_of(const model::ip_address& client) const {
  explanation made{place_of(client), place_source::unknown, {}};
  if (settings_.geoip) made.described = settings_.geoip->describe(client);
  if (made.client.cells.where)
    made.source = place_source::address;
  else if (made.client.location)
    made.source = place_source::fallback;
  return made;
}

void region_ranking_state::write_explanation(json_writer& json, const explanation& of) const {
  json.name("ranked_by").text(ranking_order_names[static_cast<std::size_t>(settings_.rank_by)]);
  json.name("place");
  write_place(json, of.client.location);
  json.name("source").text(name_of(of.source));
  json.name("country");
  of.described.country.empty() ? json.null() : json.text(of.described.country);
  json.name("asn");
  of.described.asn == 0 ? json.null() : json.number(of.described.asn);
  json.name("file");
  of.described.file.empty() ? json.null() : json.text(of.described.file);
  json.name("cells");
  of.cells_in(settings_.latencies.get()).write(json);
}

region_ranking_state::text_ptr region_ranking_state::detailed(const model::game_namespace* where,
                                                              const rank_regions& request) const {
  const auto& wanted = request.details;
  auto about = explanation_of(request.client);
  about.described.file = file_name(about.described.file);
  const auto rows = ranked_for(where, about.client);
  std::vector<model::latency_prediction> predictions;
  if (wanted.latency) predictions = predicted_for(rows, about.client);
  const auto known = about.cells_in(settings_.latencies.get());
  std::vector<std::string_view> ids;
  ids.reserve(rows.size());
  for (const auto& each : rows)
    ids.push_back(each.where->region_id);
  std::vector<std::string> left_out;
  const auto order =
      model::order_by_latency(ids, possible(request.measured, about.client.cells.where, &left_out));
  json_writer json;
  json.object().name("regions").array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto at = order.empty() ? i : order[i];
    const auto& [region, distance_m] = rows[at];
    std::string text;
    model::append_region_head(text, *region);
    model::append_kilometers(text, distance_m);
    text += model::between_units;
    model::append_miles(text, distance_m);
    text += '}'; // the rest of the region follows
    json.raw(text);
    if (wanted.latency) {
      json.name("latency");
      const auto predicted =
          at < predictions.size() ? predictions[at] : model::latency_prediction{};
      const auto number = region_numbers_[position_of(*region)];
      write_latency(json, predicted, known.reports(predicted.source, number));
    }
    if (wanted.ping_url && !region->ping_url.empty()) json.name("ping_url").text(region->ping_url);
    json.end_object();
  }
  json.end_array();
  if (wanted.explain) {
    json.name("explanation").object().name("address").text(model::to_string(request.client));
    json.name("address_from").text(request.client_from);
    json.name("impossible_rtt").array();
    for (const auto& each : left_out)
      json.text(each);
    json.end_array();
    write_explanation(json, about);
    json.end_object();
  }
  return std::make_shared<const std::string>(json.end_object().take());
}

std::string region_ranking_state::explain(const explain_ranking& request) const {
  explanation about;
  if (request.at) {
    about.client.location = request.at;
    about.source = place_source::coordinates;
  } else {
    about = explanation_of(request.client);
  }
  const auto* where = namespace_for({}, request.namespace_id);
  const auto rows = ranked_for(where, about.client);
  const auto predictions = predicted_for(rows, about.client);
  const auto known = about.cells_in(settings_.latencies.get());
  json_writer json;
  json.object();
  write_explanation(json, about);
  json.name("latencies").array();
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const auto number = region_numbers_[position_of(*rows[i].where)];
    json.object().name("region_id").text(rows[i].where->region_id).name("latency");
    write_latency(json, predictions[i], known.reports(predictions[i].source, number));
    json.end_object();
  }
  json.end_array();
  std::string listing;
  listed(rows)->append_json(listing);
  return json.name("listing").raw(listing).end_object().take();
}

} // namespace matchcloud::actors
