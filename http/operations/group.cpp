#include "http/operations/group.hpp"

#include "actors/region_ranking/messages.hpp"
#include "http/front/request_context.hpp"
#include "http/operations/code.hpp"
#include "model/regions/group_request.hpp"

#include <array>

namespace matchcloud::http {

namespace {

using base::errc;

constexpr std::array group_schemas{
    named_schema{"PlayerGroup", R"({
      "type": "object", "additionalProperties": false, "required": ["players"],
      "properties": {
        "players": {"type": "array", "minItems": 1, "maxItems": 64,
          "items": {"$ref": "#/components/schemas/GroupPlayer"}, "description": "The players."},
        "strategy": {"$ref": "#/components/schemas/GroupStrategy",
          "description": "How regions are ordered; `worst` by default."},
        "fair_within_ms": {"type": "number", "minimum": 0, "maximum": 60000, "default": 20,
          "description": "With `fair`: how far above the lowest a region's `worst_ms` may be."}}
    })"},
    named_schema{"GroupPlayer", R"({
      "type": "object", "additionalProperties": false,
      "description": "A player and what is known about them, possibly nothing.",
      "properties": {
        "id": {"type": "string", "maxLength": 64,
          "description": "Any text of at most 64 bytes. The answer repeats it."},
        "address": {"type": "string", "description": "The player's IPv4 or IPv6 address."},
        "coordinates": {"$ref": "#/components/schemas/Coordinates",
          "description": "The player's place. It overrides the place of the address."},
        "latencies": {"type": "object", "maxProperties": 256,
          "additionalProperties": {"type": "number", "minimum": 0, "maximum": 60000},
          "description": "Measured round trips in milliseconds, by region id. Preferred."}}
    })"},
    named_schema{
        "GroupStrategy",
        R"({"description": "`worst`: by the highest round trip, then the mean; `mean`: by )"
        R"(the mean, then the highest; `fair`: by the difference between the highest and )"
        R"(the lowest, among regions whose highest is near the lowest possible."})",
        model::group_strategy_names},
    named_schema{"GroupRegionList", R"({
      "type": "object", "additionalProperties": false,
      "required": ["regions", "unknown_players", "player_ids"],
      "properties": {
        "regions": {"type": "array", "items": {"$ref": "#/components/schemas/GroupRegion"},
          "description": "All regions, best first."},
        "unknown_players": {"type": "array",
          "items": {"type": "integer", "minimum": 0, "maximum": 63},
          "description": "Positions, from 0, of players without any round trip. Not counted."},
        "player_ids": {"type": "array", "items": {"type": ["string", "null"]},
          "description": "The `id` of each player, in the order of the request."}}
    })"},
    named_schema{"GroupRegion", R"({
      "type": "object", "additionalProperties": false,
      "required": ["region_id", "region_display_name", "provider_display_name",
        "datacenter_coord", "worst_ms", "mean_ms", "players"],
      "properties": {
        "region_id": {"type": "string", "description": "The region's id, such as `lon`."},
        "region_display_name": {"type": "string", "description": "The name that people see."},
        "provider_display_name": {"type": "string",
          "description": "The name of the company that runs the datacenter."},
        "datacenter_coord": {"$ref": "#/components/schemas/Coordinates",
          "description": "Where the datacenter is."},
        "worst_ms": {"type": ["number", "null"], "minimum": 0,
          "description": "The highest round trip; null: none is known."},
        "mean_ms": {"type": ["number", "null"], "minimum": 0,
          "description": "The mean of the known round trips; null: none is known."},
        "players": {"type": "array", "items": {"type": ["number", "null"], "minimum": 0},
          "description": "The round trip of each player, in the order of the request."}}
    })"},
};

void ask_group(const request_context& asked) {
  if (!asked.takes_body()) return;
  auto group = model::read_group_request(asked.request().body);
  if (!group) return asked.refuse(group.error());
  asked.forward(base::owner::region_ranking,
                actors::rank_group{asked.exchange(), *std::move(group), asked.origin_host(),
                                   asked.player_namespace(), asked.ticket()});
}

} // namespace

const operation_code codes::rank_group{
    [] {
      return operation_references{operation_reference{
          .tag = "regions",
          .summary = "List regions for a group of players, best first",
          .description =
              "Orders the regions of a namespace for players who want to play together. The round "
              "trip of each player is the measured one, else the one predicted for the player's "
              "place and network. The namespace is found as for a listing of regions.",
          .parameters = {{"header", "Origin", R"({"type":"string"})",
                          "The requesting page's origin. Its host may select a namespace.",
                          R"("https://demo-game.example")"}},
          .body = {.schema = R"({"$ref":"#/components/schemas/PlayerGroup"})",
                   .description = "The players, and how to order the regions.",
                   .example = R"({"players":[{"id":"anna","address":"81.2.69.142"},)"
                              R"({"coordinates":{"latitude":52.5,"longitude":13.4}},)"
                              R"({"latencies":{"lon":23.1,"fra":31}}],"strategy":"worst"})"},
          .answers = {{200, "The regions.",
                       "Access-Control-Allow-Origin Access-Control-Expose-Headers", json_type,
                       R"({"$ref":"#/components/schemas/GroupRegionList"})",
                       R"({"regions":[{"region_id":"lon","region_display_name":"London",)"
                       R"("provider_display_name":"Demo Cloud","datacenter_coord":{)"
                       R"("latitude":51.5074,"longitude":-0.1278},"worst_ms":23.1,)"
                       R"("mean_ms":18.237,"players":[5.418,26.193,23.1]}],)"
                       R"("unknown_players":[],"player_ids":["anna",null,null]})"}},
          .errors = {errc::query_invalid},
          .schemas = group_schemas}};
    },
    ask_group};

} // namespace matchcloud::http
