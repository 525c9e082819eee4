#include "http/reference/plane_reference.hpp"

#include <array>
#include <utility>

namespace matchcloud::http {

namespace {

using base::errc;

constexpr std::string_view findings_schema = R"({"$ref":"#/components/schemas/Findings"})";
constexpr std::string_view listing_headers =
    "ETag Cache-Control Vary Content-Encoding Access-Control-Allow-Origin";

operation_reference validation(operation id, std::string_view summary, std::string_view schema,
                               std::string_view example) {
  operation_reference made;
  made.id = id;
  made.tag = "validation";
  made.summary = summary;
  made.description = "Answers 200 whether or not the payload is valid: an empty list of `errors` "
                     "means that it is. All findings come at once, each with its path, a stable "
                     "code and what to write instead.";
  made.body.schema = schema;
  made.body.description = "What would be created.";
  made.body.example = example;
  made.answers = {
      {200, "The findings.", {}, "application/json", findings_schema, R"({"errors":[]})"}};
  return made;
}

void add_validation(std::vector<operation_reference>& all) {
  all.push_back(validation(operation::validate_version, "Validate a game version",
                           R"({"$ref":"#/components/schemas/version"})",
                           R"({"display_name":"1.0.1","config":{"matchmaker":{"max_players":8,)"
                           R"("game_modes":{"duel":{"max_players":2}}}}})"));
  all.back().errors = {errc::game_not_found};
  all.push_back(validation(operation::validate_game, "Validate a game",
                           R"({"$ref":"#/components/schemas/game"})",
                           R"({"display_name":"My game"})"));
  all.push_back(validation(operation::validate_group, "Validate a group",
                           R"({"$ref":"#/components/schemas/group"})",
                           R"({"display_name":"Raiders"})"));
}

void add_regions(std::vector<operation_reference>& all) {
  all.push_back(
      {.id = operation::list_regions,
       .tag = "regions",
       .summary = "List regions, nearest first",
       .description =
           "Lists the datacenter regions of a namespace, ordered by their distance from the "
           "place of the client's address. The namespace is that of the player token, else the "
           "one that registered the host of `Origin`, else the default one.",
       .parameters =
           {{"query", "rtt", R"({"type":"string","maxLength":8192})",
             "Latencies in milliseconds that the client measured: `region:ms,region:ms`. These "
             "regions come first, by latency. At most 256, each once, 0 to 60000.",
             R"("iad:71,lon:9.5")"},
            {"header", "Origin", R"({"type":"string"})",
             "The page that asks; its host may belong to a namespace.",
             R"("https://demo-game.example")"},
            accept_encoding_reference,
            if_none_match_reference,
            if_match_reference},
       .answers = {{200, "The regions.", listing_headers, "application/json",
                    R"({"$ref":"#/components/schemas/RegionListing"})",
                    R"({"regions":[{"region_id":"lon","region_display_name":"London",)"
                    R"("provider_display_name":"Demo Cloud","datacenter_coord":{)"
                    R"("latitude":51.5074,"longitude":-0.1278},)"
                    R"("datacenter_distance_from_client":{"kilometers":5.3,)"
                    R"("miles":3.293}}]})"},
                   {304, "The client's copy still holds.",
                    "ETag Cache-Control Vary Access-Control-Allow-Origin"}},
       .errors = {errc::query_invalid, errc::precondition_failed}});
  all.push_back({.id = operation::ping,
                 .tag = "regions",
                 .summary = "Answer at once, for measuring latency",
                 .description = "Game clients time this request to a server in each region and "
                                "name what they found in `rtt`. Pages may read exact times.",
                 .answers = {{204, "The answer.",
                              "Cache-Control Access-Control-Allow-Origin Timing-Allow-Origin"}}});
}

void add_files(std::vector<operation_reference>& all) {
  all.push_back({.id = operation::list_avatars,
                 .tag = "avatars",
                 .summary = "List a game's custom avatars",
                 .description =
                     "All of them, newest `create_ts` first, then by `upload_id`, without "
                     "paging. Only complete ones have a `url`.",
                 .answers = {{200,
                              "The avatars.",
                              {},
                              "application/json",
                              R"({"$ref":"#/components/schemas/AvatarListing"})",
                              R"({"custom_avatars":[{)"
                              R"("upload_id":"00000000-0000-4000-8000-000000000105",)"
                              R"("display_name":"Ember Lynx",)"
                              R"("create_ts":"2026-01-23T00:00:00.001Z","content_length":1999999,)"
                              R"("complete":false}]})"}},
                 .errors = {errc::game_not_found, errc::list_too_large, errc::store_failed}});
  all.push_back(
      {.id = operation::export_lobby_history,
       .tag = "exports",
       .summary = "Export lobby history as CSV",
       .description = "Answers once the file is complete, with a signed URL. The span holds its "
                      "start and not its end; a lobby is in it that was alive at any instant of "
                      "it. Requests for the same export share it.",
       .body = {.schema = R"({"$ref":"#/components/schemas/ExportSpan"})",
                .description = "The span of time.",
                .example = R"({"query_start":1767312000000,"query_end":1767398400000})"},
       .answers = {{200,
                    "The file is there.",
                    {},
                    "application/json",
                    R"({"$ref":"#/components/schemas/ExportLink"})",
                    R"({)"
                    R"("url":"http://127.0.0.1:8080/exports/6a0f7c52-91d4-4c7e-8a35-00000)"
                    R"(0000001/lobby-history.csv?expires=1795000000&signature=0a1b"})"}},
       .errors = {errc::query_invalid, errc::game_not_found, errc::exports_busy, errc::exports_full,
                  errc::store_full, errc::store_failed, errc::history_too_slow}});
  auto image =
      download_reference(operation::download_media, "avatars", "Download an avatar's image");
  image.description = "A name stands for one image for ever, so the answer may be cached for ever. "
                      "Take the whole URL from the list of avatars.";
  image.errors.push_back(errc::media_not_found);
  all.push_back(std::move(image));
  auto file = download_reference(operation::download_export, "exports", "Download an export");
  file.description =
      "The URL that an export was answered with; it is signed and valid for an hour. "
      "The file is CSV (RFC 4180) in UTF-8 and always has its header.";
  file.parameters.push_back({"query", "expires", R"({"type":"string"})",
                             "The URL's expiry, in seconds since 1970.", R"("1795000000")"});
  file.parameters.push_back({"query", "signature", R"({"type":"string"})",
                             "The service's signature of the URL.", R"("0a1b")"});
  file.errors.insert(file.errors.end(),
                     {errc::signature_invalid, errc::url_expired, errc::export_not_found});
  all.push_back(std::move(file));
  all.push_back(openapi_reference(operation::get_openapi, plane::data));
}

std::vector<operation_reference> make_references() {
  std::vector<operation_reference> all;
  add_validation(all);
  add_regions(all);
  add_files(all);
  return all;
}

constexpr std::array tags{
    tag_reference{"avatars", "Custom avatars and their images."},
    tag_reference{"exports", "Lobby history as a file."},
    tag_reference{"reference", "This document."},
    tag_reference{"regions", "Where a player plays best."},
    tag_reference{"validation", "Whether a payload may be created."},
};

constexpr std::array schemas{
    named_schema{"Findings", R"({"type":"object","additionalProperties":false,"required":[)"
                             R"("errors"],"properties":{"errors":{"type":"array","items":{)"
                             R"("$ref":"#/components/schemas/Finding"}}}})"},
    named_schema{"Finding", R"({"type":"object","additionalProperties":false,)"
                            R"("description":"Something to change in the payload.","required":[)"
                            R"("path","code","message"],"properties":{"path":{"type":"array",)"
                            R"("items":{"type":"string"},)"
                            R"("description":"The names of members and the positions in arrays )"
                            R"(that lead there."},"code":{"type":"string",)"
                            R"("description":"What is wrong: stable."},"message":{)"
                            R"("type":"string",)"
                            R"("description":"What was found, and what to write instead."}}})"},
    named_schema{"RegionListing", R"({"type":"object","additionalProperties":false,"required":[)"
                                  R"("regions"],"properties":{"regions":{"type":"array","items":{)"
                                  R"("$ref":"#/components/schemas/Region"}}}})"},
    named_schema{"Region", R"({"type":"object","additionalProperties":false,"required":[)"
                           R"("region_id","region_display_name","provider_display_name",)"
                           R"("datacenter_coord","datacenter_distance_from_client"],)"
                           R"("properties":{"region_id":{"type":"string"},)"
                           R"("region_display_name":{"type":"string"},"provider_display_name":{)"
                           R"("type":"string"},"datacenter_coord":{)"
                           R"("$ref":"#/components/schemas/Coordinates"},)"
                           R"("datacenter_distance_from_client":{"type":"object",)"
                           R"("additionalProperties":false,"required":["kilometers","miles"],)"
                           R"("description":"Of the WGS-84 geodesic; 0 where the client's place )"
                           R"(is unknown.","properties":{"kilometers":{"type":"number",)"
                           R"("minimum":0},"miles":{"type":"number","minimum":0}}}}})"},
    coordinates_schema,
    named_schema{"AvatarListing",
                 R"({"type":"object","additionalProperties":false,"required":[)"
                 R"("custom_avatars"],"properties":{"custom_avatars":{"type":"array",)"
                 R"("items":{"$ref":"#/components/schemas/Avatar"}}}})"},
    named_schema{"Avatar", R"({"type":"object","additionalProperties":false,"required":[)"
                           R"("upload_id","display_name","create_ts","content_length",)"
                           R"("complete"],"properties":{"upload_id":{"type":"string",)"
                           R"("format":"uuid"},"display_name":{"type":"string"},"create_ts":{)"
                           R"("type":"string","format":"date-time"},"content_length":{)"
                           R"("type":"integer","minimum":0,"maximum":18446744073709551615,)"
                           R"("description":"Bytes, as the uploader declared them."},)"
                           R"("complete":{"type":"boolean",)"
                           R"("description":"Whether the upload has ended."},"url":{)"
                           R"("type":"string","format":"uri",)"
                           R"("description":"The image, where it is complete."}}})"},
    named_schema{"ExportSpan",
                 R"({"type":"object","additionalProperties":false,"required":[)"
                 R"("query_start","query_end"],"properties":{"query_start":{)"
                 R"("type":"integer","minimum":0,"maximum":18446744073709551615,)"
                 R"("description":"Milliseconds since 1970, inclusive."},"query_end":{)"
                 R"("type":"integer","minimum":0,"maximum":18446744073709551615,)"
                 R"("description":"Milliseconds since 1970, exclusive; not before )"
                 R"(`query_start`."}}})"},
    named_schema{"ExportLink",
                 R"({"type":"object","additionalProperties":false,"required":["url"],)"
                 R"("properties":{"url":{"type":"string","format":"uri",)"
                 R"("description":"Signed, valid for an hour."}}})"},
};

} // namespace

const std::vector<operation_reference>& data_references() {
  static const auto all = make_references();
  return all;
}

std::span<const tag_reference> data_tags() noexcept {
  return tags;
}

std::span<const named_schema> data_schemas() noexcept {
  return schemas;
}

} // namespace matchcloud::http
