#include "http/operations/catalog_elements.hpp"

#include "actors/administration/messages.hpp"
#include "http/front/request_context.hpp"
#include "http/operations/code.hpp"

#include <array>

namespace matchcloud::http {

namespace {

using base::errc;
using base::owner;

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

constexpr std::array schemas{
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
                             R"("type":"string"}},"revision":{"type":"integer"}}})"}};

operation_references list_elements_references() {
  operation_references all;
  for (const auto& of : elements)
    all.push_back({.name = of.list_name,
                   .path = of.list_path,
                   .tag = "catalog",
                   .summary = "List elements of the catalog",
                   .description =
                       "All elements of this kind, in the order of their ids. `revision` "
                       "moves with each change of the catalog.",
                   .answers = {{200, "The elements.", cache_control, json_type, of.list_schema,
                                of.list_example}},
                   .errors = {errc::store_failed, errc::store_newer},
                   .schemas = schemas});
  return all;
}

operation_references get_element_references() {
  operation_references all;
  for (const auto& of : elements)
    all.push_back(
        {.name = of.get_name,
         .path = of.path,
         .tag = "catalog",
         .summary = "Read one element",
         .description = "One element of the catalog.",
         .answers = {{200, "The element.", cache_control, json_type, of.schema, of.example}},
         .errors = {errc::element_not_found, errc::id_malformed, errc::store_failed,
                    errc::store_newer}});
  return all;
}

operation_references put_element_references() {
  operation_references all;
  for (const auto& of : elements)
    all.push_back(
        {.name = of.put_name,
         .path = of.path,
         .tag = "catalog",
         .summary = "Add or replace one element",
         .description =
             "Replaces the element whole, or adds it, in one transaction with an entry in "
             "the audit log. The id may be left out of the body.",
         .body = {.schema = of.put_schema,
                  .description = "The element.",
                  .is_required = of.needs_body,
                  .has_own_errors = true,
                  .example = of.example},
         .answers = {{200, "It was replaced.", cache_control, json_type, of.schema, of.example},
                     {201, "It was added.", cache_control, json_type, of.schema, of.example}},
         .errors = {errc::id_malformed, errc::import_invalid, errc::store_failed, errc::store_full,
                    errc::store_newer}});
  return all;
}

operation_references remove_element_references() {
  operation_references all;
  for (const auto& of : elements) {
    all.push_back({.name = of.remove_name,
                   .path = of.path,
                   .tag = "catalog",
                   .summary = "Remove one element",
                   .description =
                       "Hides the element and keeps it for history. Refused while others "
                       "refer to it.",
                   .answers = {{204, "It was removed.", cache_control}},
                   .errors = {errc::element_not_found, errc::id_malformed, errc::store_failed,
                              errc::store_full, errc::store_newer}});
    if (of.is_referred) all.back().errors.push_back(errc::still_referred);
  }
  return all;
}

using verb = actors::administer::verb;

template <verb What>
void administer(const request_context& asked) {
  if (!asked.reaches_store()) return;
  const auto kind = model::parse_plural(asked.parameter(0)).value();
  if (!asked.takes_body()) return;
  asked.forward(owner::administration,
                actors::administer{asked.exchange(), What, kind, asked.parameter(1), asked.body(),
                                   asked.author(), asked.ticket()});
}

} // namespace

bool is_element_kind(std::string_view text) noexcept {
  return model::parse_plural(text).has_value();
}

const operation_code codes::list_elements{list_elements_references, administer<verb::list>};
const operation_code codes::get_element{get_element_references, administer<verb::get>};
const operation_code codes::put_element{put_element_references, administer<verb::put>};
const operation_code codes::remove_element{remove_element_references, administer<verb::remove>};

} // namespace matchcloud::http
