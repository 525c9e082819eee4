#include "http/operations/lobbies.hpp"

#include "actors/ingestion/messages.hpp"
#include "actors/reports/messages.hpp"
#include "http/front/request_context.hpp"
#include "http/operations/code.hpp"
#include "http/wire/media_type.hpp"
#include "model/records/line_error.hpp"
#include "model/text/uuid.hpp"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::http {

namespace {

using base::errc;
using base::owner;

constexpr std::array lobby_schemas{
    named_schema{"LobbyReport", R"({
      "type": "object", "additionalProperties": false,
      "required": ["lobby_id", "namespace_id", "region_id", "tier", "version_id", "version_name",
        "game_mode", "start_ts"],
      "properties": {
        "lobby_id": {"type": "string", "format": "uuid", "description": "The lobby's id."},
        "namespace_id": {"type": "string", "format": "uuid",
          "description": "The namespace that it runs in."},
        "region_id": {"type": "string", "description": "The region that it runs in."},
        "tier": {"type": "string", "description": "The size of its game server."},
        "version_id": {"type": "string", "format": "uuid",
          "description": "The id of the game version that it runs."},
        "version_name": {"type": "string", "description": "The name of that version."},
        "game_mode": {"type": "string", "description": "What is played in it."},
        "start_ts": {"type": ["string", "integer"],
          "description": "When it started: RFC 3339, or milliseconds since 1970."},
        "stop_ts": {"type": ["string", "integer", "null"],
          "description": "When it stopped, likewise; absent or null while it runs."}}
    })"},
    named_schema{"IngestSummary", R"({
      "type": "object", "additionalProperties": false,
      "required": ["accepted", "unchanged", "rejected", "rejected_total"],
      "properties": {
        "accepted": {"type": "integer", "minimum": 0,
          "description": "Lines with new content, which were stored."},
        "unchanged": {"type": "integer", "minimum": 0,
          "description": "Lines that were already known."},
        "rejected": {"type": "array", "items": {"$ref": "#/components/schemas/RejectedLine"},
          "description": "The first lines that were refused."},
        "rejected_total": {"type": "integer", "minimum": 0,
          "description": "How many lines were refused, listed or not."}}
    })"},
    named_schema{"RejectedLine", R"({
      "type": "object", "additionalProperties": false, "required": ["line", "code", "message"],
      "properties": {
        "line": {"type": "integer", "minimum": 1, "description": "The line's number, from 1."},
        "code": {"$ref": "#/components/schemas/LineErrorCode",
          "description": "A stable name for what is wrong."},
        "message": {"type": "string",
          "description": "What was found, and what to write instead."}}
    })"},
    named_schema{"LineErrorCode", R"({"description": "Why a line of a report is refused."})",
                 model::line_errc_names},
    named_schema{"LobbySurvey", R"({
      "type": "object", "additionalProperties": false,
      "required": ["start", "end", "bucket_ms", "started", "running", "peak", "partial_from",
        "complete_from", "versions", "game_modes", "running_now", "is_partial"],
      "properties": {
        "start": {"type": "integer", "minimum": 0,
          "description": "The span's start, in milliseconds since 1970."},
        "end": {"type": "integer", "minimum": 0,
          "description": "The span's end, in milliseconds since 1970, exclusive."},
        "bucket_ms": {"type": "integer", "minimum": 1,
          "description": "The length of a bucket, in milliseconds."},
        "started": {"type": "array", "items": {"type": "integer", "minimum": 0},
          "description": "How many began in each bucket."},
        "running": {"type": "array", "items": {"type": "integer", "minimum": 0},
          "description": "How many ran at the start of each bucket."},
        "peak": {"oneOf": [{"$ref": "#/components/schemas/LobbyPeak"}, {"type": "null"}],
          "description": "The most that ran at the same instant; null if none ran."},
        "partial_from": {"type": ["integer", "null"], "minimum": 0,
          "description": "Reading took too long: lobbies that began at this time or later may be )"
                                R"(missing from the counts. Null if all are counted."},
        "complete_from": {"type": ["integer", "null"], "minimum": 0,
          "description": "Lobbies that ended before this time may have been removed, because )"
                                R"(history is not kept longer. Null if none was removed."},
        "versions": {"type": "array", "maxItems": 200,
          "items": {"$ref": "#/components/schemas/LobbyVersion"},
          "description": "Versions of all lobbies of the span, regardless of filters."},
        "game_modes": {"type": "array", "items": {"type": "string"}, "maxItems": 200,
          "description": "Game modes of all lobbies of the span, regardless of filters."},
        "running_now": {"type": "integer", "minimum": 0, "description": "How many run now."},
        "is_partial": {"type": "boolean",
          "description": "Whether reading took too long, so that some lobbies are not counted."}}
    })"},
    named_schema{"LobbyVersion", R"({
      "type": "object", "additionalProperties": false, "required": ["version_id", "version_name"],
      "properties": {
        "version_id": {"type": "string", "format": "uuid", "description": "The version's id."},
        "version_name": {"type": "string", "description": "Its name."}}
    })"},
    named_schema{"LobbyPeak", R"({
      "type": "object", "additionalProperties": false, "required": ["running", "at"],
      "properties": {
        "running": {"type": "integer", "minimum": 1, "description": "How many lobbies ran."},
        "at": {"type": "integer", "minimum": 0,
          "description": "When that number was first reached, in milliseconds since 1970."}}
    })"},
    named_schema{"RunningLobbies", R"({
      "type": "object", "additionalProperties": false, "required": ["lobbies", "more"],
      "properties": {
        "lobbies": {"type": "array", "items": {"$ref": "#/components/schemas/RunningLobby"},
          "description": "The oldest first."},
        "more": {"type": "boolean", "description": "Whether `limit` left some out."}}
    })"},
    named_schema{"RunningLobby", R"({
      "type": "object", "additionalProperties": false,
      "required": ["lobby_id", "namespace_id", "namespace_name", "region_id", "region_name",
        "tier", "version_id", "version_name", "game_mode", "start_ts"],
      "properties": {
        "lobby_id": {"type": "string", "format": "uuid", "description": "The lobby's id."},
        "namespace_id": {"type": "string", "format": "uuid",
          "description": "The namespace that it runs in."},
        "namespace_name": {"type": "string", "description": "The name of that namespace."},
        "region_id": {"type": "string", "description": "The region that it runs in."},
        "region_name": {"type": "string", "description": "The name of that region."},
        "tier": {"type": "string", "description": "The size of its game server."},
        "version_id": {"type": "string", "format": "uuid",
          "description": "The id of the game version that it runs."},
        "version_name": {"type": "string", "description": "The name of that version."},
        "game_mode": {"type": "string", "description": "What is played in it."},
        "start_ts": {"type": "string", "format": "date-time",
          "description": "When it started."}}
    })"},
    named_schema{"Lobby", R"({
      "type": "object", "additionalProperties": false,
      "required": ["lobby_id", "namespace_id", "namespace_name", "region_id", "region_name",
        "tier", "version_id", "version_name", "game_mode", "start_ts", "stop_ts",
        "total_uptime_ms"],
      "properties": {
        "lobby_id": {"type": "string", "format": "uuid", "description": "The lobby's id."},
        "namespace_id": {"type": "string", "format": "uuid",
          "description": "The namespace that it runs or ran in."},
        "namespace_name": {"type": "string", "description": "The name of that namespace."},
        "region_id": {"type": "string", "description": "The region that it runs or ran in."},
        "region_name": {"type": "string", "description": "The name of that region."},
        "tier": {"type": "string", "description": "The size of its game server."},
        "version_id": {"type": "string", "format": "uuid",
          "description": "The id of the game version that it runs."},
        "version_name": {"type": "string", "description": "The name of that version."},
        "game_mode": {"type": "string", "description": "What is played in it."},
        "start_ts": {"type": "string", "format": "date-time",
          "description": "When it started."},
        "stop_ts": {"type": ["string", "null"], "format": "date-time",
          "description": "When it stopped; null while it runs."},
        "total_uptime_ms": {"type": "integer", "minimum": 0,
          "description": "How long it ran, in milliseconds; until now while it runs."}}
    })"},
};

