#include "actors/reports/messages.hpp"
#include "actors/supervision/child_table.hpp"
#include "http/front/request_context.hpp"
#include "http/operations/code.hpp"
#include "http/operations/list.hpp"

namespace matchcloud::http {

namespace {

using base::owner;

std::vector<named_schema> report_schemas() {
  return {
      object("ActorList", {{"actors", list_of(a("Actor")), "All actors under supervision."}}),
      object(
          "Actor",
          {{"place", text, "Its name, such as `avatar/1`."},
           {"kind", text, "What it does, such as `avatar`."},
           {"loop", count_or_null, "The number of the event loop that it runs on; null: the pool."},
           {"state", a("ActorState"), "Its state."},
           {"depth", count, "Requests waiting for it."},
           {"restarts", count, "How often it was restarted."},
           {"handled", count, "Messages that it has handled."},
           {"last_error", text_or_null, "The cause of its last death; null: it never died."}}),
      one_of("ActorState", actors::child_state_names,
             "`waiting`: it will be restarted soon; `storming`: it keeps dying."),
      object("Status",
             {{"ready", flag, "Whether the service accepts requests."},
              {"connections", count, "Open connections of both planes."},
              {"requests_in_flight", count, "Requests that are not answered yet."},
              {"requests_total", count, "Requests answered since the start."},
              {"actor_restarts_total", count, "Actors restarted since the start."},
              {"uptime_s", count, "Seconds since the start."},
              {"planes",
               {R"("type":"object","required":["data","ops"],)"
                R"("properties":{"data":{"$ref":"#/components/schemas/PlaneStatus",)"
                R"("description":"The data plane."},)"
                R"("ops":{"$ref":"#/components/schemas/PlaneStatus",)"
                R"("description":"The ops plane."}})"},
               "Each plane by itself."},
              {"latency_us", a("LatencySummary"),
               "How long the data plane's requests took in the last second."},
              {"loops", list_of(a("LoopStatus")), "The event loops of the data plane."},
              {"memory", a("MemoryStatus"), "Memory in use."},
              {"actors", a("SupervisionStatus"), "Actors under supervision."},
              {"faults",
               {R"("type":["object","null"],"required":["armed","hits"],)"
                R"("properties":{"armed":{"type":"integer","minimum":0,)"
                R"("description":"Points with a rule."},"hits":{"type":"integer",)"
                R"("minimum":0,"description":"Faults injected since the start."}})"},
               "Injected faults; null: none can be injected."}},
             "The data of an event.", true),
      object("PlaneStatus",
             {{"connections", count, "Open connections."},
              {"in_flight", count, "Requests that are not answered yet."},
              {"answers", a("AnswerCounts"), "Answers since the start, by class of status."}},
             {}, true),
      object("LoopStatus",
             {{"loop", count, "Its number, from 0."},
              {"plane", text, "The plane that it serves."},
              {"connections", count, "Open connections that it serves."},
              {"busy", share, "The share of time in which it worked since the previous event."}},
             {}, true),
      object("MemoryStatus",
             {{"resident_bytes", count, "The process's resident memory."},
              {"leased_bytes", count, "The bytes of the budget that requests and responses hold."},
              {"budget_bytes", count, "The byte budget."}},
             {}, true),
      object("SupervisionStatus",
             {{"running", count, "Actors that run."},
              {"problems",
               list_of({R"("type":"object","required":["place","state","last_error"],)"
                        R"("properties":{"place":{"type":"string",)"
                        R"("description":"The actor's name."},)"
                        R"("state":{"$ref":"#/components/schemas/ActorState",)"
                        R"("description":"Its state."},"last_error":{"type":"string",)"
                        R"("description":"The cause of its last death."}})"}),
               "The first actors that do not run."}},
             {}, true),
      object("PlayerPlaces",
             {{"enabled", flag, "Whether places are counted."},
              {"window_s", count, "The age of the oldest requests that count, in seconds."},
              {"cell_degrees",
               {R"("type":"integer","minimum":1,"maximum":180)"},
               "The length of a cell's side, in degrees."},
              {"unknown", count, "Requests from unknown places."},
              {"cells", list_of(a("PlaceCell")), "The cells that requests came from."}}),
      object("PlaceCell", {{"latitude", latitude, "Degrees, at the cell's center."},
                           {"longitude", longitude, "Degrees, at the cell's center."},
                           {"requests", positive, "How many requests came from the cell."}})};
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
