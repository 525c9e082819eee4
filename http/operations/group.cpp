#include "actors/region_ranking/messages.hpp"
#include "http/front/front.hpp"
#include "http/operations/code.hpp"
#include "http/operations/list.hpp"
#include "model/regions/group_ranking.hpp"

namespace matchcloud::http {

namespace {

using base::errc;

std::vector<named_schema> group_schemas() {
  return {
      object(
          "PlayerGroup",
          {{"players",
            {R"("type":"array","minItems":1,"maxItems":64,)"
             R"("items":{"$ref":"#/components/schemas/GroupPlayer"})"},
            "The players."},
           {"strategy", maybe(a("GroupStrategy")), "How regions are ordered; `worst` by default."},
           {"fair_within_ms",
            maybe({R"("type":"number","minimum":0,"maximum":60000,"default":20)"}),
            "With `fair`: how far above the lowest a region's `worst_ms` may be."}}),
      object("GroupPlayer",
             {{"id", maybe({R"("type":"string","maxLength":64)"}),
               "Any text of at most 64 bytes. The answer repeats it."},
              {"address", maybe(text), "The player's IPv4 or IPv6 address."},
              {"coordinates", maybe(a("Coordinates")),
               "The player's place. It overrides the place of the address."},
              {"latencies",
               maybe({R"("type":"object","maxProperties":256,)"
                      R"("additionalProperties":{"type":"number","minimum":0,"maximum":60000})"}),
               "Measured round trips in milliseconds, by region id. Preferred."}},
             "A player and what is known about them, possibly nothing."),
      one_of("GroupStrategy", model::group_strategy_names,
             "`worst`: by the highest round trip, then the mean; `mean`: by the mean, then the "
             "highest; `fair`: by the difference between the highest and the lowest, among regions "
             "whose highest is near the lowest possible."),
      object("GroupRegionList",
             {{"regions", list_of(a("GroupRegion")), "All regions, best first."},
              {"unknown_players", list_of({R"("type":"integer","minimum":0,"maximum":63)"}),
               "Positions, from 0, of players without any round trip. Not counted."},
              {"player_ids", list_of(text_or_null),
               "The `id` of each player, in the order of the request."}}),
      object("GroupRegion", {region_id_member,
                             region_name_member,
                             provider_name_member,
                             datacenter_member,
                             {"worst_ms",
                              {R"("type":["number","null"],"minimum":0)"},
                              "The highest round trip; null: none is known."},
                             {"mean_ms",
                              {R"("type":["number","null"],"minimum":0)"},
                              "The mean of the known round trips; null: none is known."},
                             {"players", list_of({R"("type":["number","null"],"minimum":0)"}),
                              "The round trip of each player, in the order of the request."}})};
}

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
      return operation_reference{
          .tag = "regions",
          .summary = "List regions for a group of players, best first",
          .description =
              "Orders the regions of a namespace for players who want to play together. The round "
              "trip of each player is the measured one, else the one predicted for the player's "
              "place and network. The namespace is found as for a listing of regions.",
          .parameters = {{"header", "Origin", text,
                          "The requesting page's origin. Its host may select a namespace.",
                          R"("https://demo-game.example")"}},
          .body = {.schema = a("PlayerGroup"),
                   .description = "The players, and how to order the regions.",
                   .example = R"({"players":[{"id":"anna","address":"81.2.69.142"},)"
                              R"({"coordinates":{"latitude":52.5,"longitude":13.4}},)"
                              R"({"latencies":{"lon":23.1,"fra":31}}],"strategy":"worst"})"},
          .answers = {{200, "The regions.",
                       "Access-Control-Allow-Origin Access-Control-Expose-Headers", json_type,
                       a("GroupRegionList"),
                       R"({"regions":[{"region_id":"lon","region_display_name":"London",)"
                       R"("provider_display_name":"Demo Cloud","datacenter_coord":{)"
                       R"("latitude":51.5074,"longitude":-0.1278},"worst_ms":23.1,)"
                       R"("mean_ms":18.237,"players":[5.418,26.193,23.1]}],)"
                       R"("unknown_players":[],"player_ids":["anna",null,null]})"}},
          .errors = {errc::query_invalid},
          .schemas = group_schemas()};
    },
    ask_group};

} // namespace matchcloud::http
