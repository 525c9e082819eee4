#include "http/operations/history.hpp"

#include "actors/reports/messages.hpp"
#include "http/front/request_context.hpp"
#include "http/operations/code.hpp"
#include "http/operations/list.hpp"

#include <algorithm>
#include <array>

namespace matchcloud::http {

namespace {

using base::errc;

constexpr std::array history_schemas{
    named_schema{"ServiceHistory", R"({
      "type": "object", "additionalProperties": false,
      "required": ["from", "to", "step_s", "points"],
      "properties": {
        "from": {"type": "integer", "minimum": 0, "description": "Milliseconds since 1970."},
        "to": {"type": "integer", "minimum": 0, "description": "Milliseconds since 1970."},
        "step_s": {"type": "integer", "minimum": 1, "maximum": 3600,
          "description": "Seconds from one point to the next."},
        "points": {"type": "array", "items": {"$ref": "#/components/schemas/HistoryPoint"},
          "description": "Oldest first. There is no point where nothing is known."}}
    })"},
    named_schema{"HistoryPoint", R"({
      "type": "object", "additionalProperties": false,
      "required": ["at", "covers_ms", "connections", "in_flight", "resident_bytes", "loops",
        "loops_waiting", "counts", "data_plane", "operations"],
      "properties": {
        "at": {"type": "integer", "minimum": 0,
          "description": "When it begins, in milliseconds since 1970 by the clock of that time."},
        "covers_ms": {"type": "integer", "minimum": 0,
          "description": "Milliseconds of it that were observed."},
        "connections": {"type": "integer", "minimum": 0,
          "description": "The most connections of the data plane, sampled once a second."},
        "in_flight": {"type": "integer", "minimum": 0,
          "description": "The most waiting data plane requests, sampled once a second."},
        "resident_bytes": {"type": "integer", "minimum": 0,
          "description": "The most memory of the process."},
        "loops": {"type": "array", "items": {"type": "number", "minimum": 0, "maximum": 1},
          "description": "The share of time in which each event loop of the data plane worked."},
        "loops_waiting": {"type": "array",
          "items": {"type": "number", "minimum": 0, "maximum": 1},
          "description": "The share of time in which each waited for a processor."},
        "counts": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0},
          "description": "How often events happened, by name."},
        "data_plane": {"$ref": "#/components/schemas/RequestSummary",
          "description": "All requests of the data plane."},
        "operations": {"type": "array", "items": {"$ref": "#/components/schemas/OperationSummary"},
          "description": "The operations that had requests."}}
    })"},
    named_schema{"RequestSummary", R"({
      "type": "object", "required": ["requests", "answers", "latency_us", "refusals_us"],
      "properties": {
        "requests": {"type": "integer", "minimum": 0, "description": "How many ended."},
        "answers": {"$ref": "#/components/schemas/AnswerCounts",
          "description": "By class of status."},
        "latency_us": {"$ref": "#/components/schemas/LatencySummary",
          "description": "How long they took, except refusals (4xx)."},
        "refusals_us": {"$ref": "#/components/schemas/LatencySummary",
          "description": "How long refusals took."}}
    })"},
    named_schema{"OperationSummary", R"({
      "type": "object", "required": ["operation", "plane", "requests", "answers", "latency_us"],
      "properties": {
        "operation": {"type": "string",
          "description": "Its name, or `unmatched`: requests that match no operation."},
        "plane": {"$ref": "#/components/schemas/Plane",
          "description": "Whose requests these are."},
        "requests": {"type": "integer", "minimum": 0, "description": "How many ended."},
        "answers": {"$ref": "#/components/schemas/AnswerCounts",
          "description": "By class of status."},
        "latency_us": {"$ref": "#/components/schemas/LatencySummary",
          "description": "How long they took, except refusals (4xx)."}}
    })"},
    named_schema{"Plane", R"({"description": "One of the two services of a process."})",
                 plane_names},
    named_schema{"AnswerCounts", R"({
      "type": "object", "required": ["2xx", "3xx", "4xx", "5xx", "client_gone"],
      "description": "How many requests ended in which way: answers by class of status.",
      "properties": {
        "2xx": {"type": "integer", "minimum": 0, "description": "Successes."},
        "3xx": {"type": "integer", "minimum": 0,
          "description": "Redirects, and answers that a client already had."},
        "4xx": {"type": "integer", "minimum": 0, "description": "Errors of the client."},
        "5xx": {"type": "integer", "minimum": 0, "description": "Errors of the service."},
        "client_gone": {"type": "integer", "minimum": 0,
          "description": "Requests whose clients were gone before the answer."}}
    })"},
    named_schema{"LatencySummary", R"({
      "type": "object", "required": ["count", "p50", "p90", "p99", "p99_9", "max"],
      "description": "From the complete request to its answer, in microseconds.",
      "properties": {
        "count": {"type": "integer", "minimum": 0, "description": "How many requests."},
        "p50": {"type": "integer", "minimum": 0, "description": "The median, within 2.5 %."},
        "p90": {"type": "integer", "minimum": 0, "description": "90 % took at most this."},
        "p99": {"type": "integer", "minimum": 0, "description": "99 % took at most this."},
        "p99_9": {"type": "integer", "minimum": 0, "description": "99.9 % took at most this."},
        "max": {"type": "integer", "minimum": 0, "description": "The exact maximum."}}
    })"},
    named_schema{"Attention", R"({
      "type": "object", "additionalProperties": false, "required": ["looked_for", "findings"],
      "properties": {
        "looked_for": {"type": "array", "items": {"type": "string"},
          "description": "The names of the causes that are checked here."},
        "findings": {"type": "array", "items": {"$ref": "#/components/schemas/AttentionFinding"},
          "description": "The worst first."}}
    })"},
    named_schema{"AttentionFinding", R"({
      "type": "object", "additionalProperties": false,
      "required": ["cause", "severity", "what", "value", "limit", "since_ms", "about", "look_at"],
      "properties": {
        "cause": {"type": "string", "description": "A stable name."},
        "severity": {"$ref": "#/components/schemas/AttentionSeverity",
          "description": "How bad it is."},
        "what": {"type": "string", "description": "A sentence."},
        "value": {"type": ["integer", "null"],
          "description": "The amount that the cause is about, or how often it happened."},
        "limit": {"type": ["integer", "null"],
          "description": "The amount from which on it is a finding, or the size of a bound."},
        "since_ms": {"type": "integer", "minimum": 0,
          "description": "Since when it has been found, in milliseconds since 1970."},
        "about": {"type": "array", "items": {"$ref": "#/components/schemas/AttentionSubject"},
          "description": "What it is about, at most five, those with the greatest values first."},
        "look_at": {"type": "string", "description": "The path on this plane to look at next."}}
    })"},
    named_schema{"AttentionSubject", R"({
      "type": "object", "additionalProperties": false, "required": ["of", "value"],
      "properties": {
        "of": {"type": "object", "additionalProperties": {"type": "string"},
          "description": "By kind, such as `operation`, `status`, `code`, `place` or `network`."},
        "value": {"type": ["integer", "null"],
          "description": "Its part of the amount, or a time in seconds since 1970."}}
    })"},
    named_schema{"AttentionSeverity", R"({"description": "How bad a finding is."})",
                 actors::attention_severity_names},
    named_schema{"ReplicaList", R"({
      "type": "object", "additionalProperties": false, "required": ["replicas"],
      "properties": {
        "replicas": {"type": "array", "items": {"$ref": "#/components/schemas/Replica"},
          "description": "By host and URL, at most 100."}}
    })"},
    named_schema{"Replica", R"({
      "type": "object", "additionalProperties": false,
      "required": ["replica_id", "is_this", "age_ms", "host", "ops_url", "version", "state",
        "began_ms", "requests", "requests_per_second", "failed_share", "p50_us", "p99_us", "busy",
        "causes"],
      "properties": {
        "replica_id": {"type": "string", "format": "uuid", "description": "New at each start."},
        "is_this": {"type": "boolean", "description": "Whether this is the answering process."},
        "age_ms": {"type": "integer",
          "description": "How long ago it reported this, in milliseconds."},
        "host": {"type": "string", "description": "The name of its machine."},
        "ops_url": {"type": "string", "description": "Where its ops plane listens."},
        "version": {"type": "string", "description": "The version of its program."},
        "state": {"$ref": "#/components/schemas/ServiceState",
          "description": "Whether it accepts requests, or why not."},
        "began_ms": {"type": "integer", "minimum": 0,
          "description": "When it began, in milliseconds since 1970."},
        "requests": {"type": "number", "minimum": 0,
          "description": "Requests of the data plane in the last 15 seconds."},
        "requests_per_second": {"type": "number", "minimum": 0,
          "description": "Requests of the data plane per second."},
        "failed_share": {"type": "number", "minimum": 0, "maximum": 1,
          "description": "The share of them answered with 5xx."},
        "p50_us": {"type": "number", "minimum": 0,
          "description": "Their median latency, in microseconds."},
        "p99_us": {"type": "number", "minimum": 0, "description": "99 % took at most this."},
        "busy": {"type": "number", "minimum": 0, "maximum": 1,
          "description": "The share of time in which its busiest event loop worked."},
        "causes": {"type": "array", "items": {"type": "string"},
          "description": "What its own /v1/attention found."}}
    })"},
    named_schema{"ServiceState",
                 R"({"description": "Whether a process accepts requests, or why not."})",
                 service_state_names},
    named_schema{"TraceList", R"({
      "type": "object", "additionalProperties": false, "required": ["one_in", "traces"],
      "properties": {
        "one_in": {"type": "integer", "minimum": 0,
          "description": "One in this many requests of the data plane is sampled; 0: none."},
        "traces": {"type": "array", "items": {"$ref": "#/components/schemas/Trace"},
          "description": "The newest first."}}
    })"},
    named_schema{"Trace", R"({
      "type": "object", "additionalProperties": false,
      "required": ["request_id", "trace_id", "operation", "status", "game_id", "is_sampled",
        "began", "total_us", "steps"],
      "properties": {
        "request_id": {"type": "string", "description": "The request's `X-Request-Id`."},
        "trace_id": {"type": ["string", "null"], "description": "The id in its `traceparent`."},
        "operation": {"type": "string", "description": "The operation that it called."},
        "status": {"type": "integer", "minimum": 100, "maximum": 599,
          "description": "The status of the answer; 499: the client was gone before it."},
        "game_id": {"type": ["string", "null"], "format": "uuid",
          "description": "The game that its path names."},
        "is_sampled": {"type": "boolean",
          "description": "Whether event loops noted their steps too."},
        "began": {"type": "string", "format": "date-time",
          "description": "When the request was read."},
        "total_us": {"type": "integer", "minimum": 0,
          "description": "Microseconds until it was answered."},
        "steps": {"type": "array", "items": {"$ref": "#/components/schemas/TraceStep"},
          "description": "In the order in which they began."}}
    })"},
    named_schema{"TraceStep", R"({
      "type": "object", "additionalProperties": false, "required": ["place", "kind", "at_us", "us"],
      "properties": {
        "place": {"type": "string",
          "description":
            "An actor; `store`, `bucket` or `file`; a fault point; `sending` after the answer."},
        "kind": {"$ref": "#/components/schemas/TraceStepKind", "description": "The kind of step."},
        "at_us": {"type": "integer", "minimum": 0,
          "description": "Microseconds after the request began."},
        "us": {"type": "integer", "minimum": 0, "description": "Its duration, in microseconds."}}
    })"},
    named_schema{"TraceStepKind",
                 R"({"description": "`wait` precedes the work at the same place."})",
                 actors::trace_step_names},
};

