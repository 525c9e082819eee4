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
                      R"({"namespaces":[],"revision":1})"},
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
                      R"({"tiers":["basic-1d1"],"revision":1})", false},
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
       .errors = {errc::store_failed}});
  all.push_back({.id = operation::get_element,
                 .name = of.get_name,
                 .path = of.path,
                 .tag = "catalog",
                 .summary = "Read one element",
                 .description = "One element of the catalog.",
                 .answers = {{200, "The element.", no_store, json, of.schema, of.example}},
                 .errors = {errc::element_not_found, errc::id_malformed, errc::store_failed}});
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
                 .errors = {errc::element_not_found, errc::id_malformed, errc::still_referred,
                            errc::store_failed, errc::store_full, errc::store_newer}});
}

void add_reports(std::vector<operation_reference>& all) {
  all.push_back({.id = operation::get_health,
                 .tag = "reports",
                 .summary = "Whether the process lives",
                 .description = "Answered by the event loop alone.",
                 .answers = {{200,
                              "It lives.",
                              {},
                              json,
                              R"({"$ref":"#/components/schemas/Health"})",
                              R"({"status":"ok"})"}}});
  all.push_back({.id = operation::get_readiness,
                 .tag = "reports",
                 .summary = "Whether the service takes requests",
                 .description =
                     "503 while it starts, drains or has a restart storm: not a problem document, "
                     "but the same shape.",
                 .answers = {{200,
                              "It is ready.",
                              {},
                              json,
                              R"({"$ref":"#/components/schemas/Readiness"})",
                              R"({"ready":true})"},
                             {503,
                              "It is not ready, or an error.",
                              {},
                              json,
                              R"({"$ref":"#/components/schemas/Readiness"})",
                              R"({"ready":false})"}}});
  all.push_back({.id = operation::get_metrics,
                 .tag = "reports",
                 .summary = "Metrics for Prometheus",
                 .description = "In Prometheus' text format, version 0.0.4.",
                 .answers = {{200, "The metrics.", {}, "text/plain", R"({"type":"string"})"}}});
  all.push_back({.id = operation::list_actors,
                 .tag = "reports",
                 .summary = "The actors under supervision",
                 .description =
                     "Where each is, how it is, how many requests wait for it and why it last "
                     "died.",
                 .answers = {{200,
                              "The actors.",
                              {},
                              json,
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
                 .errors = {errc::store_failed}});
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
                 .errors = {errc::token_not_found, errc::store_failed}});
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
       .description = "Who changed what, the newest first.",
       .parameters = {{"query", "limit", R"({"type":"integer","minimum":1,"maximum":1000})",
                       "How many entries; 100 without.", "10"},
                      {"query", "before", R"({"type":"integer","minimum":1})",
                       "Entries with a lower number: `next_before` of the page before.", "1000000"},
                      {"query", "since", R"({"type":"string","format":"date-time"})",
                       "Entries of this time or later.", R"("2026-01-01T00:00:00Z")"}},
       .answers = {{200, "A page of entries.", no_store, json,
                    R"({"$ref":"#/components/schemas/AuditPage"})",
                    R"({"entries":[{"entry":1,"at":"2026-11-23T00:00:00.000Z","who":{)"
                    R"("kind":"local","name":"root","id":"0"},"address":null,)"
                    R"("request_id":null,"action":"demo.seed","subject":null,)"
                    R"("before":null,"after":null}],"next_before":null})"}},
       .errors = {errc::query_invalid, errc::store_failed}});
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
                            errc::store_failed}});
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
  add_lobbies(all);
  for (const auto& each : elements)
    add_elements(all, each);
  add_access(all);
  add_faults(all);
  all.push_back(openapi_reference(operation::get_ops_openapi, plane::ops));
  all.push_back(openapi_reference(operation::get_data_openapi, plane::data));
  return all;
}

constexpr std::array tags{
    tag_reference{"access", "Tokens, and who changed what."},
    tag_reference{"catalog", "Games, namespaces, regions and tiers."},
    tag_reference{"faults", "Making the service fail on purpose."},
    tag_reference{"lobbies", "The history of lobbies."},
    tag_reference{"reference", "This document, and that of the data plane."},
    tag_reference{"reports", "How the service is."},
};

constexpr std::array schemas{
    named_schema{"Health", R"({"type":"object","additionalProperties":false,"required":[)"
                           R"("status"],"properties":{"status":{"const":"ok"}}})"},
    named_schema{"Readiness", R"({"type":"object","additionalProperties":false,"required":[)"
                              R"("ready"],"properties":{"ready":{"type":"boolean"}}})"},
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
                           R"("requests_total","actor_restarts_total"],"properties":{"ready":{)"
                           R"("type":"boolean"},"connections":{"type":"integer"},)"
                           R"("requests_in_flight":{"type":"integer"},"requests_total":{)"
                           R"("type":"integer"},"actor_restarts_total":{"type":"integer"}}})"},
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
                 R"("$ref":"#/components/schemas/Coordinates"}}})"},
    named_schema{"NewRegion",
                 R"({"type":"object","additionalProperties":false,"required":[)"
                 R"("region_display_name","provider_display_name","datacenter_coord"],)"
                 R"("properties":{"region_id":{"type":"string",)"
                 R"("pattern":"^[a-z0-9-]{1,32}$"},"region_display_name":{)"
                 R"("type":"string","minLength":1},"provider_display_name":{)"
                 R"("type":"string","minLength":1},"datacenter_coord":{)"
                 R"("$ref":"#/components/schemas/Coordinates"}}})"},
    named_schema{"RegionList", R"({"type":"object","additionalProperties":false,"required":[)"
                               R"("regions","revision"],"properties":{"regions":{"type":"array",)"
                               R"("items":{"$ref":"#/components/schemas/RegionElement"}},)"
                               R"("revision":{"type":"integer"}}})"},
    coordinates_schema,
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
