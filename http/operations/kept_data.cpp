#include "http/operations/kept_data.hpp"

#include "actors/administration/messages.hpp"
#include "http/front/request_context.hpp"
#include "http/operations/code.hpp"

#include <array>

namespace matchcloud::http {

namespace {

using base::errc;
using base::owner;
using kept_data_verb = actors::administer_data::verb;

constexpr std::string_view erasure_example =
    R"({"game_id":"00000000-0000-4000-8000-000000000001","begun":"2026-11-26T12:00:00.000Z",)"
    R"("finished":null,"lobbies":120000,"avatars":5,"exports":1,"tokens":2})";

constexpr std::array kept_data_schemas{
    named_schema{"Erasure", R"({
      "type": "object", "additionalProperties": false,
      "required": ["game_id", "begun", "finished", "lobbies", "avatars", "exports", "tokens"],
      "properties": {
        "game_id": {"type": "string", "format": "uuid", "description": "The game's id."},
        "begun": {"type": "string", "format": "date-time", "description": "When it began."},
        "finished": {"type": ["string", "null"], "format": "date-time",
          "description": "When it ended; null while something is left."},
        "lobbies": {"type": "integer", "minimum": 0, "description": "Lobbies removed so far."},
        "avatars": {"type": "integer", "minimum": 0, "description": "Avatars removed so far."},
        "exports": {"type": "integer", "minimum": 0, "description": "Exports removed so far."},
        "tokens": {"type": "integer", "minimum": 0, "description": "Tokens revoked so far."}}
    })"},
    named_schema{"ErasureList", R"({
      "type": "object", "additionalProperties": false, "required": ["erasures"],
      "properties": {
        "erasures": {"type": "array", "items": {"$ref": "#/components/schemas/Erasure"},
          "description": "Games that are being or were erased."}}
    })"},
    named_schema{"Retention", R"({
      "type": "object", "additionalProperties": false, "required": ["retention_days", "games"],
      "properties": {
        "retention_days": {"type": "integer", "minimum": 0, "maximum": 36500,
          "description": "The configured days, for games without their own; 0: forever."},
        "games": {"type": "array", "items": {"$ref": "#/components/schemas/GameRetention"},
          "description": "All games."}}
    })"},
    named_schema{"GameRetention", R"({
      "type": "object", "additionalProperties": false,
      "required": ["game_id", "retention_days", "complete_from", "due"],
      "properties": {
        "game_id": {"type": "string", "format": "uuid", "description": "The game's id."},
        "retention_days": {"type": "integer", "minimum": 0, "maximum": 36500,
          "description": "Days that its lobbies are kept after they stop; 0: forever."},
        "complete_from": {"type": ["string", "null"], "format": "date-time",
          "description": "When its complete history begins; null: nothing has expired."},
        "due": {"type": "integer", "minimum": 0, "maximum": 10000000,
          "description": "Lobbies that expire within the hour; counted up to 10,000,000."}}
    })"},
};

template <kept_data_verb What>
void ask_kept_data(const request_context& asked) {
  if (!asked.reaches_store()) return;
  actors::administer_data message{asked.exchange(), What};
  if constexpr (What == kept_data_verb::erase_game || What == kept_data_verb::remove_avatar) {
    const auto game_id = asked.id(0);
    if (!game_id) return;
    message.game_id = *game_id;
    message.by = asked.author();
  }
  if constexpr (What == kept_data_verb::remove_avatar) {
    const auto upload_id = asked.id(1);
    if (!upload_id) return;
    message.upload_id = *upload_id;
  }
  message.ticket = asked.ticket();
  asked.forward(owner::administration, std::move(message));
}

} // namespace

const operation_code codes::erase_game{
    [] {
      return operation_references{operation_reference{
          .tag = "catalog",
          .summary = "Erase a game with all its data",
          .description =
              "Erases the game, its namespaces, its tokens, its avatars with their images, its "
              "exports and its whole lobby history. The game leaves the catalog at once, and none "
              "of its data can be downloaded. The rest is removed in the background, even after a "
              "restart. This cannot be undone, and the ids are never used again. Repeat the "
              "request to see its progress.",
          .answers = {{200, "The erasure has begun; its progress.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/Erasure"})", erasure_example}},
          .errors = {errc::game_not_found, errc::id_malformed, errc::store_failed, errc::store_full,
                     errc::store_newer},
          .schemas = kept_data_schemas}};
    },
    ask_kept_data<kept_data_verb::erase_game>};

const operation_code codes::list_erasures{
    [] {
      return operation_references{operation_reference{
          .tag = "catalog",
          .summary = "List erasures of games and their progress",
          .description = "All erasures that ever began, newest first.",
          .answers = {{200, "The erasures.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/ErasureList"})", R"({"erasures":[]})"}},
          .errors = {errc::store_failed, errc::store_newer}}};
    },
    ask_kept_data<kept_data_verb::list_erasures>};

const operation_code codes::remove_avatar{
    [] {
      return operation_references{operation_reference{
          .tag = "catalog",
          .summary = "Remove one avatar",
          .description =
              "The avatar leaves its game's list, and its image can no longer be downloaded: from "
              "this process at once, from other processes on the store within a second.",
          .answers = {{204, "The avatar was removed.", cache_control}},
          .errors = {errc::avatar_not_found, errc::id_malformed, errc::store_failed,
                     errc::store_full, errc::store_newer}}};
    },
    ask_kept_data<kept_data_verb::remove_avatar>};

const operation_code codes::list_retention{
    [] {
      return operation_references{operation_reference{
          .tag = "lobbies",
          .summary = "Show how long history is kept, and what is due",
          .description =
              "For each game: how long lobbies are kept after they stop, when its complete history "
              "begins, and how many lobbies expire next.",
          .answers = {{200, "All games.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/Retention"})",
                       R"({"retention_days":0,"games":[]})"}},
          .errors = {errc::store_failed, errc::store_newer}}};
    },
    ask_kept_data<kept_data_verb::list_retention>};

} // namespace matchcloud::http
