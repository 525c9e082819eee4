#include "http/operations/latencies.hpp"

#include "actors/latency_map/latency_map_state.hpp"
#include "actors/latency_map/messages.hpp"
#include "http/front/request_context.hpp"
#include "http/operations/code.hpp"
#include "model/regions/latency_body.hpp"

#include <array>

namespace matchcloud::http {

namespace {

using base::errc;
using base::owner;

constexpr std::size_t depth_limit = 4;

constexpr std::array latency_schemas{
    named_schema{"LatencyReport", R"({
      "type": "object", "additionalProperties": false, "required": ["latencies"],
      "properties": {
        "latencies": {"type": "object", "minProperties": 1, "maxProperties": 256,
          "additionalProperties": {"type": "number", "minimum": 0, "maximum": 60000},
          "description": "The round trip to each measured region in milliseconds, by its id."}}
    })"},
    named_schema{"LatencyReportResult", R"({
      "type": "object", "additionalProperties": false, "required": ["taken", "unknown"],
      "properties": {
        "taken": {"type": "boolean", "description": "Whether the service learns from the report."},
        "why": {"$ref": "#/components/schemas/LatencyOutcome",
          "description": "Why it is not taken."},
        "unknown": {"type": "array", "items": {"type": "string"},
          "description": "Ids that no region has."}}
    })"},
    named_schema{"LatencyOutcome",
                 R"({"description": "The outcome of a report. `implausible`: faster than light in )"
                 R"(glass, or slower than 2000 ms; `too_soon`: the client's address has reported )"
                 R"(within latency-report-interval-s; `learning_off`: latency-learning is off."})",
                 actors::latency_outcome_names},
};

} // namespace

const operation_code codes::report_latencies{
    [] {
      return operation_references{operation_reference{
          .tag = "regions",
          .summary = "Report measured latencies",
          .description =
              "Reports what a player measured, so that the service can rank regions for other "
              "players nearby. It takes one report per address and minute. Addresses are not "
              "stored: a report counts for the player's network (/24 or /48), place, provider and "
              "country.",
          .body = {.schema = R"({"$ref":"#/components/schemas/LatencyReport"})",
                   .description = "The round trips, each the median of several.",
                   .example = R"({"latencies":{"lon":23.1,"fra":31}})"},
          .answers = {{200, "The outcome of the report.",
                       "Access-Control-Allow-Origin Access-Control-Expose-Headers", json_type,
                       R"({"$ref":"#/components/schemas/LatencyReportResult"})",
                       R"({"taken":true,"unknown":[]})"}},
          .errors = {errc::query_invalid},
          .schemas = latency_schemas}};
    },
    [](const request_context& asked) {
      if (!asked.takes_body()) return;
      auto measured = model::read_latency_body(asked.request().body, depth_limit);
      if (!measured) return asked.refuse(measured.error());
      asked.forward(owner::latency_map,
                    actors::report_latencies{asked.exchange(), asked.client(), *std::move(measured),
                                             asked.origin_host(), asked.player_namespace(),
                                             asked.ticket()});
    }};

} // namespace matchcloud::http
