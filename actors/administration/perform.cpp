#include "actors/administration/perform.hpp"

#include "actors/administration/log_levels.hpp"
#include "base/events/log.hpp"
#include "base/failure.hpp"
#include "model/catalog/catalog_element.hpp"
#include "store/housekeeping/housekeeper.hpp"

#include <functional>
#include <variant>

namespace matchcloud::actors {

namespace {

using base::value_of;
using call = administration_call;
using outcome = administration_outcome;
using model::run_of;

std::shared_ptr<const model::token_list> load_tokens(const call& in) {
  return value_of(value_of(in.with.database->access())->load_tokens());
}

const model::access_token& find_token(const model::token_list& all, const model::uuid& token_id) {
  if (const auto* one = all.find(token_id)) return *one;
  throw base::failure{model::no_such_token(token_id)};
}

outcome answer(const call& in, const element_request& request) {
  using verb = element_request::verb;
  const auto load = [&] { return value_of(value_of(in.with.database->catalog())->load()); };
  if (request.what == verb::list) return {200, render_elements(load(), request.kind)};
  const auto key = value_of(model::element_key::parse(request.kind, request.id));
  if (request.what == verb::get) return {200, render_element(value_of(find_element(load(), key)))};
  if (request.what == verb::put) {
    const auto element = value_of(parse_element(key, *request.body));
    return {put_element(in, element).added > 0 ? 201 : 200, render_element(element)};
  }
  remove_element(in, key);
  return {204};
}

outcome answer(const call& in, const token_request& request) {
  using verb = token_request::verb;
  const auto render = [&](const model::issued_token& made) {
    return render_new_token(made.token, made.text, in.now_ms);
  };
  switch (request.what) {
  case verb::list: return {200, render_tokens(*load_tokens(in), in.now_ms)};
  case verb::get: {
    const auto all = load_tokens(in);
    return {200, render_token(find_token(*all, request.token_id), in.now_ms)};
  }
  case verb::create: {
    const auto wanted = value_of(model::parse_new_token(*request.body, in.now_ms));
    return {201, render(create_token(in, wanted))};
  }
  case verb::rotate: {
    const auto grace_ms = value_of(model::parse_rotation(*request.body));
    return {200, render(rotate_token(in, request.token_id, grace_ms))};
  }
  case verb::revoke: revoke_token(in, request.token_id); break;
  }
  return {204};
}

outcome answer(const call& in, const model::audit_query& query) {
  return {200, render_page(value_of(value_of(in.with.database->audit())->read_audit(query)))};
}

outcome answer(const call& in, const kept_data_request& request) {
  using verb = kept_data_request::verb;
  outcome made;
  switch (request.what) {
  case verb::list_retention: return {200, store::json_of(retentions(in), in.with.history_kept)};
  case verb::list_erasures:
    return {200, model::to_json("erasures",
                                value_of(value_of(in.with.database->erasures())->erasures()))};
  case verb::erase_game: made.json = model::to_json(begin_erasure(in, request.game_id)); break;
  case verb::remove_avatar:
    if (const auto gone = remove_avatar(in, request.game_id, request.upload_id); !gone)
      base::log(base::log_event::image_kept, "avatars: {}", base::to_string(gone.error()));
    made.status = 204;
    break;
  }
  if (in.with.forget_avatars) in.with.forget_avatars();
  return made;
}

outcome answer(const call& in, const log_levels_request& request) {
  return {200, change_log_levels(in, *request.body)};
}

} // namespace

store::import_summary put_element(const call& in, const model::catalog_element& one) {
  return value_of(
      value_of(in.with.database->catalog(run_of(in.by)))->import_document(document_of(one)));
}

void remove_element(const call& in, const model::element_key& key) {
  value_of(value_of(in.with.database->catalog(run_of(in.by)))->remove(key));
}

model::issued_token create_token(const call& in, const model::new_token& wanted) {
  auto made = model::make_token(wanted, describe(in.by), in.now_ms);
  value_of(value_of(in.with.database->tokens(run_of(in.by)))->create_token(made.token));
  return made;
}

model::issued_token rotate_token(const call& in, const model::uuid& token_id,
                                 std::int64_t grace_ms) {
  const auto all = load_tokens(in);
  auto text = model::make_token_text(find_token(*all, token_id).what.kind);
  auto token = value_of(
      value_of(in.with.database->tokens(run_of(in.by)))
          ->rotate_token(token_id, model::digest_of(text), in.now_ms + grace_ms, in.now_ms));
  return {std::move(token), std::move(text)};
}

model::access_token revoke_token(const call& in, const model::uuid& token_id) {
  return value_of(
      value_of(in.with.database->tokens(run_of(in.by)))->revoke_token(token_id, in.now_ms));
}

std::vector<store::game_retention> retentions(const call& in) {
  const auto from = value_of(in.with.database->retention());
  auto all = value_of(store::retentions_at(*from, in.with.history_kept, in.now_ms));
  value_of(store::count_due(std::bind_front(&store::retention_store::count_expired, &*from), all));
  return all;
}

store::erasure begin_erasure(const call& in, const model::uuid& game_id) {
  return value_of(
      value_of(in.with.database->erasures(run_of(in.by)))->begin_erasure(game_id, in.now_ms));
}

base::expected<void> remove_avatar(const call& in, const model::uuid& game_id,
                                   const model::uuid& upload_id) {
  value_of(value_of(in.with.database->erasures(run_of(in.by)))->remove_avatar(game_id, upload_id));
  if (!in.with.images) return {};
  return store::remove_images_of(*in.with.database, *in.with.images, upload_id);
}

administration_outcome perform(const call& in, const administrative_request& request) {
  return std::visit([&](const auto& one) { return answer(in, one); }, request);
}

} // namespace matchcloud::actors
