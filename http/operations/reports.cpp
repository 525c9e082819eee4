#include "http/operations/reports.hpp"

#include "actors/reports/messages.hpp"
#include "actors/supervision/child_table.hpp"
#include "http/front/request_context.hpp"
#include "http/operations/code.hpp"

#include <array>

namespace matchcloud::http {

namespace {

using base::owner;

constexpr std::array report_schemas{
    named_schema{"ActorList", R"({
      "type": "object", "additionalProperties": false, "required": ["actors"],
      "properties": {
        "actors": {"type": "array", "items": {"$ref": "#/components/schemas/Actor"},
          "description": "All actors under supervision."}}
    })"},
    named_schema{"Actor", R"({
      "type": "object", "additionalProperties": false,
      "required": ["place", "kind", "loop", "state", "depth", "restarts", "handled",
        "last_error"],
      "properties": {
        "place": {"type": "string", "description": "Its name, such as `avatar/1`."},
        "kind": {"type": "string", "description": "What it does, such as `avatar`."},
        "loop": {"type": ["integer", "null"], "minimum": 0,
          "description": "The number of the event loop that it runs on; null: the pool."},
        "state": {"$ref": "#/components/schemas/ActorState", "description": "Its state."},
        "depth": {"type": "integer", "minimum": 0,
          "description": "Requests waiting for it."},
        "restarts": {"type": "integer", "minimum": 0, "description": "How often it was restarted."},
        "handled": {"type": "integer", "minimum": 0,
          "description": "Messages that it has handled."},
        "last_error": {"type": ["string", "null"],
          "description": "The cause of its last death; null: it never died."}}
    })"},
    named_schema{"ActorState",
                 R"({"description": "`waiting`: it will be restarted soon; `storming`: it keeps )"
                 R"(dying."})",
                 actors::child_state_names},
    named_schema{"Status", R"({
      "type": "object", "description": "The data of an event.",
      "required": ["ready", "connections", "requests_in_flight", "requests_total",
        "actor_restarts_total", "uptime_s", "planes", "latency_us", "loops", "memory", "actors",
        "faults"],
      "properties": {
        "ready": {"type": "boolean", "description": "Whether the service accepts requests."},
        "connections": {"type": "integer", "minimum": 0,
          "description": "Open connections of both planes."},
        "requests_in_flight": {"type": "integer", "minimum": 0,
          "description": "Requests that are not answered yet."},
        "requests_total": {"type": "integer", "minimum": 0,
          "description": "Requests answered since the start."},
        "actor_restarts_total": {"type": "integer", "minimum": 0,
          "description": "Actors restarted since the start."},
        "uptime_s": {"type": "integer", "minimum": 0, "description": "Seconds since the start."},
        "planes": {"type": "object", "required": ["data", "ops"],
          "description": "Each plane by itself.",
          "properties": {
            "data": {"$ref": "#/components/schemas/PlaneStatus",
              "description": "The data plane."},
            "ops": {"$ref": "#/components/schemas/PlaneStatus",
              "description": "The ops plane."}}},
        "latency_us": {"$ref": "#/components/schemas/LatencySummary",
          "description": "How long the data plane's requests took in the last second."},
        "loops": {"type": "array", "items": {"$ref": "#/components/schemas/LoopStatus"},
          "description": "The event loops of the data plane."},
        "memory": {"$ref": "#/components/schemas/MemoryStatus",
          "description": "Memory in use."},
        "actors": {"$ref": "#/components/schemas/SupervisionStatus",
          "description": "Actors under supervision."},
        "faults": {"type": ["object", "null"], "required": ["armed", "hits"],
          "description": "Injected faults; null: none can be injected.",
          "properties": {
            "armed": {"type": "integer", "minimum": 0, "description": "Points with a rule."},
            "hits": {"type": "integer", "minimum": 0,
              "description": "Faults injected since the start."}}}}
    })"},
    named_schema{"PlaneStatus", R"({
      "type": "object", "required": ["connections", "in_flight", "answers"],
      "properties": {
        "connections": {"type": "integer", "minimum": 0, "description": "Open connections."},
        "in_flight": {"type": "integer", "minimum": 0,
          "description": "Requests that are not answered yet."},
        "answers": {"$ref": "#/components/schemas/AnswerCounts",
          "description": "Answers since the start, by class of status."}}
    })"},
    named_schema{"LoopStatus", R"({
      "type": "object", "required": ["loop", "plane", "connections", "busy"],
      "properties": {
        "loop": {"type": "integer", "minimum": 0, "description": "Its number, from 0."},
        "plane": {"type": "string", "description": "The plane that it serves."},
        "connections": {"type": "integer", "minimum": 0,
          "description": "Open connections that it serves."},
        "busy": {"type": "number", "minimum": 0, "maximum": 1,
          "description": "The share of time in which it worked since the previous event."}}
    })"},
    named_schema{"MemoryStatus", R"({
      "type": "object", "required": ["resident_bytes", "leased_bytes", "budget_bytes"],
      "properties": {
        "resident_bytes": {"type": "integer", "minimum": 0,
          "description": "The process's resident memory."},
        "leased_bytes": {"type": "integer", "minimum": 0,
          "description": "The bytes of the budget that requests and responses hold."},
        "budget_bytes": {"type": "integer", "minimum": 0, "description": "The byte budget."}}
    })"},
    named_schema{"SupervisionStatus", R"({
      "type": "object", "required": ["running", "problems"],
      "properties": {
        "running": {"type": "integer", "minimum": 0, "description": "Actors that run."},
        "problems": {"type": "array", "description": "The first actors that do not run.",
          "items": {
            "type": "object", "required": ["place", "state", "last_error"],
            "properties": {
              "place": {"type": "string", "description": "The actor's name."},
              "state": {"$ref": "#/components/schemas/ActorState", "description": "Its state."},
              "last_error": {"type": "string", "description": "The cause of its last death."}}}}}
    })"},
    named_schema{"PlayerPlaces", R"({
      "type": "object", "additionalProperties": false,
      "required": ["enabled", "window_s", "cell_degrees", "unknown", "cells"],
      "properties": {
        "enabled": {"type": "boolean", "description": "Whether places are counted."},
        "window_s": {"type": "integer", "minimum": 0,
          "description": "The age of the oldest requests that count, in seconds."},
        "cell_degrees": {"type": "integer", "minimum": 1, "maximum": 180,
          "description": "The length of a cell's side, in degrees."},
        "unknown": {"type": "integer", "minimum": 0,
          "description": "Requests from unknown places."},
        "cells": {"type": "array", "items": {"$ref": "#/components/schemas/PlaceCell"},
          "description": "The cells that requests came from."}}
    })"},
    named_schema{"PlaceCell", R"({
      "type": "object", "additionalProperties": false,
      "required": ["latitude", "longitude", "requests"],
      "properties": {
        "latitude": {"type": "number", "minimum": -90, "maximum": 90,
          "description": "Degrees, at the cell's center."},
        "longitude": {"type": "number", "minimum": -180, "maximum": 180,
          "description": "Degrees, at the cell's center."},
        "requests": {"type": "integer", "minimum": 1,
          "description": "How many requests came from the cell."}}
    })"},
};

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
          .summary = "List the actors under supervision",
          .description = "For each actor: its place, its state, how many requests wait for it and "
                         "why it last died.",
          .answers = {{200, "The actors.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/ActorList"})",
                       R"({"actors":[{"place":"avatar/1","kind":"avatar","loop":null,)"
                       R"("state":"running","depth":0,"restarts":0,"handled":0,)"
                       R"("last_error":null}]})"}},
          .schemas = report_schemas}};
    },
    [](const request_context& asked) { asked.report(actors::render_report::kind::actors); }};

const operation_code codes::watch_status{
    [] {
      return operation_references{operation_reference{
          .tag = "reports",
          .summary = "Watch the status",
          .description = "Server-sent events: a `status` event every second, with one line of "
                         "JSON as its data.",
          .answers = {
              {200, "Events, until the client disconnects.", "Cache-Control X-Accel-Buffering",
               "text/event-stream",
               R"({"type":"string","contentSchema":{"$ref":"#/components/schemas/Status"}})"}}}};
    },
    [](const request_context& asked) {
      asked.forward(owner::reports, actors::watch_status{asked.exchange(), asked.ticket()});
    }};

const operation_code codes::list_places{
    [] {
      return operation_references{operation_reference{
          .tag = "players",
          .summary = "Show where recent requests for listings came from",
          .description = "Counted in cells of 5 degrees, unless `count-places` is false.",
          .answers = {{200, "The cells with requests.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/PlayerPlaces"})",
                       R"({"enabled":true,"window_s":60,"cell_degrees":5,"unknown":0,)"
                       R"("cells":[{"latitude":52.5,"longitude":2.5,"requests":3}]})"}}}};
    },
    [](const request_context& asked) { asked.report(actors::render_report::kind::places); }};

} // namespace matchcloud::http
