#include "actors/administration/messages.hpp"
#include "http/front/front.hpp"
#include "http/operations/code.hpp"
#include "http/operations/list.hpp"

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

/// What distinguishes the operations on one kind of catalog elements.
struct element_reference {
  std::string_view list_name, get_name, put_name, remove_name;
  std::string_view list_path, path;
  std::string_view one, many;
  schema_type list_schema, schema, put_schema;
  std::string_view example, list_example;
  bool needs_body = true;
  /// Whether other elements refer to such elements.
  bool is_referred = true;
};

constexpr std::array elements{
    element_reference{"list_games", "get_game", "put_game", "remove_game", "/v1/games",
                      "/v1/games/{game_id}", "game", "games", a("GameList"), a("Game"),
                      a("NewGame"), game_example, R"({"games":[],"revision":1})"},
    element_reference{"list_namespaces", "get_namespace", "put_namespace", "remove_namespace",
                      "/v1/namespaces", "/v1/namespaces/{namespace_id}", "namespace", "namespaces",
                      a("NamespaceList"), a("Namespace"), a("NewNamespace"), namespace_example,
                      R"({"namespaces":[],"revision":1})", true, false},
    element_reference{"list_region_elements", "get_region", "put_region", "remove_region",
                      "/v1/regions", "/v1/regions/{region_id}", "region", "regions",
                      a("RegionList"), a("Region"), a("NewRegion"), region_example,
                      R"({"regions":[],"revision":1})"},
    element_reference{"list_tiers",
                      "get_tier",
                      "put_tier",
                      "remove_tier",
                      "/v1/tiers",
                      "/v1/tiers/{tier}",
                      "tier",
                      "tiers",
                      a("TierList"),
                      text,
                      {R"("type":["string","object"])"},
                      tier_example,
                      R"({"tiers":["basic-1d1"],"revision":1})",
                      false,
                      false},
};

std::vector<named_schema> element_schemas() {
  constexpr model::property revision{"revision", count,
                                     "Increases with each change of the catalog."};
  constexpr model::property owner_game{"game_id", uuid, "The game that it belongs to."};
  constexpr model::property domains{"domains", maybe(list_of(text)),
                                    "Host names whose pages list its regions."};
  constexpr model::property regions{"regions", maybe(list_of(text)),
                                    "The ids of the regions that it may use; absent: all."};
  return {
      object("Game", {{"game_id", uuid, "The game's id."},
                      {"display_name", text, "The name that people see."},
                      {"retention_days", maybe({R"("type":"integer","minimum":0,"maximum":36500)"}),
                       "Days that lobbies are kept; 0: forever; absent: as configured."}}),
      object("NewGame",
             {{"game_id", maybe(uuid), "The game's id, as in the path."},
              {"display_name", some_text, "The name that people see."},
              {"retention_days", maybe({R"("type":"integer","minimum":0,"maximum":36500)"}),
               "Days to keep lobbies; 0: forever; absent: as configured."}}),
      object("GameList", {{"games", list_of(a("Game")), "In the order of their ids."}, revision}),
      object("Namespace", {{"namespace_id", uuid, "The namespace's id."},
                           owner_game,
                           {"name", text, "Its name, such as `prod`."},
                           domains,
                           regions}),
      object("NewNamespace", {{"namespace_id", maybe(uuid), "The namespace's id, as in the path."},
                              owner_game,
                              {"name", some_text, "Its name, such as `prod`."},
                              domains,
                              regions}),
      object("NamespaceList",
             {{"namespaces", list_of(a("Namespace")), "In the order of their ids."}, revision}),
      object("Region",
             {region_id_member,
              region_name_member,
              provider_name_member,
              datacenter_member,
              {"ping_url", maybe(url), "The https URL by which the console measures latency."}}),
      object("NewRegion",
             {{"region_id", maybe({R"("type":"string","pattern":"^[a-z0-9-]{1,32}$")"}),
               "The region's id, as in the path."},
              {"region_display_name", some_text, "The name that people see."},
              {"provider_display_name", some_text,
               "The name of the company that runs the datacenter."},
              datacenter_member,
              {"ping_url", maybe({R"("type":"string","format":"uri","maxLength":2048)"}),
               "The https URL by which the console measures latency."}}),
      object("RegionList",
             {{"regions", list_of(a("Region")), "In the order of their ids."}, revision}),
      object("TierList",
             {{"tiers", list_of(text), "The sizes of game servers, in the order of their names."},
              revision})};
}

operation_references list_elements_references() {
  operation_references all;
  for (const auto& of : elements)
    all.push_back({.name = of.list_name,
                   .path = of.list_path,
                   .tag = "catalog",
                   .summary = "List elements of the catalog",
                   .description =
                       "All elements of this kind, in the order of their ids. `revision` "
                       "increases with each change of the catalog.",
                   .answers = {json_answer("The elements.", of.list_schema, of.list_example)},
                   .errors = {errc::store_newer},
                   .schemas = element_schemas()});
  return all;
}

operation_references get_element_references() {
  operation_references all;
  for (const auto& of : elements)
    all.push_back({.name = of.get_name,
                   .path = of.path,
                   .tag = "catalog",
                   .summary = "Read one element",
                   .description = "One element of the catalog.",
                   .answers = {json_answer("The element.", of.schema, of.example)},
                   .errors = {errc::element_not_found, errc::id_malformed, errc::store_newer}});
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
             "Adds the element or replaces it completely, in one transaction with an entry in "
             "the audit log. The body may leave out the id.",
         .body = {.schema = of.put_schema,
                  .description = "The element.",
                  .is_required = of.needs_body,
                  .has_own_errors = true,
                  .example = of.example},
         .answers = {json_answer("The element was replaced.", of.schema, of.example),
                     json_answer(201, "The element was added.", of.schema, of.example)},
         .errors = {errc::id_malformed, errc::import_invalid, errc::store_full,
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
                   .description = "Hides the element but keeps it for history. Refused while other "
                                  "elements refer to it.",
                   .answers = {{204, "The element was removed.", cache_control}},
                   .errors = {errc::element_not_found, errc::id_malformed, errc::store_full,
                              errc::store_newer}});
    if (of.is_referred) all.back().errors.push_back(errc::still_referred);
  }
  return all;
}

using element_verb = actors::element_request::verb;

template <element_verb What>
void ask_elements(const request_context& asked) {
  if (!asked.reaches_store()) return;
  const auto kind = model::parse_plural(asked.parameter(0)).value();
  if (!asked.takes_body()) return;
  asked.forward(owner::administration,
                actors::administer{asked.exchange(),
                                   actors::element_request{
                                       What, kind, std::string{asked.parameter(1)}, asked.body()},
                                   asked.author(), asked.ticket()});
}

} // namespace

bool is_element_kind(std::string_view text) noexcept {
  return model::parse_plural(text).has_value();
}

const operation_code codes::list_elements{list_elements_references,
                                          ask_elements<element_verb::list>};
const operation_code codes::get_element{get_element_references, ask_elements<element_verb::get>};
const operation_code codes::put_element{put_element_references, ask_elements<element_verb::put>};
const operation_code codes::remove_element{remove_element_references,
                                           ask_elements<element_verb::remove>};

} // namespace matchcloud::http
