#include "http/reference/plane_reference.hpp"

#include <array>
#include <string_view>

namespace matchcloud::http {

namespace {

using base::errc;

constexpr std::string_view no_store = "Cache-Control";
constexpr std::string_view json = "application/json";

constexpr std::string_view game_example =
    R"({"game_id":"00000000-0000-4000-8000-000000000001","display_name":"Demo Game"})";
constexpr std::string_view namespace_example =
    R"({"namespace_id":"00000000-0000-4000-8000-000000000011",)"
    R"("game_id":"00000000-0000-4000-8000-000000000001","name":"prod",)"
    R"("domains":["demo-game.example"]})";
constexpr std::string_view region_example =
    R"({"region_id":"lon","region_display_name":"London",)"
    R"("provider_display_name":"Demo Cloud","datacenter_coord":{)"
    R"("latitude":51.5074,"longitude":-0.1278}})";
constexpr std::string_view tier_example = R"("basic-1d1")";
constexpr std::string_view token_example =
    R"({"token_id":"6a0f7c52-91d4-4c7e-8a35-000000000002",)"
    R"("kind":"viewer","name":"dashboards","state":"active",)"
    R"("sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15)"
    R"(b0f00a08","created":"2026-11-23T00:00:00.000Z",)"
    R"("created_by":"local","expires":null,"revoked":null,)"
    R"("last_use":null})";
constexpr std::string_view new_token_example =
    R"({)"
    R"("token":"mc_viewer_00000000000000000000000000000000000000000000000)"
    R"(00","token_id":"6a0f7c52-91d4-4c7e-8a35-000000000002",)"
    R"("kind":"viewer","name":"dashboards","state":"active",)"
    R"("sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15)"
    R"(b0f00a08","created":"2026-11-23T00:00:00.000Z",)"
    R"("created_by":"local","expires":null,"revoked":null,)"
    R"("last_use":null})";
constexpr std::string_view fault_example =
    R"({"point":"avatar.receive",)"
    R"("what":"An avatar shard is asked for a game's list.","kinds":[)"
    R"("delay","error","drop","crash","abort","stall"],"rule":null,)"
    R"("passes":0,"hits":0})";

/// A kind of elements of the catalog: what its operations have of their own.
struct element_reference {
  std::string_view list_name, get_name, put_name, remove_name;
  std::string_view list_path, path;
  std::string_view one, many;
  std::string_view list_schema, schema, put_schema;
  std::string_view example, list_example;
  bool needs_body = true;
  /// Whether others refer to such elements.
  bool is_referred = true;
};

constexpr std::array elements{
    element_reference{
        "list_games", "get_game", "put_game", "remove_game", "/v1/games", "/v1/games/{game_id}",
        "game", "games", R"({"$ref":"#/components/schemas/GameList"})",
        R"({"$ref":"#/components/schemas/Game"})", R"({"$ref":"#/components/schemas/NewGame"})",
        game_example, R"({"games":[],"revision":1})"},
    element_reference{"list_namespaces", "get_namespace", "put_namespace", "remove_namespace",
                      "/v1/namespaces", "/v1/namespaces/{namespace_id}", "namespace", "namespaces",
                      R"({"$ref":"#/components/schemas/NamespaceList"})",
                      R"({"$ref":"#/components/schemas/Namespace"})",
                      R"({"$ref":"#/components/schemas/NewNamespace"})", namespace_example,
                      R"({"namespaces":[],"revision":1})", true, false},
    element_reference{"list_region_elements", "get_region", "put_region", "remove_region",
                      "/v1/regions", "/v1/regions/{region_id}", "region", "regions",
                      R"({"$ref":"#/components/schemas/RegionList"})",
                      R"({"$ref":"#/components/schemas/RegionElement"})",
                      R"({"$ref":"#/components/schemas/NewRegion"})", region_example,
                      R"({"regions":[],"revision":1})"},
    element_reference{"list_tiers", "get_tier", "put_tier", "remove_tier", "/v1/tiers",
                      "/v1/tiers/{tier}", "tier", "tiers",
                      R"({"$ref":"#/components/schemas/TierList"})", R"({"type":"string"})",
                      R"({"type":["string","object"]})", tier_example,
                      R"({"tiers":["basic-1d1"],"revision":1})", false, false},
};

void add_elements(std::vector<operation_reference>& all, const element_reference& of) {
  all.push_back(
      {.id = operation::list_elements,
       .name = of.list_name,
       .path = of.list_path,
       .tag = "catalog",
       .summary = "List elements of the catalog",
       .description = "All elements of this kind, in the order of their ids. `revision` "
                      "moves with each change of the catalog.",
       .answers = {{200, "The elements.", no_store, json, of.list_schema, of.list_example}},
       .errors = {errc::store_failed, errc::store_newer}});
  all.push_back({.id = operation::get_element,
                 .name = of.get_name,
                 .path = of.path,
                 .tag = "catalog",
                 .summary = "Read one element",
                 .description = "One element of the catalog.",
                 .answers = {{200, "The element.", no_store, json, of.schema, of.example}},
                 .errors = {errc::element_not_found, errc::id_malformed, errc::store_failed,
                            errc::store_newer}});
  all.push_back({.id = operation::put_element,
                 .name = of.put_name,
                 .path = of.path,
                 .tag = "catalog",
                 .summary = "Add or replace one element",
                 .description =
                     "Replaces the element whole, or adds it, in one transaction with an entry in "
                     "the audit log. The id may be left out of the body.",
                 .body = {.schema = of.put_schema,
                          .description = "The element.",
                          .is_required = of.needs_body,
                          .example = of.example},
                 .answers = {{200, "It was replaced.", no_store, json, of.schema, of.example},
                             {201, "It was added.", no_store, json, of.schema, of.example}},
                 .errors = {errc::id_malformed, errc::import_invalid, errc::store_failed,
                            errc::store_full, errc::store_newer}});
  all.push_back({.id = operation::remove_element,
                 .name = of.remove_name,
                 .path = of.path,
                 .tag = "catalog",
                 .summary = "Remove one element",
                 .description = "Hides the element and keeps it for history. Refused while others "
                                "refer to it.",
                 .answers = {{204, "It was removed.", no_store}},
                 .errors = {errc::element_not_found, errc::id_malformed, errc::store_failed,
                            errc::store_full, errc::store_newer}});
  if (of.is_referred) all.back().errors.push_back(errc::still_referred);
}

