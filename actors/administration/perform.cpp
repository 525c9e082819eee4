#include "actors/administration/perform.hpp"

#include "actors/administration/log_levels.hpp"
#include "base/events/log.hpp"
#include "base/failure.hpp"
#include "model/access/new_token.hpp"
#include "model/audit/audit_record.hpp"
#include "model/catalog/catalog_element.hpp"
#include "store/housekeeping/housekeeper.hpp"
#include "store/housekeeping/retention.hpp"

#include <functional>
#include <utility>
#include <variant>

namespace matchcloud::actors {

namespace {

using base::value_of;
using model::run_of;
using call = administration_call;
using outcome = administration_outcome;

std::vector<store::game_retention> retentions(const call& in) {
  const auto from = value_of(in.with.database->retention());
  auto all = value_of(store::retentions_at(*from, in.with.history_kept, in.now_ms));
  value_of(store::count_due(std::bind_front(&store::retention_store::count_expired, &*from), all));
  return all;
}

/// Removes an avatar from its game and then its image. Housekeeping removes an image that is left.
void remove_avatar(const call& in, const kept_data_request& what) {
  auto& of = *in.with.database;
  value_of(value_of(of.erasures(run_of(in.by)))->remove_avatar(what.game_id, what.upload_id));
  if (!in.with.images) return;
  if (const auto gone = store::remove_images_of(of, *in.with.images, what.upload_id); !gone)
    base::log(base::log_event::image_kept, "avatars: {}", base::to_string(gone.error()));
}

model::issued_token create_token(const call& in, const model::new_token& wanted) {
  auto made = model::make_token(wanted, describe(in.by), in.now_ms);
  value_of(value_of(in.with.database->tokens(run_of(in.by)))->create_token(made.token));
  return made;
}

model::issued_token rotate_token(const call& in, const model::uuid& token_id,
                                 std::int64_t grace_ms) {
  const auto all = value_of(value_of(in.with.database->access())->load_tokens());
  const auto* known = all->find(token_id);
  if (known == nullptr) throw base::failure{model::no_such_token(token_id)};
  auto text = model::make_token_text(known->what.kind);
  auto token = value_of(
      value_of(in.with.database->tokens(run_of(in.by)))
          ->rotate_token(token_id, model::digest_of(text), in.now_ms + grace_ms, in.now_ms));
  return {std::move(token), std::move(text)};
}

outcome perform(const call& in, const element_request& request) {
  using verb = element_request::verb;
  auto& of = *in.with.database;
  const auto load = [&] { return value_of(value_of(of.catalog())->load()); };
  const auto change = [&] { return value_of(of.catalog(run_of(in.by))); };
  if (request.what == verb::list) return {200, render_elements(load(), request.kind)};
  const auto key = value_of(model::element_key::parse(request.kind, request.id));
  if (request.what == verb::get) return {200, render_element(value_of(find_element(load(), key)))};
  if (request.what == verb::put) {
    const auto element = value_of(parse_element(key, *request.body));
    const auto done = value_of(change()->import_document(document_of(element)));
    return {done.added > 0 ? 201 : 200, render_element(element), done.changed};
  }
  value_of(change()->remove(key));
  return {204, {}};
}

outcome perform(const call& in, const token_request& request) {
  using verb = token_request::verb;
  auto& of = *in.with.database;
  const auto load = [&] { return value_of(value_of(of.access())->load_tokens()); };
  const auto render = [&](const model::issued_token& made) {
    return render_new_token(made.token, made.text, in.now_ms);
  };
  switch (request.what) {
  case verb::list: return {200, render_tokens(*load(), in.now_ms)};
  case verb::get: {
    const auto all = load();
    if (const auto* one = all->find(request.token_id)) return {200, render_token(*one, in.now_ms)};
    throw base::failure{model::no_such_token(request.token_id)};
  }
  case verb::create: {
    const auto wanted = value_of(model::parse_new_token(*request.body, in.now_ms));
    return {201, render(create_token(in, wanted))};
  }
  case verb::rotate: {
    const auto grace_ms = value_of(model::parse_rotation(*request.body));
    return {200, render(rotate_token(in, request.token_id, grace_ms))};
  }
  case verb::revoke:
    value_of(value_of(of.tokens(run_of(in.by)))->revoke_token(request.token_id, in.now_ms));
    break;
  }
  return {204, {}};
}

outcome perform(const call& in, const model::audit_query& query) {
  return {200, model::to_json(value_of(value_of(in.with.database->audit())->read_audit(query)))};
}

outcome perform(const call& in, const kept_data_request& request) {
  using verb = kept_data_request::verb;
  auto& of = *in.with.database;
  outcome made;
  switch (request.what) {
  case verb::list_retention: return {200, store::json_of(retentions(in), in.with.history_kept)};
  case verb::list_erasures:
    return {200, model::to_json("erasures",
                                value_of(value_of(in.with.database->erasures())->erasures()))};
  case verb::erase_game:
    made.json = model::to_json(
        value_of(value_of(of.erasures(run_of(in.by)))->begin_erasure(request.game_id, in.now_ms)));
    break;
  case verb::remove_avatar:
    remove_avatar(in, request);
    made.status = 204;
    break;
  }
  if (in.with.forget_avatars) in.with.forget_avatars();
  return made;
}

/// If the store cannot be written to, the levels are applied all the same, because that problem may
/// be the reason for the change; the log says so.
outcome perform(const call& in, const log_levels_request& request) {
  const auto wanted = value_of(parse_log_levels(*request.body, base::configured_log_levels()));
  const auto before = base::log_levels_in_force();
  base::change_log_levels(wanted);
  if (before == wanted) return {200, render_log_levels()};
  base::log(base::log_event::log_levels_changed, "log levels: {}; changed by {}", to_json(wanted),
            model::describe(in.by));
  const model::audit_change what{model::audit_action::log_levels_put, "log-levels", to_json(before),
                                 to_json(wanted)};
  const auto recorded = in.with.database->access(run_of(in.by)).and_then([&](const auto& log) {
    return log->record(what);
  });
  if (!recorded)
    base::log(base::log_event::audit_failed, "audit: no entry of {}: {}", what.action,
              base::to_string(recorded.error()));
  return {200, render_log_levels()};
}

} // namespace

administration_outcome perform(const administration_call& in,
                               const administrative_request& request) {
  return std::visit([&](const auto& one) { return perform(in, one); }, request);
}

} // namespace matchcloud::actors
