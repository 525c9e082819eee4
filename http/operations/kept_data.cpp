#include "actors/administration/messages.hpp"
#include "http/front/front.hpp"
#include "http/operations/code.hpp"
#include "http/operations/list.hpp"
#include "store/housekeeping/retention.hpp"

namespace matchcloud::http {

namespace {

using base::errc;
using base::owner;
using kept_data_verb = actors::kept_data_request::verb;

constexpr std::string_view erasure_example =
    R"({"game_id":"00000000-0000-4000-8000-000000000001","begun":"2026-11-26T12:00:00.000Z",)"
    R"("finished":null,"lobbies":120000,"avatars":5,"exports":1,"tokens":2})";

std::vector<named_schema> kept_data_schemas() {
  return {schema_of<store::erasure>(),
          object("ErasureList",
                 {{"erasures", list_of(a("Erasure")), "Games that are being or were erased."}}),
          object("Retention", {{"retention_days",
                                {R"("type":"integer","minimum":0,"maximum":36500)"},
                                "The configured days, for games without their own; 0: forever."},
                               {"games", list_of(a("GameRetention")), "All games."}}),
          schema_of<store::game_retention>()};
}

template <kept_data_verb What>
void ask_kept_data(const request_context& asked) {
  if (!asked.reaches_store()) return;
  actors::kept_data_request request{What};
  if constexpr (What == kept_data_verb::erase_game || What == kept_data_verb::remove_avatar) {
    const auto game_id = asked.id(0);
    if (!game_id) return;
    request.game_id = *game_id;
  }
  if constexpr (What == kept_data_verb::remove_avatar) {
    const auto upload_id = asked.id(1);
    if (!upload_id) return;
    request.upload_id = *upload_id;
  }
  asked.forward(owner::administration,
                actors::administer{asked.exchange(), request, asked.author(), asked.ticket()});
}

} // namespace

const operation_code codes::erase_game{
    [] {
      return operation_reference{
          .tag = "catalog",
          .summary = "Erase a game with all its data",
          .description =
              "Erases the game, its namespaces, its tokens, its avatars with their images, its "
              "exports and its whole lobby history. The game leaves the catalog at once, and none "
              "of its data can be downloaded. The rest is removed in the background, even after a "
              "restart. This cannot be undone, and the ids are never used again. Repeat the "
              "request to see its progress.",
          .answers = {json_answer("The erasure has begun; its progress.", a("Erasure"),
                                  erasure_example)},
          .errors = {errc::game_not_found, errc::store_full, errc::store_newer},
          .schemas = kept_data_schemas()};
    },
    ask_kept_data<kept_data_verb::erase_game>};

const operation_code codes::list_erasures{
    [] {
      return operation_reference{
          .tag = "catalog",
          .summary = "List erasures of games and their progress",
          .description = "All erasures that ever began, newest first.",
          .answers = {json_answer("The erasures.", a("ErasureList"), R"({"erasures":[]})")},
          .errors = {errc::store_newer}};
    },
    ask_kept_data<kept_data_verb::list_erasures>};

const operation_code codes::remove_avatar{
    [] {
      return operation_reference{
          .tag = "catalog",
          .summary = "Remove one avatar",
          .description =
              "The avatar leaves its game's list, and its image can no longer be downloaded: from "
              "this process at once, from other processes on the store within a second.",
          .answers = {{204, "The avatar was removed.", cache_control}},
          .errors = {errc::avatar_not_found, errc::store_full, errc::store_newer}};
    },
    ask_kept_data<kept_data_verb::remove_avatar>};

const operation_code codes::list_retention{
    [] {
      return operation_reference{
          .tag = "lobbies",
          .summary = "Show how long history is kept, and what is due",
          .description =
              "For each game: how long lobbies are kept after they stop, when its complete history "
              "begins, and how many lobbies expire next.",
          .answers = {json_answer("All games.", a("Retention"),
                                  R"({"retention_days":0,"games":[]})")},
          .errors = {errc::store_newer}};
    },
    ask_kept_data<kept_data_verb::list_retention>};

} // namespace matchcloud::http
