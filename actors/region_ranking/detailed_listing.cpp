#include "actors/region_ranking/explanation.hpp"
#include "actors/region_ranking/region_ranking.hpp"
#include "model/latency/cell.hpp"

#include <algorithm>
#include <cmath>

namespace matchcloud::actors {

namespace {

double rounded(double value, double steps) {
  return std::round(value * steps) / steps;
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

  /// The cells that have reports, from narrow to wide.
  std::vector<shown_cell> all() const {
    std::vector<shown_cell> made;
    for (const auto& cell : cells_) {
      if (!cell) continue;
      shown_cell of{model::name_of(cell->kind()), model::to_string(*cell)};
      for (std::size_t region = 0; region < model::latency_region_limit; ++region) {
        const auto reports = shown(*cell, static_cast<std::uint16_t>(region));
        of.regions += reports > 0 ? 1 : 0;
        of.reports = std::max(of.reports, reports);
      }
      if (of.regions > 0) made.push_back(std::move(of));
    }
    return made;
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

std::optional<shown_latency> shown(const model::latency_prediction& predicted,
                                   std::size_t reports) {
  if (predicted.source == model::latency_source::nothing) return std::nullopt;
  return shown_latency{rounded(predicted.milliseconds, 10),
                       rounded(static_cast<double>(predicted.confidence), 100), predicted.source,
                       reports};
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

void region_ranking_state::explain(explained_client& into, explanation&& of) const {
  into.ranked_by = ranking_order_names[static_cast<std::size_t>(settings_.rank_by)];
  into.place = of.client.location;
  into.source = of.source;
  into.country = std::move(of.described.country);
  into.asn = of.described.asn;
  into.file = std::move(of.described.file);
  into.cells = of.cells_in(settings_.latencies.get()).all();
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
  model::json_writer json;
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
      const auto predicted =
          at < predictions.size() ? predictions[at] : model::latency_prediction{};
      const auto number = region_numbers_[position_of(*region)];
      model::write(json.name("latency"), shown(predicted, known.reports(predicted.source, number)));
    }
    if (wanted.ping_url && !region->ping_url.empty()) json.name("ping_url").text(region->ping_url);
    json.end_object();
  }
  json.end_array();
  if (wanted.explain) {
    ranking_explanation made;
    made.address = model::to_string(request.client);
    made.address_from = request.client_from;
    made.impossible_rtt = std::move(left_out);
    explain(made, std::move(about));
    model::write(json.name("explanation"), made);
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
  explained_ranking made;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const auto number = region_numbers_[position_of(*rows[i].where)];
    made.latencies.push_back({rows[i].where->region_id,
                              shown(predictions[i], known.reports(predictions[i].source, number))});
  }
  listed(rows)->append_json(made.listing);
  explain(made, std::move(about));
  return model::to_json(made);
}

} // namespace matchcloud::actors
