#pragma once

#include "actors/region_ranking/messages.hpp"
#include "model/json/record.hpp"
#include "model/latency/predictor.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace matchcloud::model {

constexpr auto describe(const coordinates*) {
  using of = coordinates;
  return record{"Coordinates",
                field{"latitude", types::latitude, "Degrees, north is positive.", &of::latitude},
                field{"longitude", types::longitude, "Degrees, east is positive.", &of::longitude}};
}

} // namespace matchcloud::model

namespace matchcloud::actors {

// Why a client gets its listing of regions, as it is shown.

struct shown_latency {
  double ms = 0;
  double confidence = 0;
  model::latency_source source = {};
  /// How many networks or clients determined it; 0: none.
  std::size_t reports = 0;
};

constexpr auto describe(const shown_latency*) {
  using of = shown_latency;
  using namespace model::types;
  return record{
      "PredictedLatency", field{"ms", amount, "The round trip, in milliseconds.", &of::ms},
      field{"confidence", share, "From 0 (known by distance alone) towards 1.", &of::confidence},
      field{"source", a("LatencySource"), "What the prediction is based on.", &of::source},
      field{"reports", count, "The number of reports behind it; old ones count less.",
            &of::reports}};
}

struct region_latency {
  std::string_view region_id;
  std::optional<shown_latency> latency;
};

constexpr auto describe(const region_latency*) {
  using of = region_latency;
  using namespace model::types;
  return record{"RegionLatency", field{"region_id", text, "The region's id.", &of::region_id},
                field{"latency", or_null(a("PredictedLatency")),
                      "The predicted latency; null: none.", &of::latency}};
}

/// A group of players that has reports.
struct shown_cell {
  std::string_view kind;
  std::string cell;
  std::size_t regions = 0;
  std::size_t reports = 0;
};

constexpr auto describe(const shown_cell*) {
  using of = shown_cell;
  using namespace model::types;
  return record{"LatencyCell",
                field{"kind", a("LatencyCellKind"), "What the group has in common.", &of::kind},
                field{"cell", text, "Such as `81.2.69.0/24` or `AS13335`.", &of::cell},
                field{"regions", positive, "How many regions were reported.", &of::regions},
                field{"reports", count,
                      "The number of reports of the best-known region; old ones count less.",
                      &of::reports}};
}

struct explained_client {
  std::string_view ranked_by = {};
  std::optional<model::coordinates> place = {};
  place_source source = place_source::unknown;
  std::string country = {};
  /// 0: unknown.
  std::uint32_t asn = 0;
  std::string file = {};
  std::vector<shown_cell> cells = {};
};

/// The fields of an explained client, but for its cells.
constexpr auto client_fields() {
  using of = explained_client;
  using namespace model::types;
  return std::tuple{
      field{"ranked_by", a("RankingOrder"), "What the listing is ordered by.", &of::ranked_by},
      field{"place", or_null(a("Coordinates")), "The assumed place of the client; null: unknown.",
            &of::place},
      field{"source", a("PlaceSource"), "How the place is known.", &of::source},
      field{"country", or_null(text), "Its country (ISO 3166); null: unknown.",
            model::unless_empty(&of::country)},
      field{"asn", or_null({R"("type":"integer","minimum":1,"maximum":4294967295)"}),
            "Its autonomous system; null: unknown.",
            [](const of& one) { return one.asn == 0 ? std::nullopt : std::optional{one.asn}; }},
      field{"file", or_null(text), "The GeoIP file that knows the place; null: none does.",
            model::unless_empty(&of::file)}};
}

/// For the client itself, with `explain=true`.
struct ranking_explanation : explained_client {
  std::string address;
  std::string_view address_from;
  std::vector<std::string> impossible_rtt;
};

constexpr auto describe(const ranking_explanation*) {
  using of = ranking_explanation;
  using namespace model::types;
  return record{
      "RankingExplanation",
      std::tuple_cat(
          std::tuple{
              field{"address", text, "The address that the service saw as the client's.",
                    &of::address},
              field{"address_from",
                    {R"("type":"string","enum":["connection","X-Forwarded-For","Forwarded"])"},
                    "Where the address comes from.",
                    &of::address_from},
              field{"impossible_rtt", list_of(text),
                    "Regions of `rtt` that were ignored, because a round trip is 0 or faster than "
                    "light in glass.",
                    &of::impossible_rtt}},
          client_fields(),
          std::tuple{field{"cells", list_of(a("LatencyCell")),
                           "The client's groups of players, if they have reported.", &of::cells}})};
}

/// For operators.
struct explained_ranking : explained_client {
  std::vector<region_latency> latencies;
  /// The listing as JSON.
  std::string listing;
};

constexpr auto describe(const explained_ranking*) {
  using of = explained_ranking;
  using namespace model::types;
  return record{
      "Ranking",
      std::tuple_cat(
          client_fields(),
          std::tuple{
              field{"cells", list_of(a("LatencyCell")),
                    "The client's groups of players, if they have reported; networks with fewer "
                    "than five reporters are left out.",
                    &of::cells},
              field{"latencies", list_of(a("RegionLatency")),
                    "The predicted latencies, in the order of the listing.", &of::latencies},
              field{"listing", a("RankedRegionList"),
                    "The listing that the client gets from the data plane.",
                    [](const of& one) { return model::raw_json{one.listing}; }}})};
}

} // namespace matchcloud::actors