/// Whether an operation has this name.
bool names_operation(std::string_view name) {
  return std::ranges::any_of(operations, [name](const auto& row) { return row.name == name; });
}

} // namespace

const operation_code codes::get_history{
    [] {
      return operation_references{operation_reference{
          .tag = "reports",
          .summary = "Show what the process has done",
          .description =
              "Requests, answers and latencies by operation, event loops and counts: the last hour "
              "by the second, the last day by the minute, since the process began.",
          .parameters =
              {{"query", "from", R"({"type":"integer","minimum":0})", "Milliseconds since 1970.",
                "1767312000000"},
               {"query", "to", R"({"type":"integer","minimum":0})",
                "Milliseconds since 1970; by default, now.", "1767315600000"},
               {"query", "last", R"({"type":"integer","minimum":1,"maximum":86400})",
                "Without `from`: how many seconds before `to` to begin; 3,600 by default.", "600"},
               {"query", "step", R"({"type":"integer","minimum":1,"maximum":3600})",
                "Seconds from one point to the next; by default, for at most 360 points.", "10"}},
          .answers = {{200, "The history.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/ServiceHistory"})",
                       R"({"from":1767312000000,"to":1767315600000,"step_s":10,"points":[]})"}},
          .errors = {errc::query_invalid},
          .schemas = history_schemas}};
    },
    [](const request_context& asked) {
      auto past = actors::read_past_query([&](std::string_view name) { return asked.query(name); });
      if (!past) return asked.refuse(past.error());
      asked.forward(
          base::owner::reports,
          actors::render_report{
              asked.exchange(), actors::render_report::kind::past, asked.ticket(), *past, {}});
    }};

