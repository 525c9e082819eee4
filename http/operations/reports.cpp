#include "http/operations/reports.hpp"

#include "actors/reports/messages.hpp"
#include "http/front/request_context.hpp"
#include "http/operations/code.hpp"

#include <array>

namespace matchcloud::http {

namespace {

using base::owner;

constexpr std::array schemas{
    named_schema{"ActorList", R"({"type":"object","additionalProperties":false,"required":[)"
                              R"("actors"],"properties":{"actors":{"type":"array","items":{)"
                              R"("$ref":"#/components/schemas/Actor"}}}})"},
    named_schema{"Actor", R"({"type":"object","additionalProperties":false,"required":["place",)"
                          R"("kind","loop","state","depth","restarts","handled","last_error"],)"
                          R"("properties":{"place":{"type":"string","description":"Its name."},)"
                          R"("kind":{"type":"string"},"loop":{"type":["integer","null"],)"
                          R"("description":"The event loop that it lives on; null: the pool."},)"
                          R"("state":{"type":"string"},"depth":{"type":"integer",)"
                          R"("description":"Requests that wait for it."},"restarts":{)"
                          R"("type":"integer"},"handled":{"type":"integer",)"
                          R"("description":"Messages."},"last_error":{"type":["string",)"
                          R"("null"]}}})"},
    named_schema{"Status", R"({"type":"object","description":"The data of an event.",)"
                           R"("required":["ready","connections","requests_in_flight",)"
                           R"("requests_total","actor_restarts_total","uptime_s","planes",)"
                           R"("latency_us","loops","memory","actors","faults"],"properties":{)"
                           R"("ready":{"type":"boolean"},"connections":{"type":"integer"},)"
                           R"("requests_in_flight":{"type":"integer"},"requests_total":{)"
                           R"("type":"integer"},"actor_restarts_total":{"type":"integer"},)"
                           R"("uptime_s":{"type":"integer"},"planes":{"type":"object",)"
                           R"("required":["data","ops"],"properties":{"data":{)"
                           R"("$ref":"#/components/schemas/PlaneStatus"},"ops":{)"
                           R"("$ref":"#/components/schemas/PlaneStatus"}}},"latency_us":{)"
                           R"("type":"object",)"
                           R"("description":"Of the data plane's requests since the event )"
                           R"(before; the upper bounds of histogram buckets.","required":[)"
                           R"("count","p50","p90","p99","max"],"properties":{"count":{)"
                           R"("type":"integer"},"p50":{"type":"integer"},"p90":{)"
                           R"("type":"integer"},"p99":{"type":"integer"},"max":{)"
                           R"("type":"integer"}}},"loops":{"type":"array","items":{)"
                           R"("type":"object","required":["loop","plane","connections","busy"],)"
                           R"("properties":{"loop":{"type":"integer"},"plane":{"type":"string"},)"
                           R"("connections":{"type":"integer"},"busy":{"type":"number",)"
                           R"("minimum":0,"maximum":1}}}},"memory":{"type":"object","required":[)"
                           R"("resident_bytes","leased_bytes","budget_bytes"],"properties":{)"
                           R"("resident_bytes":{"type":"integer"},"leased_bytes":{)"
                           R"("type":"integer"},"budget_bytes":{"type":"integer"}}},"actors":{)"
                           R"("type":"object","required":["running","problems"],"properties":{)"
                           R"("running":{"type":"integer"},"problems":{"type":"array","items":{)"
                           R"("type":"object","required":["place","state","last_error"],)"
                           R"("properties":{"place":{"type":"string"},"state":{"type":"string"},)"
                           R"("last_error":{"type":"string"}}}}}},"faults":{"type":["object",)"
                           R"("null"],"description":"Null: none can be injected.","required":[)"
                           R"("armed","hits"],"properties":{"armed":{"type":"integer"},"hits":{)"
                           R"("type":"integer"}}}}})"},
    named_schema{"PlaneStatus",
                 R"({"type":"object","required":["connections","in_flight","answers"],)"
                 R"("properties":{"connections":{"type":"integer"},"in_flight":{)"
                 R"("type":"integer"},"answers":{"type":"object",)"
                 R"("description":"Since the start, by class of status.",)"
                 R"("properties":{"2xx":{"type":"integer"},"3xx":{"type":"integer"},)"
                 R"("4xx":{"type":"integer"},"5xx":{"type":"integer"}}}}})"},
    named_schema{"TraceList",
                 R"({"type":"object","additionalProperties":false,"required":[)"
                 R"("one_in","traces"],"properties":{"one_in":{"type":"integer",)"
                 R"("description":"0: none is traced."},"traces":{"type":"array",)"
                 R"("items":{"type":"object","additionalProperties":false,"required":[)"
                 R"("request_id","operation","status","began","total_us","steps"],)"
                 R"("properties":{"request_id":{"type":"string"},"operation":{)"
                 R"("type":"string"},"status":{"type":"integer"},"began":{)"
                 R"("type":"string","format":"date-time"},"total_us":{)"
                 R"("type":"integer"},"steps":{"type":"array","items":{)"
                 R"("type":"object","additionalProperties":false,"required":["place",)"
                 R"("at_us","us"],"properties":{"place":{"type":"string",)"
                 R"("description":"The actor's kind."},"at_us":{"type":"integer",)"
                 R"("description":"Microseconds after the begin."},"us":{)"
                 R"("type":"integer",)"
                 R"("description":"How long it handled the message."}}}}}}}}})"}};

} // namespace

const operation_code codes::get_metrics{
    [] {
      return operation_references{operation_reference{
          .tag = "reports",
          .summary = "Metrics for Prometheus",
          .description = "In Prometheus' text format, version 0.0.4.",
          .answers = {{200, "The metrics.", cache_control, "text/plain", R"({"type":"string"})"}}}};
    },
    [](const request_context& asked) { asked.report(actors::render_report::kind::metrics); }};

const operation_code codes::list_actors{
    [] {
      return operation_references{operation_reference{
          .tag = "reports",
          .summary = "The actors under supervision",
          .description = "Where each is, how it is, how many requests wait for it and why it last "
                         "died.",
          .answers = {{200, "The actors.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/ActorList"})",
                       R"({"actors":[{"place":"avatar/1","kind":"avatar","loop":null,)"
                       R"("state":"running","depth":0,"restarts":0,"handled":0,)"
                       R"("last_error":null}]})"}},
          .schemas = schemas}};
    },
    [](const request_context& asked) { asked.report(actors::render_report::kind::actors); }};

