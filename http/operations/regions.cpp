#include "actors/latency_map/messages.hpp"
#include "actors/latency_map/report_gate.hpp"
#include "actors/region_ranking/explanation.hpp"
#include "actors/region_ranking/messages.hpp"
#include "actors/region_ranking/ranking_config.hpp"
#include "http/front/front.hpp"
#include "http/operations/code.hpp"
#include "http/operations/list.hpp"
#include "http/wire/client_address.hpp"
#include "http/wire/request.hpp"
#include "model/catalog/catalog.hpp"
#include "model/latency/cell.hpp"
#include "model/latency/predictor.hpp"
#include "model/regions/measured_latency.hpp"
#include "model/text/unicode.hpp"

#include <string>

namespace matchcloud::http {

namespace {

using base::errc;
using base::owner;

constexpr std::string_view listing_headers =
    "ETag Cache-Control Vary Content-Encoding Access-Control-Allow-Origin "
    "Access-Control-Expose-Headers";

std::vector<named_schema> region_schemas() {
  return {
      object("RankedRegionList",
             {{"regions", list_of(a("RankedRegion")),
               "Measured regions first, by latency; then the rest by distance, or by predicted "
               "latency if the service ranks by that."},
              {"explanation", maybe(a("RankingExplanation")), "With `explain=true`."}}),
      schema_of<actors::ranking_explanation>(),
      schema_of<actors::shown_cell>(),
      one_of("LatencyCellKind", model::cell_kind_names, "What players of a group have in common."),
      one_of("RankingOrder", actors::ranking_order_names, "What listings are ordered by."),
      object("RankedRegion", {region_id_member,
                              region_name_member,
                              provider_name_member,
                              datacenter_member,
                              {"datacenter_distance_from_client", a("Distance"),
                               "Distance to the client; 0 if the client's place is unknown."},
                              {"latency", maybe(or_null(a("PredictedLatency"))),
                               "With `fields=latency`: the predicted latency; null: none."},
                              {"ping_url", maybe(url),
                               "With `fields=ping_url`, if the region has one: the URL to time."}}),
      schema_of<actors::shown_latency>(),
      one_of("LatencySource", model::latency_source_names, "What a prediction is mainly based on."),
      object(
          "Distance",
          {{"kilometers", amount, "In kilometers."}, {"miles", amount, "In international miles."}},
          "The length of the WGS-84 geodesic."),
      schema_of<model::coordinates>(),
      schema_of<actors::explained_ranking>(),
      schema_of<actors::region_latency>(),
      one_of("PlaceSource", actors::place_source_names,
             "How a client's place is known; `fallback`: it is unknown, and the configured place "
             "is used.")};
}

/// `Timing-Allow-Origin` lets a page that measures latencies read how long each part of a ping took
/// (Resource Timing).
constexpr std::string_view timing_header = "Timing-Allow-Origin: *\r\n";
constexpr auto ping_headers = joined<any_origin_headers, timing_header, no_store_header>;

/// The latencies in the query; refuses the request where they cannot be parsed.
std::optional<std::vector<model::measured_latency>> read_rtt(const request_context& asked) {
  const auto rtt = find_parameter(asked.request().query(), "rtt");
  if (!rtt.value) return std::vector<model::measured_latency>{};
  const auto refuse = [&](const base::error& why) {
    asked.refuse(why);
    return std::nullopt;
  };
  if (rtt.repeated)
    return refuse({errc::query_invalid,
                   "rtt is in the query twice. Use it once, with commas between regions."});
  const auto text = percent_decode(*rtt.value);
  if (!text)
    return refuse({errc::query_invalid,
                   "A percent sign in rtt is not followed by two hexadecimal digits of a visible "
                   "character. Use a form such as rtt=lon:23,fra:31.5."});
  auto measured = model::read_measured_latencies(*text);
  if (!measured) return refuse(measured.error());
  return *std::move(measured);
}

/// The details in the query; refuses the request where they are unknown.
std::optional<actors::listing_details> read_details(const request_context& asked) {
  actors::listing_details details;
  const auto query = asked.request().query();
  const auto fields = find_parameter(query, "fields");
  const auto explain = find_parameter(query, "explain");
  const auto refuse = [&](std::string why) {
    asked.refuse({errc::query_invalid, std::move(why)});
    return std::nullopt;
  };
  if (fields.repeated || explain.repeated)
    return refuse("fields or explain is in the query twice. Use each once.");
  auto names = fields.value ? asked.query("fields") : std::string{};
  if (fields.value && names.empty())
    return refuse(
        "fields is empty. Use fields=latency, fields=ping_url or fields=latency,ping_url.");
  for (std::string_view left = names; !left.empty();) {
    const auto comma = left.find(',');
    const auto name = left.substr(0, comma);
    left.remove_prefix(comma == left.npos ? left.size() : comma + 1);
    if (name == "latency")
      details.latency = true;
    else if (name == "ping_url")
      details.ping_url = true;
    else
      return refuse("fields contains " + model::quoted_excerpt(name) +
                    ", which is not a field. Use latency, ping_url or both.");
  }
  if (!explain.value) return details;
  if (*explain.value != "true" && *explain.value != "false")
    return refuse("explain must be true or false.");
  details.explain = *explain.value == "true";
  return details;
}

/// Reports the client's measurements, if the service learns from listings.
void hand_to_latency_map(const request_context& asked,
                         const std::vector<model::measured_latency>& measured) {
  const auto& gate = asked.settings().latency_gate;
  if (!gate || measured.empty()) return;
  // Takes a place first: a report that gets none must not begin the client's interval.
  if (!gate->enter()) return;
  if (!gate->takes(asked.client()) ||
      !asked.tell(owner::latency_map,
                  actors::latencies_heard{asked.client(), measured, asked.origin_host(),
                                          asked.player_namespace()}))
    gate->leave();
}

void ask_regions(const request_context& asked) {
  auto measured = read_rtt(asked);
  if (!measured) return;
  const auto details = read_details(asked);
  if (!details) return;
  hand_to_latency_map(asked, *measured);
  const auto& request = asked.request();
  asked.rank({asked.exchange(), asked.client(), asked.origin_host(), *std::move(measured),
              asked.player_namespace(), accepts_gzip(request), *details,
              details->explain ? client_address_source(request.peer, asked.client(),
                                                       request.get(header::x_forwarded_for),
                                                       asked.settings().proxies)
                               : std::string_view{},
              asked.ticket()});
}

void explain_ranking(const request_context& asked) {
  const auto refuse = [&](const char* why) { asked.refuse({errc::query_invalid, why}); };
  actors::explain_ranking message{asked.exchange(), {}, {}, {}, asked.ticket()};
  if (const auto at = model::parse_coordinates(asked.query("latitude"), asked.query("longitude"))) {
    message.at = at;
  } else if (const auto client = model::parse_ip_address(asked.query("address"))) {
    message.client = *client;
  } else {
    return refuse("The query needs address, an IPv4 or IPv6 address, or latitude (-90 to 90) and "
                  "longitude (-180 to 180) in degrees.");
  }
  if (const auto text = asked.query("namespace_id"); !text.empty()) {
    message.namespace_id = model::parse_uuid(text);
    if (!message.namespace_id) return refuse("namespace_id must be a UUID of 36 characters.");
  }
  asked.forward(owner::region_ranking, std::move(message));
}

} // namespace

const operation_code codes::list_regions{
    [] {
      return operation_reference{
          .tag = "regions",
          .summary = "List regions, best first",
          .description =
              "Lists the datacenter regions of a namespace, ordered by distance from the place of "
              "the client's address, or by predicted latency (see `rank-by`). The namespace is the "
              "player token's, else the one that registered the host of `Origin`, else the default "
              "one.",
          .parameters =
              {{"query",
                "rtt",
                {R"("type":"string","maxLength":8192)"},
                "Latencies in milliseconds that the client measured: `region:ms,region:ms`. These "
                "regions come first, by latency. At most 256, each once, 0 to 60000.",
                R"("iad:71,lon:9.5")"},
               {"query", "fields", text,
                "What to add to each region: `latency`, `ping_url` or `latency,ping_url`.",
                R"("latency,ping_url")"},
               {"query", "explain", flag,
                "Whether to add the client's assumed place, and how it is known.", "true"},
               {"header", "Origin", text,
                "The requesting page's origin. Its host may select a namespace.",
                R"("https://demo-game.example")"},
               accept_encoding_reference,
               if_none_match_reference,
               if_match_reference},
          .answers = {{200, "The regions.", listing_headers, json_type, a("RankedRegionList"),
                       R"({"regions":[{"region_id":"lon","region_display_name":"London",)"
                       R"("provider_display_name":"Demo Cloud","datacenter_coord":{)"
                       R"("latitude":51.5074,"longitude":-0.1278},)"
                       R"("datacenter_distance_from_client":{"kilometers":5.3,)"
                       R"("miles":3.293}}]})"},
                      {304, "The client's copy is current.",
                       "ETag Cache-Control Vary Access-Control-Allow-Origin "
                       "Access-Control-Expose-Headers"}},
          .errors = {errc::query_invalid, errc::precondition_failed},
          .schemas = region_schemas()};
    },
    ask_regions};

const operation_code codes::ping{
    [] {
      return operation_reference{
          .tag = "regions",
          .summary = "Answer at once, so that clients can measure latency",
          .description = "Game clients time this request to a server in each region and "
                         "send the results in `rtt`. Pages may read exact times.",
          .answers = {{204, "The answer.",
                       "Cache-Control Access-Control-Allow-Origin Access-Control-Expose-Headers "
                       "Timing-Allow-Origin"}}};
    },
    [](const request_context& asked) {
      response made;
      made.status = 204;
      made.fixed_headers = ping_headers;
      asked.answer(std::move(made));
    }};

const operation_code codes::get_ranking{
    [] {
      return operation_reference{
          .tag = "players",
          .summary = "Show the listing for an address or a place",
          .description = "The assumed place of a client with this address, how it is known, and "
                         "the listing that the client gets, byte for byte.",
          .parameters = {{"query", "address", text, "An IPv4 or IPv6 address.", R"("81.2.69.142")"},
                         {"query", "latitude", latitude,
                          "Degrees; with `longitude`, instead of an address.", "51.5"},
                         {"query", "longitude", longitude, "Degrees.", "-0.12"},
                         {"query", "namespace_id", uuid,
                          "The namespace to list; by default, the default one.",
                          R"("00000000-0000-4000-8000-000000000011")"}},
          .answers = {json_answer(
              "The ranking.", a("Ranking"),
              R"({"ranked_by":"distance","place":null,"source":"unknown",)"
              R"("country":null,"asn":null,"file":null,"cells":[],"latencies":[],)"
              R"("listing":{"regions":[]}})")},
          .errors = {errc::query_invalid, errc::element_not_found}};
    },
    explain_ranking};

} // namespace matchcloud::http