/// The parameters of a survey, followed by the filters that choose its lobbies.
std::vector<parameter_reference> with_filters(std::vector<parameter_reference> parameters) {
  const std::array filters{
      parameter_reference{"query", "region", R"({"type":"string"})",
                          "Only lobbies in the region of this id.", R"("lon")"},
      parameter_reference{"query", "version", R"({"type":"string","format":"uuid"})",
                          "Only lobbies of the game version of this id.",
                          R"("00000000-0000-4000-8000-000000000203")"},
      parameter_reference{"query", "mode", R"({"type":"string"})",
                          "Only lobbies of the game mode of this name.", R"("duel")"},
      parameter_reference{"query", "tier", R"({"type":"string"})",
                          "Only lobbies on game servers of this tier.", R"("basic-1d1")"}};
  parameters.insert(parameters.end(), filters.begin(), filters.end());
  return parameters;
}

/// `read` makes the query from the parameters in a request's query string.
template <class Read>
void survey(const request_context& asked, Read read) {
  const auto game_id = asked.id(0);
  if (!game_id || !asked.reaches_store()) return;
  const auto text = [&](std::string_view name) { return asked.query(name); };
  auto wanted =
      actors::read_lobby_filter(text("region"), text("tier"), text("version"), text("mode"))
          .and_then([&](actors::lobby_filter&& of) { return read(text, std::move(of)); });
  if (!wanted) return asked.refuse(wanted.error());
  asked.forward(owner::reports, actors::survey_lobbies{asked.exchange(), *game_id,
                                                       *std::move(wanted), asked.ticket()});
}

} // namespace

