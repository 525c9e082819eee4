#include "actors/administration/administration.hpp"

#include "actors/administration/log_levels.hpp"
#include "actors/request/messages.hpp"
#include "base/events/log.hpp"
#include "base/failure.hpp"
#include "model/catalog/catalog_element.hpp"

#include <string>
#include <utility>
#include <variant>

namespace matchcloud::actors {

namespace {

using base::value_of;
using call = administration_call;
using model::run_of;

/// The response to an administrator's request.
struct outcome {
  int status = 200;
  std::string json = {};
};

// Each performs a request. They wait for the store, so they run on the pool. They throw
// `base::failure`.

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
    return {done.added > 0 ? 201 : 200, render_element(element)};
  }
  value_of(change()->remove(key));
  return {204};
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
  return {204};
}

outcome perform(const call& in, const model::audit_query& query) {
  return {200, render_page(value_of(value_of(in.with.database->audit())->read_audit(query)))};
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
    if (const auto gone = remove_avatar(in, request.game_id, request.upload_id); !gone)
      base::log(base::log_event::image_kept, "avatars: {}", base::to_string(gone.error()));
    made.status = 204;
    break;
  }
  if (in.with.forget_avatars) in.with.forget_avatars();
  return made;
}

outcome perform(const call& in, const log_levels_request& request) {
  return {200, change_log_levels(in, *request.body)};
}

} // namespace

administration::administration(caf::actor_config& cfg, administration_settings settings)
    : supervised_actor{cfg,
                       {base::fault_point::administration_receive,
                        base::fault_point::administration_reply}},
      settings_{std::move(settings)} {}

caf::behavior administration::make_behavior() {
  be_strict();
  return {
      serving<administer>([this](const administer& request) { handle(request); }),
      [this](const administered& ended) { on(ended); },
  };
}

void administration::handle(const administer& request) {
  const auto front = caf::actor_cast<caf::actor>(current_sender());
  const auto taken = settings_.pool->submit(base::for_this_request(
      [self = caf::actor_cast<caf::actor>(this), front, with = settings_, request] {
        if (is_over(request.ticket)) return; // its client got 504, or is gone
        administered ended{request.exchange, front, 200, {}, {}, request.ticket};
        const auto performed = base::attempt([&] {
          const traced_step step{request.ticket.get(), "store"};
          const call in{with, request.by, with.clock->unix_ms()};
          return std::visit([&](const auto& one) { return perform(in, one); }, request.what);
        });
        if (performed) {
          ended.status = performed->status;
          ended.json = std::make_shared<const std::string>(performed->json);
        } else {
          ended.failure = std::make_shared<const base::error>(performed.error());
        }
        caf::anon_send(self, std::move(ended));
      }));
  if (!taken)
    reply(front,
          operation_failed{
              request.exchange,
              {base::errc::overloaded, "Too many changes are waiting for the store. Retry later."}},
          request.ticket);
}

void administration::on(const administered& ended) {
  if (ended.failure)
    reply(ended.front, operation_failed{ended.exchange, *ended.failure}, ended.ticket);
  else
    reply(ended.front, json_made{ended.exchange, ended.json, false, ended.status}, ended.ticket);
}

} // namespace matchcloud::actors
