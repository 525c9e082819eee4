#include "actors/avatar/messages.hpp"
#include "actors/media/messages.hpp"
#include "http/front/front.hpp"
#include "http/operations/code.hpp"
#include "http/operations/file_reference.hpp"
#include "http/operations/list.hpp"

namespace matchcloud::http {

namespace {

using base::errc;
using base::owner;

std::vector<named_schema> avatar_schemas() {
  return {object("AvatarList", {{"custom_avatars", list_of(a("Avatar")),
                                 "The game's avatars, the newest first."}}),
          object("Avatar",
                 {{"upload_id", uuid, "The avatar's id."},
                  {"display_name", text, "The name that people see."},
                  {"create_ts", moment, "When the upload began."},
                  {"content_length", unsigned_64, "The size in bytes that the uploader declared."},
                  {"complete", flag, "Whether the upload is complete."},
                  {"url", maybe(url), "The image; absent while it is not complete."}})};
}

void ask_avatars(const request_context& asked) {
  const auto game_id = asked.id(0);
  if (!game_id) return;
  asked.forward(owner::avatar, actors::list_avatars{asked.exchange(), *game_id, asked.ticket()});
}

void open_image(const request_context& asked) {
  const auto upload_id = asked.id(0);
  if (!upload_id) return;
  const auto name = model::parse_image_name(asked.parameter(1));
  if (!name)
    return asked.refuse(
        {errc::media_not_found,
         "This is not an image's name, which is 32 lower-case hexadecimal digits and .png or "
         ".jpg. Use the whole url of an avatar in the game's list."});
  asked.forward(owner::media,
                actors::open_media{asked.exchange(), {*upload_id, *name}, asked.ticket()});
}

} // namespace

const operation_code codes::list_avatars{
    [] {
      return operation_reference{
          .tag = "avatars",
          .summary = "List a game's custom avatars",
          .description = "All avatars without paging, newest `create_ts` first, then by "
                         "`upload_id`. Only complete ones have a `url`.",
          .answers = {{200,
                       "The avatars.",
                       {},
                       json_type,
                       a("AvatarList"),
                       R"({"custom_avatars":[{)"
                       R"("upload_id":"00000000-0000-4000-8000-000000000105",)"
                       R"("display_name":"Ember Lynx",)"
                       R"("create_ts":"2026-01-23T00:00:00.001Z","content_length":1999999,)"
                       R"("complete":false}]})"}},
          .errors = {errc::game_not_found, errc::list_too_large},
          .schemas = avatar_schemas()};
    },
    ask_avatars};

const operation_code codes::list_game_avatars{
    [] {
      return operation_reference{
          .tag = "players",
          .summary = "List a game's custom avatars",
          .description = "The same list as on the data plane.",
          .answers = {json_answer("The avatars.", a("AvatarList"), R"({"custom_avatars":[]})")},
          .errors = {errc::game_not_found, errc::list_too_large}};
    },
    ask_avatars};

const operation_code codes::download_media{
    [] {
      auto made = file_reference(rows::download_media, "avatars", "Download an avatar's image");
      made.description =
          "A name always refers to the same image, so the answer may be cached forever. "
          "Use the whole URL from the list of avatars.";
      made.errors.push_back(errc::media_not_found);
      return made;
    },
    open_image};

const operation_code codes::get_image{
    [] {
      auto made = file_reference(rows::get_image, "players", "Read an avatar's image");
      made.description = "The image, for operators. Caches must not keep it.";
      made.answers.pop_back(); // it never redirects
      made.errors.push_back(errc::media_not_found);
      return made;
    },
    open_image};

} // namespace matchcloud::http
