#include "actors/administration/messages.hpp"
#include "http/front/front.hpp"
#include "http/operations/code.hpp"
#include "http/operations/list.hpp"
#include "http/wire/response.hpp"
#include "model/access/shown_token.hpp"
#include "model/access/token_kind.hpp"

namespace matchcloud::http {

namespace {

using base::errc;
using base::owner;

constexpr std::string_view example_members =
    R"("token_id":"6a0f7c52-91d4-4c7e-8a35-000000000002",)"
    R"("kind":"viewer","name":"dashboards","state":"active",)"
    R"("sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15)"
    R"(b0f00a08","created":"2026-11-23T00:00:00.000Z",)"
    R"("created_by":"local","expires":null,"revoked":null,)"
    R"("last_use":null})";
constexpr std::string_view example_begin = "{";
constexpr std::string_view new_example_begin =
    R"({"token":"mc_viewer_0000000000000000000000000000000000000000000000000",)";
constexpr auto token_example = joined<example_begin, example_members>;
constexpr auto new_token_example = joined<new_example_begin, example_members>;

std::vector<named_schema> token_schemas() {
  return {
      schema_of<model::new_token>(),
      one_of("TokenKind", model::token_kind_names, "What a token is for."),
      one_of("TokenState", model::token_state_names, "Whether a token works, or why not."),
      schema_of<model::token_limits>(),
      object(
          "TokenRotation",
          {{"grace_s", maybe({R"("type":"integer","minimum":0,"maximum":2592000,"default":86400)"}),
            "How many seconds the previous text still works."}}),
      schema_of<model::shown_token>(),
      named_schema{"IssuedToken",
                   R"({"allOf":[{"$ref":"#/components/schemas/Token"},{"type":"object",)"
                   R"("required":["token"],"properties":{"token":{"type":"string",)"
                   R"("pattern":"^mc_(admin|viewer|metrics|game|studio|player)_[0-9A-Za-z]{49})"
                   R"($",)"
                   R"("description":"The token's text. Store it: it is shown only once."}}}]})"},
      object("TokenList", {{"tokens", list_of(a("Token")), "All tokens."},
                           {"revision", count, "Increases with each change of a token."}})};
}

using token_verb = actors::token_request::verb;

template <token_verb What>
void ask_tokens(const request_context& asked) {
  if (!asked.reaches_store()) return;
  actors::token_request request{What};
  if (!asked.parameter(0).empty()) {
    const auto id = asked.id(0);
    if (!id) return;
    request.token_id = *id;
  }
  if (!asked.takes_body()) return;
  request.body = asked.body();
  asked.forward(owner::administration, actors::administer{asked.exchange(), std::move(request),
                                                          asked.author(), asked.ticket()});
}

} // namespace

const operation_code codes::list_tokens{
    [] {
      return operation_reference{
          .tag = "access",
          .summary = "List tokens",
          .description = "All tokens, including expired and revoked ones, without their texts.",
          .answers = {json_answer("The tokens.", a("TokenList"), R"({"tokens":[],"revision":0})")},
          .errors = {errc::store_newer},
          .schemas = token_schemas()};
    },
    ask_tokens<token_verb::list>};

const operation_code codes::create_token{
    [] {
      return operation_reference{
          .tag = "access",
          .summary = "Create a token",
          .description = "The answer contains the token's text, which is shown only once.",
          .body = {.schema = a("NewToken"),
                   .description = "What the token is for.",
                   .example = R"({"kind":"viewer","name":"dashboards"})"},
          .answers = {json_answer(201, "The token with its text.", a("IssuedToken"),
                                  new_token_example)},
          .errors = {errc::query_invalid, errc::too_many_tokens, errc::store_full,
                     errc::store_newer}};
    },
    ask_tokens<token_verb::create>};

const operation_code codes::get_token{
    [] {
      return operation_reference{.tag = "access",
                                 .summary = "Read a token",
                                 .description = "One token without its text.",
                                 .answers = {json_answer("The token.", a("Token"), token_example)},
                                 .errors = {errc::token_not_found, errc::store_newer}};
    },
    ask_tokens<token_verb::get>};

const operation_code codes::revoke_token{
    [] {
      return operation_reference{
          .tag = "access",
          .summary = "Revoke a token",
          .description = "The token is refused from now on. Revoking it again succeeds too.",
          .answers = {{204, "The token is revoked.", cache_control}},
          .errors = {errc::token_not_found, errc::store_full, errc::store_newer}};
    },
    ask_tokens<token_verb::revoke>};

const operation_code codes::rotate_token{
    [] {
      return operation_reference{
          .tag = "access",
          .summary = "Replace a token's text",
          .description = "The answer contains the new text, which is shown only once. The previous "
                         "text works for another `grace_s` seconds.",
          .body = {.schema = a("TokenRotation"),
                   .description = "How long the previous text works.",
                   .is_required = false,
                   .example = R"({"grace_s":3600})"},
          .answers = {json_answer("The token with its new text.", a("IssuedToken"),
                                  new_token_example)},
          .errors = {errc::query_invalid, errc::body_malformed, errc::body_too_deep,
                     errc::body_not_object, errc::token_not_found, errc::store_full,
                     errc::store_newer}};
    },
    ask_tokens<token_verb::rotate>};

} // namespace matchcloud::http
