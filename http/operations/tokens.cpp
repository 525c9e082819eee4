#include "http/operations/tokens.hpp"

#include "actors/administration/messages.hpp"
#include "http/front/request_context.hpp"
#include "http/operations/code.hpp"
#include "model/access/access_token.hpp"
#include "model/access/token_kind.hpp"

#include <array>

namespace matchcloud::http {

namespace {

using base::errc;
using base::owner;

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

constexpr std::array token_schemas{
    named_schema{"NewToken", R"({
      "type": "object", "additionalProperties": false, "required": ["kind", "name"],
      "properties": {
        "kind": {"$ref": "#/components/schemas/TokenKind", "description": "What it is for."},
        "name": {"type": "string", "minLength": 1, "maxLength": 64,
          "description": "Who will use it."},
        "game_id": {"type": "string", "format": "uuid",
          "description": "The game of a game token."},
        "namespace_id": {"type": "string", "format": "uuid",
          "description": "The namespace of a player token."},
        "expires": {"type": "string", "format": "date-time",
          "description": "When it expires; absent: never."},
        "expires_in_s": {"type": "integer", "minimum": 1,
          "description": "Seconds from now, instead of `expires`."},
        "limits": {"$ref": "#/components/schemas/TokenLimits",
          "description": "Its own rate limits."}}
    })"},
    named_schema{"TokenKind", R"({"description": "What a token is for."})",
                 model::token_kind_names},
    named_schema{"TokenState", R"({"description": "Whether a token works, or why not."})",
                 model::token_state_names},
    named_schema{"TokenLimits", R"({
      "type": "object", "additionalProperties": false,
      "description": "Limits instead of the service's: `QUOTA/SECONDS` or `off`.",
      "properties": {
        "cheap": {"type": "string", "pattern": "^([0-9]+/[0-9]+|off)$",
          "description": "For cheap operations, such as `100/10`."},
        "expensive": {"type": "string", "pattern": "^([0-9]+/[0-9]+|off)$",
          "description": "For expensive operations, such as exports."}}
    })"},
    named_schema{"TokenRotation", R"({
      "type": "object", "additionalProperties": false,
      "properties": {
        "grace_s": {"type": "integer", "minimum": 0, "maximum": 2592000, "default": 86400,
          "description": "How many seconds the previous text still works."}}
    })"},
    named_schema{"Token", R"({
      "type": "object",
      "required": ["token_id", "kind", "name", "state", "sha256", "created", "created_by",
        "expires", "revoked", "last_use"],
      "properties": {
        "token_id": {"type": "string", "format": "uuid", "description": "The token's id."},
        "kind": {"$ref": "#/components/schemas/TokenKind", "description": "What it is for."},
        "name": {"type": "string", "description": "Who uses it."},
        "state": {"$ref": "#/components/schemas/TokenState",
          "description": "Whether it works, or why not."},
        "game_id": {"type": "string", "format": "uuid",
          "description": "The game of a game token."},
        "namespace_id": {"type": "string", "format": "uuid",
          "description": "The namespace of a player token."},
        "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$",
          "description": "The SHA-256 of its text."},
        "created": {"type": "string", "format": "date-time",
          "description": "When it was created."},
        "created_by": {"type": "string", "description": "Who created it."},
        "expires": {"type": ["string", "null"], "format": "date-time",
          "description": "When it expires; null: never."},
        "revoked": {"type": ["string", "null"], "format": "date-time",
          "description": "When it was revoked; null: never."},
        "last_use": {"type": ["string", "null"], "format": "date-time",
          "description": "When it was last used; null: never."},
        "former_works_until": {"type": "string", "format": "date-time",
          "description": "When its previous text stops working after a rotation."},
        "limits": {"$ref": "#/components/schemas/TokenLimits",
          "description": "Its own rate limits; absent: the service's."}}
    })"},
    named_schema{"IssuedToken", R"({
      "allOf": [{"$ref": "#/components/schemas/Token"}, {
        "type": "object", "required": ["token"],
        "properties": {
          "token": {"type": "string",
            "pattern": "^mc_(admin|viewer|metrics|game|studio|player)_[0-9A-Za-z]{49}$",
            "description": "The token's text. Store it: it is shown only once."}}}]
    })"},
    named_schema{"TokenList", R"({
      "type": "object", "additionalProperties": false, "required": ["tokens", "revision"],
      "properties": {
        "tokens": {"type": "array", "items": {"$ref": "#/components/schemas/Token"},
          "description": "All tokens."},
        "revision": {"type": "integer", "minimum": 0,
          "description": "Increases with each change of a token."}}
    })"},
};