const operation_code codes::get_attention{
    [] {
      return operation_references{operation_reference{
          .tag = "reports",
          .summary = "Show what needs attention",
          .description = "The causes that were found, worst first, each with the path to look at "
                         "next. If there are none, everything in `looked_for` is well.",
          .answers = {{200, "The causes.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/Attention"})",
                       R"({"looked_for":["not_ready","store_away"],"findings":[{)"
                       R"("cause":"store_away","severity":"critical","what":)"
                       R"("The store has not answered for more than 10 s.","value":12,"limit":10,)"
                       R"("since_ms":1793577600000,"about":[],"look_at":"/metrics"}]})"}}}};
    },
    [](const request_context& asked) { asked.report(actors::render_report::kind::attention); }};

const operation_code codes::list_replicas{
    [] {
      return operation_references{operation_reference{
          .tag = "reports",
          .summary = "List the processes that share the store",
          .description = "What each process reports about itself every few seconds. With an "
                         "embedded store, only this process.",
          .answers = {{200, "The replicas.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/ReplicaList"})",
                       R"({"replicas":[{"replica_id":"5f1c2a9b-e0d3-4a77-8000-000000000001",)"
                       R"("is_this":true,"age_ms":0,"host":"match-1",)"
                       R"("ops_url":"http://127.0.0.1:8081","version":"0.3.0","state":"ready",)"
                       R"("began_ms":1795824000000,"requests":3000,"requests_per_second":200,)"
                       R"("failed_share":0,"p50_us":71,"p99_us":350,"busy":0.04,)"
                       R"("causes":["geoip_absent"]}]})"}}}};
    },
    [](const request_context& asked) { asked.report(actors::render_report::kind::replicas); }};

