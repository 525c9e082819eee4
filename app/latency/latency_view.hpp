#pragma once

#include "model/catalog/catalog.hpp"
#include "model/latency/cell.hpp"
#include "model/latency/predictor.hpp"
#include "model/latency/snapshot.hpp"
#include "model/net/ip_address.hpp"
#include "store/geoip/geoip.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::app {

/// What is known about the latency between a cell that contains an address and a region.
struct known_latency {
  model::latency_cell cell;
  std::string region_id;
  /// Milliseconds; for an asn or a country, the ratio to the latency predicted from distance.
  double value = 0;
  /// The effective number of reports now.
  double reports = 0;
  int reporters = 0;
  int age_hours = 0;
};

/// A region in the order of `rank-by = latency`.
struct predicted_region {
  /// Points into the catalog.
  const model::region* where = nullptr;
  double distance_m = 0;
  /// Its rank by distance, from 1.
  std::size_t by_distance = 0;
  model::latency_prediction predicted;
  /// The reports of the cell that decided; 0 if none did.
  double reports = 0;
};

/// What a service predicts for clients at an address, and the basis of the prediction.
struct latency_view {
  model::ip_address address;
  store::address_description described;
  /// The assumed location of clients there: as described, or the fallback location.
  std::optional<model::coordinates> at;
  /// The number of latencies in the store.
  std::size_t entries = 0;
  /// From narrow to wide cells.
  std::vector<known_latency> known;
  std::vector<predicted_region> regions;
};

/// The sources of a view.
struct latency_surroundings {
  const model::latency_snapshot* snapshot = nullptr;
  const model::catalog* catalog = nullptr;
  /// Null: all regions of the catalog.
  const model::game_namespace* where = nullptr;
  /// Null: no GeoIP files.
  const store::geoip* geoip = nullptr;
  std::optional<model::coordinates> fallback;
};

/// Fills in everything except `entries`.
latency_view look_at(const latency_surroundings& in, const model::ip_address& address);

/// Text for people. Tables are at most `width` characters wide where possible; 0 means no limit.
std::string latency_text(const latency_view& view, std::size_t width);

/// One JSON object and a line end, with the members that `latency_json_help` describes.
std::string latency_json(const latency_view& view);

inline constexpr const char* latency_json_help =
    "--json prints {\"address\", \"looked_up\", \"location\": {\"latitude\", \"longitude\"}, "
    "\"precision\", \"country\", \"asn\", \"file\", \"asn_file\", \"entries\", \"known\": "
    "[{\"kind\", \"cell\", \"region_id\", \"ms\", \"ratio\", \"reports\", \"reporters\", "
    "\"age_hours\"}], \"regions\": [{\"region_id\", \"region_display_name\", \"latency\": {\"ms\", "
    "\"confidence\", \"source\", \"reports\"}, \"kilometers\", \"miles\", \"rank_by_distance\"}]}. "
    "precision is exact, country, fallback or unknown; confidence is from 0 (distance alone) to 1; "
    "source is network, place, asn, country, neighbours or distance; members that do not apply are "
    "null.";

} // namespace matchcloud::app
