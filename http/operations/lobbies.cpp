#include "actors/ingestion/lobby_ingest.hpp"
#include "actors/ingestion/messages.hpp"
#include "actors/reports/messages.hpp"
#include "http/front/front.hpp"
#include "http/operations/code.hpp"
#include "http/operations/list.hpp"
#include "http/wire/message_lines.hpp"
#include "model/records/record_line.hpp"
#include "model/text/uuid.hpp"

#include <array>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace matchcloud::http {

namespace {

using base::errc;
using base::owner;

/// The members of a lobby that runs, as its namespace and region say, or ran.
constexpr auto lobby_members(std::string_view in_namespace, std::string_view in_region) {
  using model::property;
  return std::tuple{property{"lobby_id", uuid, "The lobby's id."},
                    property{"namespace_id", uuid, in_namespace},
                    property{"namespace_name", text, "The name of that namespace."},
                    property{"region_id", text, in_region},
                    property{"region_name", text, "The name of that region."},
                    property{"tier", text, "The size of its game server."},
                    property{"version_id", uuid, "The id of the game version that it runs."},
                    property{"version_name", text, "The name of that version."},
                    property{"game_mode", text, "What is played in it."},
                    property{"start_ts", moment, "When it started."}};
}

std::vector<named_schema> lobby_schemas() {
  constexpr auto running =
      lobby_members("The namespace that it runs in.", "The region that it runs in.");
  const auto& [lobby_id, namespace_id, namespace_name, region_id, region_name, tier, version_id,
               version_name, game_mode, start_ts] = running;
  return {
      object("LobbyReport", {lobby_id,
                             namespace_id,
                             region_id,
                             tier,
                             version_id,
                             version_name,
                             game_mode,
                             {"start_ts",
                              {R"("type":["string","integer"])"},
                              "When it started: RFC 3339, or milliseconds since 1970."},
                             {"stop_ts", maybe({R"("type":["string","integer","null"])"}),
                              "When it stopped, likewise; absent or null while it runs."}}),
      schema_of<actors::ingest_summary>(),
      schema_of<model::line_error>(),
      one_of("LineErrorCode", model::line_errc_names, "Why a line of a report is refused."),
      object("LobbySurvey",
             {{"start", count, "The span's start, in milliseconds since 1970."},
              {"end", count, "The span's end, in milliseconds since 1970, exclusive."},
              {"bucket_ms", positive, "The length of a bucket, in milliseconds."},
              {"started", list_of(count), "How many began in each bucket."},
              {"running", list_of(count), "How many ran at the start of each bucket."},
              {"peak", or_null(a("LobbyPeak")),
               "The most that ran at the same instant; null if none ran."},
              {"partial_from", count_or_null,
               "Reading took too long: lobbies that began at this time or later may be missing "
               "from the counts. Null if all are counted."},
              {"complete_from", count_or_null,
               "Lobbies that ended before this time may have been removed, because history is not "
               "kept longer. Null if none was removed."},
              {"versions",
               {R"("type":"array","maxItems":200,)"
                R"("items":{"$ref":"#/components/schemas/LobbyVersion"})"},
               "Versions of all lobbies of the span, regardless of filters."},
              {"game_modes",
               {R"("type":"array","items":{"type":"string"},"maxItems":200)"},
               "Game modes of all lobbies of the span, regardless of filters."},
              {"running_now", count, "How many run now."},
              {"is_partial", flag,
               "Whether reading took too long, so that some lobbies are not counted."}}),
      object("LobbyVersion",
             {{"version_id", uuid, "The version's id."}, {"version_name", text, "Its name."}}),
      object("LobbyPeak",
             {{"running", positive, "How many lobbies ran."},
              {"at", count, "When that number was first reached, in milliseconds since 1970."}}),
      object("RunningLobbies", {{"lobbies", list_of(a("RunningLobby")), "The oldest first."},
                                {"more", flag, "Whether `limit` left some out."}}),
      schema_of(record{"RunningLobby", running}),
      schema_of(record{
          "Lobby",
          std::tuple_cat(
              lobby_members("The namespace that it runs or ran in.",
                            "The region that it runs or ran in."),
              std::tuple{model::property{"stop_ts", moment_or_null,
                                         "When it stopped; null while it runs."},
                         model::property{"total_uptime_ms", count,
                                         "How long it ran, in milliseconds; until now while it "
                                         "runs."}})})};
}

/// The parameters of a survey, followed by the filters that choose its lobbies.
std::vector<parameter_reference> with_filters(std::vector<parameter_reference> parameters) {
  const std::array filters{
      parameter_reference{"query", "region", text, "Only lobbies in the region of this id.",
                          R"("lon")"},
      parameter_reference{"query", "version", uuid, "Only lobbies of the game version of this id.",
                          R"("00000000-0000-4000-8000-000000000203")"},
      parameter_reference{"query", "mode", text, "Only lobbies of the game mode of this name.",
                          R"("duel")"},
      parameter_reference{"query", "tier", text, "Only lobbies on game servers of this tier.",
                          R"("basic-1d1")"}};
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
      return operation_reference{
          .tag = "lobbies",
          .summary = "Report lobbies",
          .description =
              "JSON Lines; each line is a lobby as in the schema LobbyReport. Accepted lines are "
              "on disk when the answer arrives. Sending everything again does no harm. Members "
              "in `ingest-ignored-members` are skipped. The media types application/ndjson, "
              "application/jsonl and application/x-jsonlines mean the same.",
          .body = {.media_types = "application/x-ndjson",
                   .schema = {R"("type":"string","contentSchema":)"
                              R"({"$ref":"#/components/schemas/LobbyReport"})"},
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
                       cache_control, json_type, a("IngestSummary"),
                       R"({"accepted":1,"unchanged":0,"rejected":[],"rejected_total":0})"},
                      json_answer(
                          422, "All lines were rejected.", a("IngestSummary"),
                          R"({"accepted":0,"unchanged":0,"rejected":[{"line":1,"code":"malformed",)"
                          R"("message":"at byte 1: expected a JSON value"}],"rejected_total":1})")},
          .errors = {errc::store_full, errc::store_backlogged, errc::store_newer},
          .schemas = lobby_schemas()};
    },
    [](const request_context& asked) {
      if (!asked.takes_body()) return;
      asked.forward(owner::ingestion,
                    actors::ingest_lobbies{asked.exchange(), asked.request().body_follows,
                                           asked.author(), asked.ticket()});
    }};

const operation_code codes::survey_lobbies{
    [] {
      return operation_reference{
          .tag = "lobbies",
          .summary = "Count the lobbies that began and ran",
          .description =
              "Divides the span into buckets and counts the lobbies that began in each and that "
              "ran at its start. Also returns the most that ran at the same instant. Filters "
              "choose the lobbies that are counted. If reading the history takes too long, the "
              "counts are partial.",
          .parameters = with_filters(
              {{"query", "start", count, "Milliseconds since 1970.", "1767312000000", true},
               {"query", "end", positive, "Milliseconds since 1970, after `start`.",
                "1767398400000", true},
               {"query",
                "buckets",
                {R"("type":"integer","minimum":1,"maximum":500)"},
                "The number of buckets; 100 by default.",
                "24"}}),
          .answers = {json_answer(
              "The counts.", a("LobbySurvey"),
              R"({"start":0,"end":2,"bucket_ms":1,"started":[0,1],"running":[0,1],)"
              R"("peak":{"running":1,"at":1},"partial_from":null,"complete_from":null,)"
              R"("versions":[],"game_modes":["ranked"],"running_now":1,"is_partial":false})")},
          .errors = {errc::query_invalid, errc::game_not_found, errc::store_newer,
                     errc::history_too_slow}};
    },
    [](const request_context& asked) {
      survey(asked, [](const auto& text, actors::lobby_filter&& of) {
        return actors::read_history_query(text("start"), text("end"), text("buckets"),
                                          std::move(of));
      });
    }};

const operation_code codes::list_running_lobbies{
    [] {
      return operation_reference{
          .tag = "lobbies",
          .summary = "List the running lobbies",
          .description = "The oldest first.",
          .parameters = with_filters({{"query", "longer_than_ms", count,
                                       "Only lobbies that have run longer than this.", "0"},
                                      {"query",
                                       "limit",
                                       {R"("type":"integer","minimum":1,"maximum":1000)"},
                                       "The most to list; 100 by default.",
                                       "10"}}),
          .answers = {json_answer("The lobbies.", a("RunningLobbies"),
                                  R"({"lobbies":[],"more":false})")},
          .errors = {errc::query_invalid, errc::game_not_found, errc::store_newer,
                     errc::history_too_slow}};
    },
    [](const request_context& asked) {
      survey(asked, [](const auto& text, actors::lobby_filter&& of) {
        return actors::read_running_query(text("longer_than_ms"), text("limit"), std::move(of));
      });
    }};

const operation_code codes::get_lobby{
    [] {
      return operation_reference{
          .tag = "lobbies",
          .summary = "Read one lobby",
          .description = "The lobby as in an export, whenever it ran, with current names.",
          .answers = {json_answer(
              "The lobby.", a("Lobby"),
              R"({"lobby_id":"98413323-2b6b-4bef-a11a-2dca887531df",)"
              R"("namespace_id":"00000000-0000-4000-8000-000000000011",)"
              R"("namespace_name":"prod","region_id":"sin","region_name":"Singapore",)"
              R"("tier":"basic-1d8",)"
              R"("version_id":"00000000-0000-4000-8000-000000000203",)"
              R"("version_name":"1.1.0","game_mode":"duel",)"
              R"("start_ts":"2026-01-01T00:00:09.573Z",)"
              R"("stop_ts":"2026-01-01T00:37:30.677Z","total_uptime_ms":2241104})")},
          .errors = {errc::game_not_found, errc::lobby_unknown, errc::store_newer}};
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