const operation_code codes::ingest_lobbies{
    [] {
      return operation_references{operation_reference{
          .tag = "lobbies",
          .summary = "Report lobbies",
          .description =
              "JSON Lines; each line is a lobby as in the schema LobbyReport. Accepted lines are "
              "on disk when the answer arrives. Sending everything again does no harm. Members "
              "in `ingest-ignored-members` are skipped. The media types application/ndjson, "
              "application/jsonl and application/x-jsonlines mean the same.",
          .body = {.media_types = "application/x-ndjson",
                   .schema = R"({"type":"string","contentSchema":)"
                             R"({"$ref":"#/components/schemas/LobbyReport"}})",
                   .description = "One lobby per line.",
                   .is_required = false,
                   .example =
                       R"("{\"lobby_id\":\"7d4f0c1e-52a8-4a0e-9a35-6f1f2f9a0001\",\"namespac)"
                       R"(e_id\":\"00000000-0000-4000-8000-000000000011\",\"region_id\":\"lo)"
                       R"(n\",\"tier\":\"basic-1d1\",\"version_id\":\"00000000-0000-4000-800)"
                       R"(0-000000000031\",\"version_name\":\"1.4\",\"game_mode\":\"duel\",\)"
                       R"("start_ts\":\"2026-01-31T23:00:00Z\",\"stop_ts\":1769902200000}\n")"},
          .answers = {{200,
                       "The outcome. At least one line was accepted or already known, or there "
                       "were no lines.",
                       cache_control, json_type, R"({"$ref":"#/components/schemas/IngestSummary"})",
                       R"({"accepted":1,"unchanged":0,"rejected":[],"rejected_total":0})"},
                      {422, "All lines were rejected.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/IngestSummary"})",
                       R"({"accepted":0,"unchanged":0,"rejected":[{"line":1,"code":"malformed",)"
                       R"("message":"at byte 1: expected a JSON value"}],"rejected_total":1})"}},
          .errors = {errc::store_failed, errc::store_full, errc::store_backlogged,
                     errc::store_newer},
          .schemas = lobby_schemas}};
    },
    [](const request_context& asked) {
      if (!asked.takes_body()) return;
      asked.forward(owner::ingestion,
                    actors::ingest_lobbies{asked.exchange(), asked.request().body_follows,
                                           asked.author(), asked.ticket()});
    }};