constexpr std::string_view page_headers =
    "Cache-Control ETag Vary Content-Encoding Content-Security-Policy "
    "Referrer-Policy";
constexpr std::string_view known_page_headers =
    "Cache-Control ETag Vary Content-Security-Policy Referrer-Policy";
constexpr std::string_view asset_headers = "Cache-Control ETag Vary Content-Encoding";
constexpr std::string_view known_asset_headers = "Cache-Control ETag Vary";

/// A kind of payload: what its operations have of their own.
struct payload_reference {
  std::string_view validate_name, schema_name, validate_path, schema_path, schema, example;
};

constexpr std::array payloads{
    payload_reference{"validate_version", "get_version_schema", "/v1/validate/version",
                      "/v1/schema/version", R"({"$ref":"#/components/schemas/version"})",
                      R"({"display_name":"1.0.1","config":{"matchmaker":{"max_players":8}}})"},
    payload_reference{"validate_game", "get_game_schema", "/v1/validate/game", "/v1/schema/game",
                      R"({"$ref":"#/components/schemas/game"})", R"({"display_name":"My game"})"},
    payload_reference{"validate_group", "get_group_schema", "/v1/validate/group",
                      "/v1/schema/group", R"({"$ref":"#/components/schemas/group"})",
                      R"({"display_name":"Raiders"})"},
};

void add_payloads(std::vector<operation_reference>& all) {
  for (const auto& of : payloads) {
    all.push_back(
        {.id = operation::validate_payload,
         .name = of.validate_name,
         .path = of.validate_path,
         .tag = "validation",
         .summary = "Validate a payload",
         .description = "As the data plane does, for operators: of a version, no game "
                        "has to exist.",
         .body = {.schema = of.schema,
                  .description = "What would be created.",
                  .example = of.example},
         .answers = {{200, "The findings.", no_store, json,
                      R"({"$ref":"#/components/schemas/Findings"})", R"({"errors":[]})"}}});
    all.push_back({.id = operation::get_schema,
                   .name = of.schema_name,
                   .path = of.schema_path,
                   .tag = "validation",
                   .summary = "The JSON Schema of a payload",
                   .description = "JSON Schema 2020-12 with the limits in force and the names of "
                                  "the catalog, as `matchcloud schema` prints it.",
                   .answers = {{200, "The schema.", no_store, json,
                                R"({"type":"object","description":"A JSON Schema."})"}}});
  }
}

void add_players(std::vector<operation_reference>& all) {
  all.push_back(
      {.id = operation::get_ranking,
       .tag = "players",
       .summary = "The regions for an address or a place",
       .description = "Where a client of the address is taken to be, how that is known, and the "
                      "listing that it gets, byte for byte.",
       .parameters = {{"query", "address", R"({"type":"string"})", "An IPv4 or IPv6 address.",
                       R"("81.2.69.142")"},
                      {"query", "latitude", R"({"type":"number","minimum":-90,"maximum":90})",
                       "Degrees; with `longitude` in place of an address.", "51.5"},
                      {"query", "longitude", R"({"type":"number","minimum":-180,"maximum":180})",
                       "Degrees.", "-0.12"},
                      {"query", "namespace_id", R"({"type":"string","format":"uuid"})",
                       "Whose regions; the default namespace's without.",
                       R"("00000000-0000-4000-8000-000000000011")"}},
       .answers = {{200, "The ranking.", no_store, json,
                    R"({"$ref":"#/components/schemas/Ranking"})",
                    R"({"place":null,"source":"unknown","listing":{"regions":[]}})"}},
       .errors = {errc::query_invalid, errc::element_not_found}});
  all.push_back({.id = operation::list_places,
                 .tag = "players",
                 .summary = "Where requests for listings came from lately",
                 .description = "Counted in cells of 5 degrees, unless `count-places` is false.",
                 .answers = {{200, "The cells with requests.", no_store, json,
                              R"({"$ref":"#/components/schemas/Places"})",
                              R"({"enabled":true,"window_s":60,"cell_degrees":5,"unknown":0,)"
                              R"("cells":[{"latitude":52.5,"longitude":2.5,"requests":3}]})"}}});
  all.push_back({.id = operation::list_game_avatars,
                 .tag = "players",
                 .summary = "List a game's custom avatars",
                 .description = "The same list as the data plane's.",
                 .answers = {{200, "The avatars.", no_store, json,
                              R"({"$ref":"#/components/schemas/AvatarListing"})",
                              R"({"custom_avatars":[]})"}},
                 .errors = {errc::game_not_found, errc::list_too_large, errc::store_failed}});
  auto image = download_reference(operation::get_image, "players", "Read an avatar's image");
  image.description = "The image, for operators: not for caches.";
  image.answers.pop_back(); // it is never elsewhere
  image.errors.push_back(errc::media_not_found);
  all.push_back(std::move(image));
}

constexpr std::string_view span_example =
    R"({"query_start":1767312000000,"query_end":1767398400000})";

void add_history(std::vector<operation_reference>& all) {
  all.push_back(
      {.id = operation::survey_lobbies,
       .tag = "lobbies",
       .summary = "How many lobbies began and ran",
       .description = "The span in buckets: how many lobbies began in each, and how many ran at "
                      "its begin. Reads the history; what takes too long is partial.",
       .parameters = {{"query", "start", R"({"type":"integer","minimum":0})",
                       "Milliseconds since 1970.", "1767312000000", true},
                      {"query", "end", R"({"type":"integer","minimum":1})",
                       "Milliseconds since 1970, behind `start`.", "1767398400000", true},
                      {"query", "buckets", R"({"type":"integer","minimum":1,"maximum":500})",
                       "Into how many parts; 100 without.", "24"}},
       .answers = {{200, "The counts.", no_store, json,
                    R"({"$ref":"#/components/schemas/LobbySurvey"})",
                    R"({"start":0,"end":2,"bucket_ms":1,"started":[0,1],"running":[0,1],)"
                    R"("running_now":1,"is_partial":false})"}},
       .errors = {errc::query_invalid, errc::game_not_found, errc::store_failed,
                  errc::history_too_slow}});
  all.push_back(
      {.id = operation::list_running_lobbies,
       .tag = "lobbies",
       .summary = "The lobbies that run now",
       .description = "The oldest first.",
       .parameters = {{"query", "longer_than_ms", R"({"type":"integer","minimum":0})",
                       "Those that have run longer.", "0"},
                      {"query", "limit", R"({"type":"integer","minimum":1,"maximum":1000})",
                       "How many; 100 without.", "10"}},
       .answers = {{200, "The lobbies.", no_store, json,
                    R"({"$ref":"#/components/schemas/RunningLobbies"})",
                    R"({"lobbies":[],"more":false})"}},
       .errors = {errc::query_invalid, errc::game_not_found, errc::store_failed,
                  errc::history_too_slow}});
  all.push_back(
      {.id = operation::start_export,
       .tag = "lobbies",
       .summary = "Export lobby history as CSV",
       .description = "As on the data plane; the URL is relative, of this plane, and "
                      "valid for a minute.",
       .body = {.schema = R"({"$ref":"#/components/schemas/ExportSpan"})",
                .description = "The span of time.",
                .example = span_example},
       .answers = {{200, "The file is there.", no_store, json,
                    R"({"$ref":"#/components/schemas/OwnExportLink"})",
                    R"({)"
                    R"("url":"/exports/6a0f7c52-91d4-4c7e-8a35-000000000001/lobby-history)"
                    R"(.csv?expires=1795000000&signature=0a1b"})"}},
       .errors = {errc::query_invalid, errc::game_not_found, errc::exports_busy, errc::exports_full,
                  errc::store_full, errc::store_failed, errc::history_too_slow}});
  all.push_back(
      {.id = operation::list_exports,
       .tag = "lobbies",
       .summary = "The exports of this process",
       .description = "Queued, under way with the rows so far, and there.",
       .answers = {{200, "The exports.", no_store, json,
                    R"({"$ref":"#/components/schemas/ExportList"})", R"({"exports":[]})"}}});
  auto file = download_reference(operation::download_own_export, "lobbies", "Download an export");
  file.description = "The URL that an export was answered with.";
  file.parameters.push_back(
      {"query", "expires", R"({"type":"string"})", "The URL's expiry.", R"("1795000000")"});
  file.parameters.push_back(
      {"query", "signature", R"({"type":"string"})", "The service's signature.", R"("0a1b")"});
  file.errors.insert(file.errors.end(),
                     {errc::signature_invalid, errc::url_expired, errc::export_not_found});
  all.push_back(std::move(file));
}

void add_console(std::vector<operation_reference>& all) {
  const auto page = [](operation id, std::string_view summary, std::string_view description) {
    operation_reference made;
    made.id = id;
    made.tag = "reference";
    made.summary = summary;
    made.description = description;
    made.parameters = {if_none_match_reference, accept_encoding_reference};
    made.answers = {{200, "The page.", page_headers, "text/html", R"({"type":"string"})"},
                    {304, "The client's copy still holds.", known_page_headers}};
    made.errors = {errc::route_not_found};
    return made;
  };
  all.push_back(page(operation::get_console, "The console",
                     "A page that shows the service. It holds no data and asks for all of it."));
  all.push_back(
      page(operation::get_reference, "The reference", "A page that shows these documents."));
  auto file = page(operation::get_console_file, "A file of the console",
                   "What the pages refer to; a name stands for its bytes for ever.");
  file.answers = {{200, "The file.", asset_headers,
                   "text/javascript text/css text/plain image/svg+xml", R"({"type":"string"})"},
                  {304, "The client's copy still holds.", known_asset_headers}};
  all.push_back(std::move(file));
}

void add_reports(std::vector<operation_reference>& all) {
  all.push_back({.id = operation::get_health,
                 .tag = "reports",
                 .summary = "Whether the process lives",
                 .description = "Answered by the event loop alone.",
                 .answers = {{200, "It lives.", no_store, json,
                              R"({"$ref":"#/components/schemas/Health"})", R"({"status":"ok"})"}}});
  all.push_back({.id = operation::get_readiness,
                 .tag = "reports",
                 .summary = "Whether the service takes requests",
                 .description =
                     "503 while it starts, drains, has a restart storm, or may not use its store "
                     "because a newer program changed that: not a problem document, but the "
                     "same shape.",
                 .answers = {{200, "It is ready.", no_store, json,
                              R"({"$ref":"#/components/schemas/Readiness"})", R"({"ready":true})"},
                             {503, "It is not ready, or an error.", no_store, json,
                              R"({"$ref":"#/components/schemas/Readiness"})",
                              R"({"ready":false,"reason":"draining"})"}}});
  all.push_back(
      {.id = operation::get_metrics,
       .tag = "reports",
       .summary = "Metrics for Prometheus",
       .description = "In Prometheus' text format, version 0.0.4.",
       .answers = {{200, "The metrics.", no_store, "text/plain", R"({"type":"string"})"}}});
  all.push_back({.id = operation::list_actors,
                 .tag = "reports",
                 .summary = "The actors under supervision",
                 .description =
                     "Where each is, how it is, how many requests wait for it and why it last "
                     "died.",
                 .answers = {{200, "The actors.", no_store, json,
                              R"({"$ref":"#/components/schemas/ActorList"})",
                              R"({"actors":[{"place":"avatar/1","kind":"avatar","loop":null,)"
                              R"("state":"running","depth":0,"restarts":0,"handled":0,)"
                              R"("last_error":null}]})"}}});
  all.push_back(
      {.id = operation::watch_status,
       .tag = "reports",
       .summary = "Watch the status",
       .description = "Server-sent events: `status` once a second, whose data is one "
                      "line of JSON.",
       .answers = {
           {200, "Events, until the client leaves.", no_store, "text/event-stream",
            R"({"type":"string","contentSchema":{"$ref":"#/components/schemas/Status"}})"}}});
}

void add_traces(std::vector<operation_reference>& all) {
  all.push_back({.id = operation::list_traces,
                 .tag = "reports",
                 .summary = "The walks of a few requests through actors",
                 .description =
                     "Of `one_in` requests of the data plane one is traced; the last of them, "
                     "the newest first.",
                 .answers = {{200, "The walks.", no_store, json,
                              R"({"$ref":"#/components/schemas/TraceList"})",
                              R"({"one_in":1000,"traces":[{)"
                              R"("request_id":"5f1c2a9be0d34a770000000000000001",)"
                              R"("operation":"list_regions","status":200,)"
                              R"("began":"2026-11-23T00:00:00.000Z","total_us":42,"steps":[{)"
                              R"("place":"front","at_us":0,"us":6}]}]})"}}});
}

void add_lobbies(std::vector<operation_reference>& all) {
  all.push_back(
      {.id = operation::ingest_lobbies,
       .tag = "lobbies",
       .summary = "Report lobbies",
       .description = "JSON Lines, each a lobby as the schema LobbyReport has it. The good lines "
                      "are on disk when the answer comes; sending all of it again does no harm.",
       .body =
           {.media_type = "application/x-ndjson",
            .schema =
                R"({"type":"string","contentSchema":{"$ref":"#/components/schemas/LobbyReport"}})",
            .description = "A lobby in each line.",
            .is_required = false,
            .example = R"("{\"lobby_id\":\"7d4f0c1e-52a8-4a0e-9a35-6f1f2f9a0001\",\"namespac)"
                       R"(e_id\":\"00000000-0000-4000-8000-000000000011\",\"region_id\":\"lo)"
                       R"(n\",\"tier\":\"basic-1d1\",\"version_id\":\"00000000-0000-4000-800)"
                       R"(0-000000000031\",\"version_name\":\"1.4\",\"game_mode\":\"duel\",\)"
                       R"("start_ts\":\"2026-01-31T23:00:00Z\",\"stop_ts\":1769902200000}\n")"},
       .answers = {{200, "What became of the lines.", no_store, json,
                    R"({"$ref":"#/components/schemas/IngestSummary"})",
                    R"({"accepted":1,"unchanged":0,"rejected":[],"rejected_total":0})"}},
       .errors = {errc::store_failed, errc::store_full, errc::store_backlogged,
                  errc::store_newer}});
}

void add_access(std::vector<operation_reference>& all) {
  all.push_back({.id = operation::list_tokens,
                 .tag = "access",
                 .summary = "List tokens",
                 .description = "All tokens, expired and revoked ones too, without their texts.",
                 .answers = {{200, "The tokens.", no_store, json,
                              R"({"$ref":"#/components/schemas/TokenList"})",
                              R"({"tokens":[],"revision":0})"}},
                 .errors = {errc::store_failed, errc::store_newer}});
  all.push_back({.id = operation::create_token,
                 .tag = "access",
                 .summary = "Make a token",
                 .description = "The answer has the token's text, this once.",
                 .body = {.schema = R"({"$ref":"#/components/schemas/WantedToken"})",
                          .description = "What the token is for.",
                          .example = R"({"kind":"viewer","name":"dashboards"})"},
                 .answers = {{201, "The token with its text.", no_store, json,
                              R"({"$ref":"#/components/schemas/NewToken"})", new_token_example}},
                 .errors = {errc::query_invalid, errc::too_many_tokens, errc::store_failed,
                            errc::store_full, errc::store_newer}});
  all.push_back({.id = operation::get_token,
                 .tag = "access",
                 .summary = "Read a token",
                 .description = "One token without its text.",
                 .answers = {{200, "The token.", no_store, json,
                              R"({"$ref":"#/components/schemas/Token"})", token_example}},
                 .errors = {errc::token_not_found, errc::store_failed, errc::store_newer}});
  all.push_back({.id = operation::rotate_token,
                 .tag = "access",
                 .summary = "Replace a token's text",
                 .description = "The answer has the new text, this once; the former one works for "
                                "`grace_s` more.",
                 .body = {.schema = R"({"$ref":"#/components/schemas/Rotation"})",
                          .description = "How long the former text works.",
                          .is_required = false,
                          .example = R"({"grace_s":3600})"},
                 .answers = {{200, "The token with its new text.", no_store, json,
                              R"({"$ref":"#/components/schemas/NewToken"})", new_token_example}},
                 .errors = {errc::query_invalid, errc::body_malformed, errc::body_too_deep,
                            errc::body_not_object, errc::token_not_found, errc::store_failed,
                            errc::store_full, errc::store_newer}});
  all.push_back(
      {.id = operation::revoke_token,
       .tag = "access",
       .summary = "Revoke a token",
       .description = "It is refused from now on; also where it is revoked already.",
       .answers = {{204, "It is revoked.", no_store}},
       .errors = {errc::token_not_found, errc::store_failed, errc::store_full, errc::store_newer}});
  all.push_back(
      {.id = operation::list_audit,
       .tag = "access",
       .summary = "Read the audit log",
       .description =
           "Who changed what, the newest first. With `action`, `subject` or `who` a page "
           "may have fewer entries than `limit`, or none, and others after it.",
       .parameters = {{"query", "limit", R"({"type":"integer","minimum":1,"maximum":1000})",
                       "How many entries; 100 without.", "10"},
                      {"query", "before", R"({"type":"integer","minimum":1})",
                       "Entries with a lower number: `next_before` of the page before.", "1000000"},
                      {"query", "since", R"({"type":"string","format":"date-time"})",
                       "Entries of this time or later.", R"("2026-01-01T00:00:00Z")"},
                      {"query", "action", R"({"type":"string","maxLength":1024})",
                       "An action (`token.create`), or the first words of several (`token`).",
                       R"("demo")"},
                      {"query",
                       "subject",
                       R"({"type":"string","maxLength":1024})",
                       "A subject (`games/ID`, a file), or what several are below (`games`).",
                       {}},
                      {"query", "who", R"({"type":"string","maxLength":1024})",
                       "The name, the id or the kind of an author.", R"("local")"}},
       .answers = {{200, "A page of entries.", no_store, json,
                    R"({"$ref":"#/components/schemas/AuditPage"})",
                    R"({"entries":[{"entry":1,"at":"2026-11-23T00:00:00.000Z","who":{)"
                    R"("kind":"local","name":"root","id":"0"},"address":null,)"
                    R"("request_id":null,"action":"demo.seed","subject":null,)"
                    R"("before":null,"after":null}],"next_before":null})"}},
       .errors = {errc::query_invalid, errc::store_failed, errc::store_newer}});
}

void add_faults(std::vector<operation_reference>& all) {
  all.push_back(
      {.id = operation::list_faults,
       .tag = "faults",
       .summary = "List fault points",
       .description = "All points with their rules. Faults exist only where the service "
                      "runs with `--enable-fault-injection`; elsewhere 404.",
       .answers = {{200, "The points.", no_store, json,
                    R"({"$ref":"#/components/schemas/FaultList"})", R"({"seed":7,"points":[]})"}},
       .errors = {errc::route_not_found}});
  all.push_back({.id = operation::clear_faults,
                 .tag = "faults",
                 .summary = "End all faults",
                 .description = "What they delay or stall goes on at once.",
                 .answers = {{204, "No fault is injected.", no_store}},
                 .errors = {errc::route_not_found}});
  all.push_back({.id = operation::get_fault,
                 .tag = "faults",
                 .summary = "Show a fault point",
                 .description = "Its rule, and passes and hits since that was set.",
                 .answers = {{200, "The point.", no_store, json,
                              R"({"$ref":"#/components/schemas/FaultPoint"})", fault_example}},
                 .errors = {errc::route_not_found, errc::element_not_found}});
  all.push_back({.id = operation::put_fault,
                 .tag = "faults",
                 .summary = "Inject a fault",
                 .description = "Sets a rule in place of the one before. `Content-Type` does not "
                                "matter.",
                 .body = {.schema = R"({"$ref":"#/components/schemas/FaultRule"})",
                          .description = "What happens, and to which passes.",
                          .example = R"({"kind":"delay","delay_ms":1,"probability":0.01})"},
                 .answers = {{200, "The point with its rule.", no_store, json,
                              R"({"$ref":"#/components/schemas/FaultPoint"})", fault_example}},
                 .errors = {errc::route_not_found, errc::element_not_found, errc::query_invalid,
                            errc::store_failed, errc::store_full, errc::store_newer}});
  all.push_back({.id = operation::clear_fault,
                 .tag = "faults",
                 .summary = "End a fault",
                 .description = "What it delays or stalls goes on at once.",
                 .answers = {{204, "The point injects nothing.", no_store}},
                 .errors = {errc::route_not_found, errc::element_not_found}});
}

std::vector<operation_reference> make_references() {
  std::vector<operation_reference> all;
  add_reports(all);
  add_traces(all);
  add_payloads(all);
  add_players(all);
  add_lobbies(all);
  add_history(all);
  for (const auto& each : elements)
    add_elements(all, each);
  add_access(all);
  add_faults(all);
  add_console(all);
  all.push_back(openapi_reference(operation::get_ops_openapi, plane::ops));
  all.push_back(openapi_reference(operation::get_data_openapi, plane::data));
  return all;
}

constexpr std::array tags{
    tag_reference{"access", "Tokens, and who changed what."},
    tag_reference{"catalog", "Games, namespaces, regions and tiers."},
    tag_reference{"faults", "Making the service fail on purpose."},
    tag_reference{"lobbies", "The history of lobbies."},
    tag_reference{"players", "Where players are, what regions they get, their avatars."},
    tag_reference{"reference", "This document, that of the data plane, and pages."},
    tag_reference{"reports", "How the service is."},
    tag_reference{"validation", "Whether a payload may be created."},
};

constexpr std::array schemas{
    named_schema{"Health", R"({"type":"object","additionalProperties":false,"required":[)"
                           R"("status"],"properties":{"status":{"const":"ok"}}})"},
    named_schema{"Readiness", R"({"type":"object","additionalProperties":false,"required":[)"
                              R"("ready"],"properties":{"ready":{"type":"boolean"},"reason":{)"
                              R"("enum":["starting","draining","restart_storm","store_newer"],)"
                              R"("description":"Why it is not ready."}}})"},
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
    named_schema{"Ranking", R"({"type":"object","additionalProperties":false,"required":["place",)"
                            R"("source","listing"],"properties":{"place":{"oneOf":[{)"
                            R"("$ref":"#/components/schemas/Coordinates"},{"type":"null"}],)"
                            R"("description":"Where the client is taken to be."},"source":{)"
                            R"("enum":["address","coordinates","fallback","unknown"]},"listing":{)"
                            R"("$ref":"#/components/schemas/RegionListing"}}})"},
    named_schema{"Places", R"({"type":"object","additionalProperties":false,"required":[)"
                           R"("enabled","window_s","cell_degrees","unknown","cells"],)"
                           R"("properties":{"enabled":{"type":"boolean"},"window_s":{)"
                           R"("type":"integer","description":"How long ago lately began."},)"
                           R"("cell_degrees":{"type":"integer"},"unknown":{"type":"integer",)"
                           R"("description":"Requests from unknown places."},"cells":{)"
                           R"("type":"array","items":{"type":"object",)"
                           R"("additionalProperties":false,"required":["latitude","longitude",)"
                           R"("requests"],"properties":{"latitude":{"type":"number",)"
                           R"("description":"Of the middle."},"longitude":{"type":"number"},)"
                           R"("requests":{"type":"integer"}}}}}})"},
    named_schema{"LobbySurvey",
                 R"({"type":"object","additionalProperties":false,"required":["start",)"
                 R"("end","bucket_ms","started","running","running_now","is_partial"],)"
                 R"("properties":{"start":{"type":"integer"},"end":{"type":"integer"},)"
                 R"("bucket_ms":{"type":"integer"},"started":{"type":"array","items":{)"
                 R"("type":"integer"},"description":"How many began in each bucket."},)"
                 R"("running":{"type":"array","items":{"type":"integer"},)"
                 R"("description":"How many ran at the begin of each."},)"
                 R"("running_now":{"type":"integer"},"is_partial":{"type":"boolean",)"
                 R"("description":"Reading took too long."}}})"},
    named_schema{"RunningLobbies",
                 R"({"type":"object","additionalProperties":false,"required":[)"
                 R"("lobbies","more"],"properties":{"lobbies":{"type":"array",)"
                 R"("items":{"type":"object","additionalProperties":false,"required":[)"
                 R"("lobby_id","namespace_id","namespace_name","region_id",)"
                 R"("region_name","tier","version_id","version_name","game_mode",)"
                 R"("start_ts"],"properties":{"lobby_id":{"type":"string",)"
                 R"("format":"uuid"},"namespace_id":{"type":"string","format":"uuid"},)"
                 R"("namespace_name":{"type":"string"},"region_id":{"type":"string"},)"
                 R"("region_name":{"type":"string"},"tier":{"type":"string"},)"
                 R"("version_id":{"type":"string","format":"uuid"},"version_name":{)"
                 R"("type":"string"},"game_mode":{"type":"string"},"start_ts":{)"
                 R"("type":"string","format":"date-time"}}}},"more":{)"
                 R"("type":"boolean"}}})"},
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
                 R"("description":"How long it handled the message."}}}}}}}}})"},
    named_schema{"OwnExportLink",
                 R"({"type":"object","additionalProperties":false,"required":["url"],)"
                 R"("properties":{"url":{"type":"string","format":"uri-reference",)"
                 R"("description":"Signed, valid for a minute."}}})"},
    named_schema{"ExportList", R"({"type":"object","additionalProperties":false,"required":[)"
                               R"("exports"],"properties":{"exports":{"type":"array","items":{)"
                               R"("type":"object","additionalProperties":false,"required":[)"
                               R"("game_id","query_start","query_end","state","rows","bytes"],)"
                               R"("properties":{"game_id":{"type":"string","format":"uuid"},)"
                               R"("query_start":{"type":"integer"},"query_end":{"type":"integer"},)"
                               R"("state":{"enum":["queued","running","complete"]},"rows":{)"
                               R"("type":"integer"},"bytes":{"type":"integer"}}}}}})"},
    named_schema{"LobbyReport",
                 R"({"type":"object","additionalProperties":false,"required":[)"
                 R"("lobby_id","namespace_id","region_id","tier","version_id",)"
                 R"("version_name","game_mode","start_ts"],"properties":{"lobby_id":{)"
                 R"("type":"string","format":"uuid"},"namespace_id":{"type":"string",)"
                 R"("format":"uuid"},"region_id":{"type":"string"},"tier":{)"
                 R"("type":"string"},"version_id":{"type":"string","format":"uuid"},)"
                 R"("version_name":{"type":"string"},"game_mode":{"type":"string"},)"
                 R"("start_ts":{"type":["string","integer"],)"
                 R"("description":"RFC 3339, or milliseconds since 1970."},"stop_ts":{)"
                 R"("type":["string","integer","null"],)"
                 R"("description":"Absent or null while it runs."}}})"},
    named_schema{"IngestSummary",
                 R"({"type":"object","additionalProperties":false,"required":[)"
                 R"("accepted","unchanged","rejected","rejected_total"],"properties":{)"
                 R"("accepted":{"type":"integer"},"unchanged":{"type":"integer"},)"
                 R"("rejected":{"type":"array","items":{"type":"object",)"
                 R"("additionalProperties":false,"required":["line","code","message"],)"
                 R"("properties":{"line":{"type":"integer","minimum":1},"code":{)"
                 R"("type":"string"},"message":{"type":"string"}}}},"rejected_total":{)"
                 R"("type":"integer",)"
                 R"("description":"More than `rejected` lists, where there are )"
                 R"(many."}}})"},
    named_schema{"Game", R"({"type":"object","additionalProperties":false,"required":[)"
                         R"("game_id","display_name"],"properties":{"game_id":{)"
                         R"("type":"string","format":"uuid"},"display_name":{)"
                         R"("type":"string"}}})"},
    named_schema{"NewGame", R"({"type":"object","additionalProperties":false,"required":[)"
                            R"("display_name"],"properties":{"game_id":{"type":"string",)"
                            R"("format":"uuid"},"display_name":{"type":"string","minLength":1}}})"},
    named_schema{"GameList", R"({"type":"object","additionalProperties":false,"required":["games",)"
                             R"("revision"],"properties":{"games":{"type":"array","items":{)"
                             R"("$ref":"#/components/schemas/Game"}},"revision":{)"
                             R"("type":"integer"}}})"},
    named_schema{"Namespace", R"({"type":"object","additionalProperties":false,"required":[)"
                              R"("namespace_id","game_id","name"],"properties":{"namespace_id":{)"
                              R"("type":"string","format":"uuid"},"game_id":{"type":"string",)"
                              R"("format":"uuid"},"name":{"type":"string"},"domains":{)"
                              R"("type":"array","items":{"type":"string"},)"
                              R"("description":"Host names whose pages list its regions."},)"
                              R"("regions":{"type":"array","items":{"type":"string"},)"
                              R"("description":"Those that it may use; absent: all."}}})"},
    named_schema{"NewNamespace",
                 R"({"type":"object","additionalProperties":false,"required":[)"
                 R"("game_id","name"],"properties":{"namespace_id":{"type":"string",)"
                 R"("format":"uuid"},"game_id":{"type":"string","format":"uuid"},)"
                 R"("name":{"type":"string","minLength":1},"domains":{"type":"array",)"
                 R"("items":{"type":"string"}},"regions":{"type":"array","items":{)"
                 R"("type":"string"}}}})"},
    named_schema{"NamespaceList",
                 R"({"type":"object","additionalProperties":false,"required":[)"
                 R"("namespaces","revision"],"properties":{"namespaces":{)"
                 R"("type":"array","items":{"$ref":"#/components/schemas/Namespace"}},)"
                 R"("revision":{"type":"integer"}}})"},
    named_schema{"RegionElement",
                 R"({"type":"object","additionalProperties":false,"required":[)"
                 R"("region_id","region_display_name","provider_display_name",)"
                 R"("datacenter_coord"],"properties":{"region_id":{"type":"string"},)"
                 R"("region_display_name":{"type":"string"},"provider_display_name":{)"
                 R"("type":"string"},"datacenter_coord":{)"
                 R"("$ref":"#/components/schemas/Coordinates"},"ping_url":{)"
                 R"("type":"string","format":"uri"}}})"},
    named_schema{"NewRegion",
                 R"({"type":"object","additionalProperties":false,"required":[)"
                 R"("region_display_name","provider_display_name","datacenter_coord"],)"
                 R"("properties":{"region_id":{"type":"string",)"
                 R"("pattern":"^[a-z0-9-]{1,32}$"},"region_display_name":{)"
                 R"("type":"string","minLength":1},"provider_display_name":{)"
                 R"("type":"string","minLength":1},"datacenter_coord":{)"
                 R"("$ref":"#/components/schemas/Coordinates"},"ping_url":{)"
                 R"("type":"string","format":"uri","maxLength":2048,)"
                 R"("description":"Where the console measures latency: https."}}})"},
    named_schema{"RegionList", R"({"type":"object","additionalProperties":false,"required":[)"
                               R"("regions","revision"],"properties":{"regions":{"type":"array",)"
                               R"("items":{"$ref":"#/components/schemas/RegionElement"}},)"
                               R"("revision":{"type":"integer"}}})"},
    named_schema{"TierList", R"({"type":"object","additionalProperties":false,"required":["tiers",)"
                             R"("revision"],"properties":{"tiers":{"type":"array","items":{)"
                             R"("type":"string"}},"revision":{"type":"integer"}}})"},
    named_schema{"WantedToken",
                 R"({"type":"object","additionalProperties":false,"required":["kind",)"
                 R"("name"],"properties":{"kind":{"enum":["admin","viewer","metrics",)"
                 R"("game","studio","player"]},"name":{"type":"string","minLength":1,)"
                 R"("maxLength":64,"description":"Who will use it."},"game_id":{)"
                 R"("type":"string","format":"uuid","description":"Of a game token."},)"
                 R"("namespace_id":{"type":"string","format":"uuid",)"
                 R"("description":"Of a player token."},"expires":{"type":"string",)"
                 R"("format":"date-time"},"expires_in_s":{"type":"integer",)"
                 R"("minimum":1,)"
                 R"("description":"Seconds from now, instead of `expires`."},)"
                 R"("limits":{"$ref":"#/components/schemas/TokenLimits"}}})"},
    named_schema{"TokenLimits",
                 R"({"type":"object","additionalProperties":false,)"
                 R"("description":"In place of the service's: `QUOTA/SECONDS` or )"
                 R"(`off`.","properties":{"cheap":{"type":"string",)"
                 R"("pattern":"^([0-9]+/[0-9]+|off)$"},"expensive":{"type":"string",)"
                 R"("pattern":"^([0-9]+/[0-9]+|off)$"}}})"},
    named_schema{"Rotation", R"({"type":"object","additionalProperties":false,"properties":{)"
                             R"("grace_s":{"type":"integer","minimum":0,"maximum":2592000,)"
                             R"("default":86400}}})"},
    named_schema{"Token", R"({"type":"object","required":["token_id","kind","name","state",)"
                          R"("sha256","created","created_by","expires","revoked","last_use"],)"
                          R"("properties":{"token_id":{"type":"string","format":"uuid"},)"
                          R"("kind":{"enum":["admin","viewer","metrics","game","studio",)"
                          R"("player"]},"name":{"type":"string"},"state":{"enum":["active",)"
                          R"("expired","revoked"]},"game_id":{"type":"string","format":"uuid"},)"
                          R"("namespace_id":{"type":"string","format":"uuid"},"sha256":{)"
                          R"("type":"string","pattern":"^[0-9a-f]{64}$",)"
                          R"("description":"Of the token's text."},"created":{"type":"string",)"
                          R"("format":"date-time"},"created_by":{"type":"string"},"expires":{)"
                          R"("type":["string","null"],"format":"date-time"},"revoked":{"type":[)"
                          R"("string","null"],"format":"date-time"},"last_use":{"type":[)"
                          R"("string","null"],"format":"date-time"},"former_works_until":{)"
                          R"("type":"string","format":"date-time"},"limits":{)"
                          R"("$ref":"#/components/schemas/TokenLimits"}}})"},
    named_schema{"NewToken",
                 R"({"allOf":[{"$ref":"#/components/schemas/Token"},{"type":"object",)"
                 R"("required":["token"],"properties":{"token":{"type":"string",)"
                 R"("pattern":"^mc_(admin|viewer|metrics|game|studio|player)_[0-9A-Za-)"
                 R"(z]{49}$","description":"The text: keep it, it is shown once."}}}]})"},
    named_schema{"TokenList", R"({"type":"object","additionalProperties":false,"required":[)"
                              R"("tokens","revision"],"properties":{"tokens":{"type":"array",)"
                              R"("items":{"$ref":"#/components/schemas/Token"}},"revision":{)"
                              R"("type":"integer"}}})"},
    named_schema{"AuditPage", R"({"type":"object","additionalProperties":false,"required":[)"
                              R"("entries","next_before"],"properties":{"entries":{"type":"array",)"
                              R"("items":{"$ref":"#/components/schemas/AuditEntry"}},)"
                              R"("next_before":{"type":["integer","null"],)"
                              R"("description":"For the next page; null: there are no older )"
                              R"(ones."}}})"},
    named_schema{"AuditEntry",
                 R"({"type":"object","additionalProperties":false,"required":["entry",)"
                 R"("at","who","address","request_id","action","subject","before",)"
                 R"("after"],"properties":{"entry":{"type":"integer"},"at":{)"
                 R"("type":"string","format":"date-time"},"who":{"type":"object",)"
                 R"("additionalProperties":false,"required":["kind","name","id"],)"
                 R"("properties":{"kind":{"enum":["token","certificate","local",)"
                 R"("service"]},"name":{"type":["string","null"]},"id":{"type":[)"
                 R"("string","null"]}}},"address":{"type":["string","null"]},)"
                 R"("request_id":{"type":["string","null"]},"action":{)"
                 R"("type":"string"},"subject":{"type":["string","null"]},"before":{)"
                 R"("description":"What the change was about, before it."},"after":{)"
                 R"("description":"The same after it."}}})"},
    named_schema{"FaultRule",
                 R"({"type":"object","additionalProperties":false,"required":["kind"],)"
                 R"("properties":{"kind":{"enum":["delay","error","drop","crash",)"
                 R"("abort","short-write","corrupt","stall"]},"delay_ms":{"oneOf":[{)"
                 R"("type":"number","minimum":0},{"type":"array","items":{)"
                 R"("type":"number","minimum":0},"minItems":2,"maxItems":2}],)"
                 R"("description":"Milliseconds, or the least and the most; of the )"
                 R"(kind `delay` alone."},"probability":{"type":"number","minimum":0,)"
                 R"("maximum":1},"every":{"type":"integer","minimum":1},"first":{)"
                 R"("type":"integer","minimum":1},"once":{"type":"boolean"},"header":{)"
                 R"("type":"boolean"}}})"},
    named_schema{"FaultPoint",
                 R"({"type":"object","additionalProperties":false,"required":["point",)"
                 R"("what","kinds","rule","passes","hits"],"properties":{"point":{)"
                 R"("type":"string"},"what":{"type":"string"},"kinds":{"type":"array",)"
                 R"("items":{"type":"string"}},"rule":{"oneOf":[{)"
                 R"("$ref":"#/components/schemas/FaultRule"},{"type":"null"}]},)"
                 R"("passes":{"type":"integer"},"hits":{"type":"integer"}}})"},
    named_schema{"FaultList", R"({"type":"object","additionalProperties":false,"required":["seed",)"
                              R"("points"],"properties":{"seed":{"type":"integer",)"
                              R"("description":"64 bits."},"points":{"type":"array","items":{)"
                              R"("$ref":"#/components/schemas/FaultPoint"}}}})"},
};

} // namespace

const std::vector<operation_reference>& ops_references() {
  static const auto all = make_references();
  return all;
}

std::span<const tag_reference> ops_tags() noexcept {
  return tags;
}

std::span<const named_schema> ops_schemas() noexcept {
  return schemas;
}

} // namespace matchcloud::http
