#include "actors/validator/messages.hpp"
#include "http/front/front.hpp"
#include "http/operations/code.hpp"
#include "http/operations/list.hpp"
#include "model/text/violation.hpp"
#include "model/validation/schema.hpp"

#include <array>

namespace matchcloud::http {

namespace {

using base::errc;
using base::owner;

std::vector<named_schema> validation_schemas() {
  return {object("Findings", {{"errors", list_of(a("Finding")),
                               "In the order of the payload; empty: it is valid."}}),
          object("Finding",
                 {{"path", list_of(text),
                   "The names of members and the positions in arrays that lead there."},
                  {"code", a("FindingCode"), "A stable name for what is wrong."},
                  {"message", text, "What was found, and what to write instead."}},
                 "Something to change in the payload."),
          one_of("FindingCode", model::finding_codes, "What is wrong with a payload.")};
}

operation_reference validation_reference(std::string_view summary, schema_type schema,
                                         std::string_view example) {
  return {.tag = "validation",
          .summary = summary,
          .description =
              "Returns 200 whether or not the payload is valid: an empty list of `errors` "
              "means that it is. All findings are listed at once, each with its path, a stable "
              "code and what to write instead.",
          .body = {.schema = schema, .description = "The payload to check.", .example = example},
          .answers = {{200, "The findings.", {}, json_type, a("Findings"), R"({"errors":[]})"}},
          .schemas = validation_schemas()};
}

/// What distinguishes the operations on the ops plane for one kind of payload.
struct payload_reference {
  std::string_view validate_name, schema_name, validate_path, schema_path;
  schema_type schema;
  std::string_view example;
};

constexpr std::array payloads{
    payload_reference{"validate_version", "get_version_schema", "/v1/validate/version",
                      "/v1/schema/version", a("GameVersionPayload"),
                      R"({"display_name":"1.0.1","config":{"matchmaker":{"max_players":8}}})"},
    payload_reference{"validate_game", "get_game_schema", "/v1/validate/game", "/v1/schema/game",
                      a("GamePayload"), R"({"display_name":"My game"})"},
    payload_reference{"validate_group", "get_group_schema", "/v1/validate/group",
                      "/v1/schema/group", a("GroupPayload"), R"({"display_name":"Raiders"})"},
};

operation_references payload_references() {
  operation_references all;
  for (const auto& of : payloads)
    all.push_back({.name = of.validate_name,
                   .path = of.validate_path,
                   .tag = "validation",
                   .summary = "Validate a payload",
                   .description =
                       "As on the data plane, for operators. For a version, no game has to "
                       "exist.",
                   .body = {.schema = of.schema,
                            .description = "The payload to check.",
                            .example = of.example},
                   .answers = {json_answer("The findings.", a("Findings"), R"({"errors":[]})")}});
  return all;
}

operation_references schema_references() {
  operation_references all;
  for (const auto& of : payloads)
    all.push_back({.name = of.schema_name,
                   .path = of.schema_path,
                   .tag = "validation",
                   .summary = "The JSON Schema of a payload",
                   .description = "JSON Schema 2020-12 with the limits in force and the names of "
                                  "the catalog, as `matchcloud schema` prints it.",
                   .answers = {json_answer(
                       "The schema.", {R"("type":"object","description":"A JSON Schema.")"})}});
  return all;
}

/// `game_id`: the game that must exist.
void validate(const request_context& asked, model::payload_kind kind,
              const std::optional<model::uuid>& game_id = std::nullopt) {
  if (!asked.takes_body()) return;
  const bool is_large = asked.request().body.size() > actors::large_body_bytes;
  asked.forward(
      is_large ? owner::large_validator : owner::validator,
      actors::validate_payload{asked.exchange(), kind, game_id, asked.body(), asked.ticket()});
}

} // namespace

bool is_payload_kind(std::string_view text) noexcept {
  return model::parse_payload_kind(text).has_value();
}

const operation_code codes::validate_version{
    [] {
      auto made =
          validation_reference("Validate a game version", a("GameVersionPayload"),
                               R"({"display_name":"1.0.1","config":{"matchmaker":{"max_players":8,)"
                               R"("game_modes":{"duel":{"max_players":2}}}}})");
      made.errors = {errc::game_not_found};
      return made;
    },
    [](const request_context& asked) {
      if (const auto game_id = asked.id(0)) validate(asked, model::payload_kind::version, game_id);
    }};

const operation_code codes::validate_game{
    [] {
      return validation_reference("Validate a game", a("GamePayload"),
                                  R"({"display_name":"My game"})");
    },
    [](const request_context& asked) { validate(asked, model::payload_kind::game); }};

const operation_code codes::validate_group{
    [] {
      return validation_reference("Validate a group", a("GroupPayload"),
                                  R"({"display_name":"Raiders"})");
    },
    [](const request_context& asked) { validate(asked, model::payload_kind::group); }};

const operation_code codes::validate_payload{
    payload_references, [](const request_context& asked) {
      validate(asked, *model::parse_payload_kind(asked.parameter(0)));
    }};

const operation_code codes::get_schema{
    schema_references, [](const request_context& asked) {
      asked.forward(owner::validator,
                    actors::print_schema{asked.exchange(),
                                         *model::parse_payload_kind(asked.parameter(0)),
                                         asked.ticket()});
    }};

} // namespace matchcloud::http
