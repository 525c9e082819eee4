#include "actors/latency_map/latency_map_state.hpp"
#include "actors/latency_map/messages.hpp"
#include "http/front/front.hpp"
#include "http/operations/code.hpp"
#include "http/operations/list.hpp"
#include "model/regions/measured_latency.hpp"

namespace matchcloud::http {

namespace {

using base::errc;
using base::owner;

constexpr std::size_t depth_limit = 4;

std::vector<named_schema> latency_schemas() {
  return {
      object("LatencyReport",
             {{"latencies",
               {R"("type":"object","minProperties":1,"maxProperties":256,)"
                R"("additionalProperties":{"type":"number","minimum":0,"maximum":60000})"},
               "The round trip to each measured region in milliseconds, by its id."}}),
      schema_of<actors::latency_map_state::answer>(),
      one_of("LatencyOutcome", actors::latency_outcome_names,
             "The outcome of a report. `implausible`: faster than light in glass, or slower than "
             "2000 ms; `too_soon`: the client's address has reported within "
             "latency-report-interval-s; `learning_off`: latency-learning is off.")};
}

} // namespace

const operation_code codes::report_latencies{
    [] {
      return operation_reference{
          .tag = "regions",
          .summary = "Report measured latencies",
          .description =
              "Reports what a player measured, so that the service can rank regions for other "
              "players nearby. It takes one report per address and minute. Addresses are not "
              "stored: a report counts for the player's network (/24 or /48), place, provider and "
              "country.",
          .body = {.schema = a("LatencyReport"),
                   .description = "The round trips, each the median of several.",
                   .example = R"({"latencies":{"lon":23.1,"fra":31}})"},
          .answers = {{200, "The outcome of the report.",
                       "Access-Control-Allow-Origin Access-Control-Expose-Headers", json_type,
                       a("LatencyReportResult"), R"({"taken":true,"unknown":[]})"}},
          .errors = {errc::query_invalid},
          .schemas = latency_schemas()};
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