const operation_code codes::watch_status{
    [] {
      return operation_references{operation_reference{
          .tag = "reports",
          .summary = "Watch the status",
          .description = "Server-sent events: `status` once a second, whose data is one "
                         "line of JSON.",
          .answers = {
              {200, "Events, until the client leaves.", "Cache-Control X-Accel-Buffering",
               "text/event-stream",
               R"({"type":"string","contentSchema":{"$ref":"#/components/schemas/Status"}})"}}}};
    },
    [](const request_context& asked) {
      asked.forward(owner::reports, actors::watch_status{asked.exchange(), asked.ticket()});
    }};

const operation_code codes::list_traces{
    [] {
      return operation_references{operation_reference{
          .tag = "reports",
          .summary = "The walks of a few requests through actors",
          .description = "Of `one_in` requests of the data plane one is traced; the last of them, "
                         "the newest first.",
          .answers = {{200, "The walks.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/TraceList"})",
                       R"({"one_in":1000,"traces":[{)"
                       R"("request_id":"5f1c2a9be0d34a770000000000000001",)"
                       R"("operation":"list_regions","status":200,)"
                       R"("began":"2026-11-23T00:00:00.000Z","total_us":42,"steps":[{)"
                       R"("place":"front","at_us":0,"us":6}]}]})"}}}};
    },
    [](const request_context& asked) { asked.report(actors::render_report::kind::traces); }};

} // namespace matchcloud::http
