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

/// What is known of the latency between a cell that an address is in and a region.
struct known_latency {
  model::latency_cell cell;
  std::string region_id;
  /// Milliseconds; of an asn or a country, the ratio to what distance predicts.
  double value = 0;
  /// Their effective number now.
  double reports = 0;
  int reporters = 0;
  int age_hours = 0;
};

/// A region in the order of `rank-by = latency`.
struct predicted_region {
  /// Points into the catalog.
  const model::region* where = nullptr;
  double distance_m = 0;
  /// From 1: its place in the order of distance.
  std::size_t by_distance = 0;
  model::latency_prediction predicted;
  /// Of the cell that decided; 0 if none did.
  double reports = 0;
};

/// What a service predicts for clients at an address, and from what.
struct latency_view {
  model::ip_address address;
  store::address_description described;
  /// Where clients there are taken to be: as described, or the fallback location.
  std::optional<model::coordinates> at;
  /// Latencies that the store has.
  std::size_t entries = 0;
  /// From narrow to wide cells.
  std::vector<known_latency> known;
  std::vector<predicted_region> regions;
};

/// Where a view looks.
struct latency_surroundings {
  const model::latency_snapshot* snapshot = nullptr;
  const model::catalog* catalog = nullptr;
  /// Null: all regions of the catalog.
  const model::game_namespace* where = nullptr;
  /// Null: no GeoIP files.
  const store::geoip* geoip = nullptr;
  std::optional<model::coordinates> fallback;
};

/// Fills in all but `entries`.
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
    "precision is exact, country, fallback or unknown; confidence is from 0 (what distance says) "
    "to "
    "1; source is network, place, asn, country, neighbours or distance; what does not apply is "
    "null.";

} // namespace matchcloud::app