const operation_code codes::list_traces{
    [] {
      return operation_references{operation_reference{
          .tag = "reports",
          .summary = "List the requests that are worth looking at",
          .description =
              "Where the time of requests went: for each operation, the slowest of the last ten "
              "minutes and the latest failures, and one in `one_in` requests of the data plane.",
          .parameters = {{"query", "operation", R"({"type":"string"})",
                          "Only requests of this operation.", R"("list_avatars")"},
                         {"query", "status", R"({"type":"integer","minimum":100,"maximum":599})",
                          "Only requests with this status.", "200"},
                         {"query", "slower_than_ms",
                          R"({"type":"integer","minimum":0,"maximum":86400000})",
                          "Only requests that took at least this many milliseconds.", "0"},
                         {"query", "game_id", R"({"type":"string","format":"uuid"})",
                          "Only requests about this game.",
                          R"("00000000-0000-4000-8000-000000000001")"},
                         {"query", "request_id", R"({"type":"string"})",
                          "Only the request with this id, if it is kept.",
                          R"("5f1c2a9be0d34a770000000000000001")"}},
          .answers = {{200, "The requests.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/TraceList"})",
                       R"({"one_in":1000,"traces":[{)"
                       R"("request_id":"5f1c2a9be0d34a770000000000000001","trace_id":null,)"
                       R"("operation":"list_avatars","status":200,"game_id":)"
                       R"("00000000-0000-4000-8000-000000000001","is_sampled":false,)"
                       R"("began":"2026-11-23T00:00:00.000Z","total_us":42,"steps":[{)"
                       R"("place":"store","kind":"work","at_us":0,"us":6}]}]})"}},
          .errors = {errc::query_invalid}}};
    },
    [](const request_context& asked) {
      auto wanted =
          actors::read_trace_query([&](std::string_view name) { return asked.query(name); });
      if (!wanted) return asked.refuse(wanted.error());
      if (!wanted->operation.empty() && !names_operation(wanted->operation))
        return asked.refuse({errc::query_invalid,
                             "`operation` does not name an operation. docs/interface.md lists the "
                             "names."});
      asked.forward(base::owner::reports, actors::render_report{asked.exchange(),
                                                                actors::render_report::kind::traces,
                                                                asked.ticket(),
                                                                {},
                                                                *std::move(wanted)});
    }};

} // namespace matchcloud::http