using token_verb = actors::administer_tokens::verb;

template <token_verb What>
void ask_tokens(const request_context& asked) {
  if (!asked.reaches_store()) return;
  actors::administer_tokens message{asked.exchange(), What};
  if (!asked.parameter(0).empty()) {
    const auto id = asked.id(0);
    if (!id) return;
    message.token_id = *id;
  }
  if (!asked.takes_body()) return;
  message.body = asked.body();
  message.by = asked.author();
  message.ticket = asked.ticket();
  asked.forward(owner::administration, std::move(message));
}

} // namespace

const operation_code codes::list_tokens{
    [] {
      return operation_references{operation_reference{
          .tag = "access",
          .summary = "List tokens",
          .description = "All tokens, including expired and revoked ones, without their texts.",
          .answers = {{200, "The tokens.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/TokenList"})",
                       R"({"tokens":[],"revision":0})"}},
          .errors = {errc::store_failed, errc::store_newer},
          .schemas = token_schemas}};
    },
    ask_tokens<token_verb::list>};

const operation_code codes::create_token{
    [] {
      return operation_references{operation_reference{
          .tag = "access",
          .summary = "Create a token",
          .description = "The answer contains the token's text, which is shown only once.",
          .body = {.schema = R"({"$ref":"#/components/schemas/NewToken"})",
                   .description = "What the token is for.",
                   .example = R"({"kind":"viewer","name":"dashboards"})"},
          .answers = {{201, "The token with its text.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/IssuedToken"})", new_token_example}},
          .errors = {errc::query_invalid, errc::too_many_tokens, errc::store_failed,
                     errc::store_full, errc::store_newer}}};
    },
    ask_tokens<token_verb::create>};

const operation_code codes::get_token{
    [] {
      return operation_references{operation_reference{
          .tag = "access",
          .summary = "Read a token",
          .description = "One token without its text.",
          .answers = {{200, "The token.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/Token"})", token_example}},
          .errors = {errc::token_not_found, errc::store_failed, errc::store_newer}}};
    },
    ask_tokens<token_verb::get>};

const operation_code codes::revoke_token{
    [] {
      return operation_references{operation_reference{
          .tag = "access",
          .summary = "Revoke a token",
          .description = "The token is refused from now on. Revoking it again succeeds too.",
          .answers = {{204, "The token is revoked.", cache_control}},
          .errors = {errc::token_not_found, errc::store_failed, errc::store_full,
                     errc::store_newer}}};
    },
    ask_tokens<token_verb::revoke>};

const operation_code codes::rotate_token{
    [] {
      return operation_references{operation_reference{
          .tag = "access",
          .summary = "Replace a token's text",
          .description = "The answer contains the new text, which is shown only once. The previous "
                         "text works for another `grace_s` seconds.",
          .body = {.schema = R"({"$ref":"#/components/schemas/TokenRotation"})",
                   .description = "How long the previous text works.",
                   .is_required = false,
                   .example = R"({"grace_s":3600})"},
          .answers = {{200, "The token with its new text.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/IssuedToken"})", new_token_example}},
          .errors = {errc::query_invalid, errc::body_malformed, errc::body_too_deep,
                     errc::body_not_object, errc::token_not_found, errc::store_failed,
                     errc::store_full, errc::store_newer}}};
    },
    ask_tokens<token_verb::rotate>};

} // namespace matchcloud::http
