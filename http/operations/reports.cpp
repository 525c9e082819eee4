#include "actors/reports/messages.hpp"
#include "actors/supervision/child_table.hpp"
#include "http/front/front.hpp"
#include "http/operations/code.hpp"
#include "http/operations/list.hpp"
#include "http/ops/status_report.hpp"

namespace matchcloud::http {

namespace {

using base::owner;

std::vector<named_schema> report_schemas() {
  return {object("ActorList", {{"actors", list_of(a("Actor")), "All actors under supervision."}}),
          schema_of<actor_status>(),
          one_of("ActorState", actors::child_state_names,
                 "`waiting`: it will be restarted soon; `storming`: it keeps dying."),
          schema_of<service_status>(),
          schema_of<plane_status>(),
          schema_of<loop_status>(),
          schema_of<memory_status>(),
          schema_of<supervision_status>(),
          schema_of<player_places>(),
          schema_of<place_cell>()};
}

} // namespace

const operation_code codes::get_metrics{
    [] {
      return operation_reference{
          .tag = "reports",
          .summary = "Metrics for Prometheus",
          .description = "In Prometheus' text format, version 0.0.4.",
          .answers = {{200, "The metrics.", cache_control, "text/plain", text}}};
    },
    report<report_kind::metrics>};

const operation_code codes::list_actors{
    [] {
      return operation_reference{
          .tag = "reports",
          .summary = "List the actors under supervision",
          .description = "For each actor: its place, its state, how many requests wait for it and "
                         "why it last died.",
          .answers = {json_answer("The actors.", a("ActorList"),
                                  R"({"actors":[{"place":"avatar/1","kind":"avatar","loop":null,)"
                                  R"("state":"running","depth":0,"restarts":0,"handled":0,)"
                                  R"("last_error":null}]})")},
          .schemas = report_schemas()};
    },
    report<report_kind::actors>};

const operation_code codes::watch_status{
    [] {
      return operation_reference{
          .tag = "reports",
          .summary = "Watch the status",
          .description = "Server-sent events: a `status` event every second, with one line of "
                         "JSON as its data.",
          .answers = {
              {200,
               "Events, until the client disconnects.",
               "Cache-Control X-Accel-Buffering",
               "text/event-stream",
               {R"("type":"string","contentSchema":{"$ref":"#/components/schemas/Status"})"}}}};
    },
    [](const request_context& asked) {
      asked.forward(owner::reports, actors::watch_status{asked.exchange(), asked.ticket()});
    }};

const operation_code codes::list_places{
    [] {
      return operation_reference{
          .tag = "players",
          .summary = "Show where recent requests for listings came from",
          .description = "Counted in cells of 5 degrees, unless `count-places` is false.",
          .answers = {json_answer("The cells with requests.", a("PlayerPlaces"),
                                  R"({"enabled":true,"window_s":60,"cell_degrees":5,"unknown":0,)"
                                  R"("cells":[{"latitude":52.5,"longitude":2.5,"requests":3}]})")}};
    },
    report<report_kind::places>};

} // namespace matchcloud::http