const operation_code codes::survey_lobbies{
    [] {
      return operation_references{operation_reference{
          .tag = "lobbies",
          .summary = "Count the lobbies that began and ran",
          .description =
              "Divides the span into buckets and counts the lobbies that began in each and that "
              "ran at its start. Also returns the most that ran at the same instant. Filters "
              "choose the lobbies that are counted. If reading the history takes too long, the "
              "counts are partial.",
          .parameters =
              with_filters({{"query", "start", R"({"type":"integer","minimum":0})",
                             "Milliseconds since 1970.", "1767312000000", true},
                            {"query", "end", R"({"type":"integer","minimum":1})",
                             "Milliseconds since 1970, after `start`.", "1767398400000", true},
                            {"query", "buckets", R"({"type":"integer","minimum":1,"maximum":500})",
                             "The number of buckets; 100 by default.", "24"}}),
          .answers =
              {{200, "The counts.", cache_control, json_type,
                R"({"$ref":"#/components/schemas/LobbySurvey"})",
                R"({"start":0,"end":2,"bucket_ms":1,"started":[0,1],"running":[0,1],)"
                R"("peak":{"running":1,"at":1},"partial_from":null,"complete_from":null,)"
                R"("versions":[],"game_modes":["ranked"],"running_now":1,"is_partial":false})"}},
          .errors = {errc::query_invalid, errc::game_not_found, errc::store_failed,
                     errc::store_newer, errc::history_too_slow}}};
    },
    [](const request_context& asked) {
      survey(asked, [](const auto& text, actors::lobby_filter&& of) {
        return actors::read_history_query(text("start"), text("end"), text("buckets"),
                                          std::move(of));
      });
    }};

const operation_code codes::list_running_lobbies{
    [] {
      return operation_references{operation_reference{
          .tag = "lobbies",
          .summary = "List the running lobbies",
          .description = "The oldest first.",
          .parameters =
              with_filters({{"query", "longer_than_ms", R"({"type":"integer","minimum":0})",
                             "Only lobbies that have run longer than this.", "0"},
                            {"query", "limit", R"({"type":"integer","minimum":1,"maximum":1000})",
                             "The most to list; 100 by default.", "10"}}),
          .answers = {{200, "The lobbies.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/RunningLobbies"})",
                       R"({"lobbies":[],"more":false})"}},
          .errors = {errc::query_invalid, errc::game_not_found, errc::store_failed,
                     errc::store_newer, errc::history_too_slow}}};
    },
    [](const request_context& asked) {
      survey(asked, [](const auto& text, actors::lobby_filter&& of) {
        return actors::read_running_query(text("longer_than_ms"), text("limit"), std::move(of));
      });
    }};

const operation_code codes::get_lobby{
    [] {
      return operation_references{operation_reference{
          .tag = "lobbies",
          .summary = "Read one lobby",
          .description = "The lobby as in an export, whenever it ran, with current names.",
          .answers = {{200, "The lobby.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/Lobby"})",
                       R"({"lobby_id":"98413323-2b6b-4bef-a11a-2dca887531df",)"
                       R"("namespace_id":"00000000-0000-4000-8000-000000000011",)"
                       R"("namespace_name":"prod","region_id":"sin","region_name":"Singapore",)"
                       R"("tier":"basic-1d8",)"
                       R"("version_id":"00000000-0000-4000-8000-000000000203",)"
                       R"("version_name":"1.1.0","game_mode":"duel",)"
                       R"("start_ts":"2026-01-01T00:00:09.573Z",)"
                       R"("stop_ts":"2026-01-01T00:37:30.677Z","total_uptime_ms":2241104})"}},
          .errors = {errc::game_not_found, errc::lobby_unknown, errc::store_failed,
                     errc::store_newer}}};
    },
    [](const request_context& asked) {
      const auto game_id = asked.id(0);
      if (!game_id || !asked.reaches_store()) return;
      const auto lobby_id = model::parse_uuid(asked.parameter(1));
      if (!lobby_id)
        return asked.refuse(
            {errc::lobby_unknown,
             "This is not a lobby's id, which is 32 hexadecimal digits with dashes. "
             "Copy the id from an export or from the running lobbies."});
      asked.forward(owner::reports,
                    actors::survey_lobbies{asked.exchange(), *game_id,
                                           actors::one_lobby_query{*lobby_id}, asked.ticket()});
    }};

} // namespace matchcloud::http
