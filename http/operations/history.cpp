#include "actors/reports/messages.hpp"
#include "http/front/front.hpp"
#include "http/operations/code.hpp"
#include "http/operations/list.hpp"
#include "http/ops/replica_report.hpp"

#include <algorithm>

namespace matchcloud::http {

namespace {

using base::errc;

std::vector<named_schema> history_schemas() {
  return {
      schema_of<reported_past>(),
      schema_of<history_point>(),
      schema_of<request_summary>(),
      schema_of<operation_summary>(),
      one_of("Plane", plane_names, "One of the two services of a process."),
      schema_of<answers_by_class>(),
      schema_of<latency_spread>(),
      object("Attention",
             {{"looked_for", list_of(text), "The names of the causes that are checked here."},
              {"findings", list_of(a("AttentionFinding")), "The worst first."}}),
      schema_of<attention_finding>(),
      schema_of<attention_subject>(),
      one_of("AttentionSeverity", actors::attention_severity_names, "How bad a finding is."),
      object("ReplicaList", {{"replicas", list_of(a("Replica")), "By host and URL, at most 100."}}),
      schema_of<replica>(),
      one_of("ServiceState", service_state_names,
             "Whether a process accepts requests, or why not."),
      object("TraceList",
             {{"one_in", count, "One in this many requests of the data plane is sampled; 0: none."},
              {"traces", list_of(a("Trace")), "The newest first."}}),
      object("Trace", {{"request_id", text, "The request's `X-Request-Id`."},
                       {"trace_id", text_or_null, "The id in its `traceparent`."},
                       {"operation", text, "The operation that it called."},
                       {"status",
                        {R"("type":"integer","minimum":100,"maximum":599)"},
                        "The status of the answer; 499: the client was gone before it."},
                       {"game_id",
                        {R"("type":["string","null"],"format":"uuid")"},
                        "The game that its path names."},
                       {"is_sampled", flag, "Whether event loops noted their steps too."},
                       {"began", moment, "When the request was read."},
                       {"total_us", count, "Microseconds until it was answered."},
                       {"steps", list_of(a("TraceStep")), "In the order in which they began."}}),
      object("TraceStep",
             {{"place", text,
               "An actor; `store`, `bucket` or `file`; a fault point; `sending` after the answer."},
              {"kind", a("TraceStepKind"), "The kind of step."},
              {"at_us", count, "Microseconds after the request began."},
              {"us", count, "Its duration, in microseconds."}}),
      one_of("TraceStepKind", actors::trace_step_names,
             "`wait` precedes the work at the same place.")};
}

/// Whether an operation has this name.
bool names_operation(std::string_view name) {
  return std::ranges::any_of(operations, [name](const auto& row) { return row.name == name; });
}

} // namespace

const operation_code codes::get_history{
    [] {
      return operation_reference{
          .tag = "reports",
          .summary = "Show what the process has done",
          .description =
              "Requests, answers and latencies by operation, event loops and counts: the last hour "
              "by the second, the last day by the minute, since the process began.",
          .parameters =
              {{"query", "from", count, "Milliseconds since 1970.", "1767312000000"},
               {"query", "to", count, "Milliseconds since 1970; by default, now.", "1767315600000"},
               {"query",
                "last",
                {R"("type":"integer","minimum":1,"maximum":86400)"},
                "Without `from`: how many seconds before `to` to begin; 3,600 by default.",
                "600"},
               {"query",
                "step",
                {R"("type":"integer","minimum":1,"maximum":3600)"},
                "Seconds from one point to the next; by default, for at most 360 points.",
                "10"}},
          .answers = {json_answer(
              "The history.", a("ServiceHistory"),
              R"({"from":1767312000000,"to":1767315600000,"step_s":10,"points":[]})")},
          .errors = {errc::query_invalid},
          .schemas = history_schemas()};
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
      return operation_reference{
          .tag = "reports",
          .summary = "Show what needs attention",
          .description = "The causes that were found, worst first, each with the path to look at "
                         "next. If there are none, everything in `looked_for` is well.",
          .answers = {json_answer(
              "The causes.", a("Attention"),
              R"({"looked_for":["not_ready","store_away"],"findings":[{)"
              R"("cause":"store_away","severity":"critical","what":)"
              R"("The store has not answered for more than 10 s.","value":12,"limit":10,)"
              R"("since_ms":1793577600000,"about":[],"look_at":"/metrics"}]})")}};
    },
    report<report_kind::attention>};

const operation_code codes::list_replicas{
    [] {
      return operation_reference{
          .tag = "reports",
          .summary = "List the processes that share the store",
          .description = "What each process reports about itself every few seconds. With an "
                         "embedded store, only this process.",
          .answers = {
              json_answer("The replicas.", a("ReplicaList"),
                          R"({"replicas":[{"replica_id":"5f1c2a9b-e0d3-4a77-8000-000000000001",)"
                          R"("is_this":true,"age_ms":0,"host":"match-1",)"
                          R"("ops_url":"http://127.0.0.1:8081","version":"0.3.0","state":"ready",)"
                          R"("began_ms":1795824000000,"requests":3000,"requests_per_second":200,)"
                          R"("failed_share":0,"p50_us":71,"p99_us":350,"busy":0.04,)"
                          R"("causes":["geoip_absent"]}]})")}};
    },
    report<report_kind::replicas>};

const operation_code codes::list_traces{
    [] {
      return operation_reference{
          .tag = "reports",
          .summary = "List the requests that are worth looking at",
          .description =
              "Where the time of requests went: for each operation, the slowest of the last ten "
              "minutes and the latest failures, and one in `one_in` requests of the data plane.",
          .parameters = {{"query", "operation", text, "Only requests of this operation.",
                          R"("list_avatars")"},
                         {"query",
                          "status",
                          {R"("type":"integer","minimum":100,"maximum":599)"},
                          "Only requests with this status.",
                          "200"},
                         {"query",
                          "slower_than_ms",
                          {R"("type":"integer","minimum":0,"maximum":86400000)"},
                          "Only requests that took at least this many milliseconds.",
                          "0"},
                         {"query", "game_id", uuid, "Only requests about this game.",
                          R"("00000000-0000-4000-8000-000000000001")"},
                         {"query", "request_id", text,
                          "Only the request with this id, if it is kept.",
                          R"("5f1c2a9be0d34a770000000000000001")"}},
          .answers = {json_answer(
              "The requests.", a("TraceList"),
              R"({"one_in":1000,"traces":[{)"
              R"("request_id":"5f1c2a9be0d34a770000000000000001","trace_id":null,)"
              R"("operation":"list_avatars","status":200,"game_id":)"
              R"("00000000-0000-4000-8000-000000000001","is_sampled":false,)"
              R"("began":"2026-11-23T00:00:00.000Z","total_us":42,"steps":[{)"
              R"("place":"store","kind":"work","at_us":0,"us":6}]}]})")},
          .errors = {errc::query_invalid}};
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
