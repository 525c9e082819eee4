#include "app/latency/latency_view.hpp"

#include "model/latency/cell_text.hpp"
#include "model/regions/ranking.hpp"
#include "store/geoip/client_cells.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

namespace matchcloud::app {

namespace {

/// The cells of a client, from narrow to wide.
std::array<std::optional<model::latency_cell>, 4> cells_of(const model::client_cells& client) {
  return {client.network,
          client.where ? std::optional{model::place_cell(*client.where)} : std::nullopt, client.asn,
          client.country};
}

void add_known(latency_view& view, const model::latency_snapshot& in,
               const std::optional<model::latency_cell>& cell) {
  for (const auto& row : in.find(cell))
    view.known.push_back({*cell, in.field->regions[row.region].region_id, std::exp(row.log_value()),
                          row.reports(), row.reporters, row.age_hours});
}

/// The reports of the cell that a prediction comes from.
double reports_of(const latency_view& view, const predicted_region& region) {
  const auto found = std::ranges::find_if(view.known, [&](const known_latency& each) {
    return model::name_of(each.cell.kind()) == model::to_string(region.predicted.source) &&
           each.region_id == region.where->region_id;
  });
  return found == view.known.end() ? 0 : found->reports;
}

/// As a service does: the farthest regions, which have no prediction, stay in the order of
/// distance.
void add_regions(latency_view& view, const latency_surroundings& in,
                 const model::client_cells& client) {
  const auto rows = model::rank_regions(model::regions_of(*in.catalog, in.where), view.at);
  const auto count = std::min(rows.size(), model::latency_region_limit);
  std::vector<model::region_distance> distances;
  for (const auto& each : std::span{rows}.first(count))
    distances.push_back(
        {in.snapshot->number_of({each.where->region_id, each.where->datacenter_coord})
             .value_or(model::region_distance::unnumbered),
         each.distance_m});
  std::vector<model::latency_prediction> predictions(count);
  model::predict_latencies(*in.snapshot, client, distances, predictions);
  std::vector<std::uint16_t> order;
  model::rank_by_latency(distances, predictions, order);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t at = i < order.size() ? order[i] : i;
    const auto predicted = at < count ? predictions[at] : model::latency_prediction{};
    view.regions.push_back({rows[at].where, rows[at].distance_m, at + 1, predicted, 0});
    view.regions.back().reports = reports_of(view, view.regions.back());
  }
}

} // namespace

latency_view look_at(const latency_surroundings& in, const model::ip_address& address) {
  latency_view view;
  view.address = address;
  if (in.geoip != nullptr)
    view.described = in.geoip->describe(address);
  else
    view.described.looked_up = store::looked_up(address);
  auto client = store::client_cells_of(in.geoip, address);
  if (!client.where) client.where = in.fallback;
  view.at = client.where;
  for (const auto& cell : cells_of(client))
    add_known(view, *in.snapshot, cell);
  add_regions(view, in, client);
  return view;
}

} // namespace matchcloud::app
