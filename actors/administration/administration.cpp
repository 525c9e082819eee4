#include "actors/administration/administration.hpp"

#include "actors/administration/kept_data.hpp"
#include "actors/administration/log_levels.hpp"
#include "actors/request/messages.hpp"
#include "model/access/new_token.hpp"
#include "model/catalog/catalog_element.hpp"
#include "model/catalog/parse_catalog.hpp"

#include <string>
#include <utility>

namespace matchcloud::actors {

namespace {

using outcome = administration_outcome;
using model::run_of;

base::expected<model::catalog> load(store::database& from) {
  return from.catalog().and_then([](const auto& catalog) { return catalog->load(); });
}

base::expected<outcome> put(store::database& into, const model::element_key& key,
                            const administer& request) {
  const auto element = parse_element(key, *request.body);
  if (!element) return tl::unexpected(element.error());
  const auto done = into.catalog(run_of(request.by)).and_then([&](const auto& catalog) {
    return catalog->import_document(document_of(*element));
  });
  if (!done) return tl::unexpected(done.error());
  return outcome{done->added > 0 ? 201 : 200, render_element(*element)};
}

// Each performs a request. They wait for the store, so they run on the pool.

base::expected<outcome> perform(const administration_settings& with, const administer& request,
                                std::int64_t) {
  auto& of = *with.database;
  using verb = administer::verb;
  if (request.what == verb::list)
    return load(of).map([&](const model::catalog& catalog) {
      return outcome{200, render_elements(catalog, request.kind)};
    });
  const auto key = model::element_key::parse(request.kind, request.id);
  if (!key) return tl::unexpected(key.error());
  switch (request.what) {
  case verb::list: break;
  case verb::get:
    return load(of)
        .and_then([&](const model::catalog& catalog) { return find_element(catalog, *key); })
        .map([](const auto& element) {
          return outcome{200, render_element(element)};
        });
  case verb::put: return put(of, *key, request);
  case verb::remove: break;
  }
  return of.catalog(run_of(request.by))
      .and_then([&](const auto& catalog) { return catalog->remove(*key); })
      .map([] {
        return outcome{204, {}};
      });
}

base::expected<outcome> create(store::access_store& in, const administer_tokens& request,
                               std::int64_t now_ms) {
  const auto wanted = model::parse_new_token(*request.body, now_ms);
  if (!wanted) return tl::unexpected(wanted.error());
  const auto made = model::make_token(*wanted, describe(request.by), now_ms);
  return in.create_token(made.token).map([&] {
    return outcome{201, render_new_token(made.token, made.text, now_ms)};
  });
}

base::expected<outcome> rotate(store::access_store& in, const administer_tokens& request,
                               std::int64_t now_ms) {
  const auto grace_ms = model::parse_rotation(*request.body);
  if (!grace_ms) return tl::unexpected(grace_ms.error());
  const auto now = in.load_tokens();
  if (!now) return tl::unexpected(now.error());
  const auto* known = (*now)->find(request.token_id);
  if (known == nullptr) return tl::unexpected(model::no_such_token(request.token_id));
  const auto text = model::make_token_text(known->what.kind);
  return in.rotate_token(request.token_id, model::digest_of(text), now_ms + *grace_ms, now_ms)
      .map([&](const auto& token) {
        return outcome{200, render_new_token(token, text, now_ms)};
      });
}

base::expected<outcome> perform(const administration_settings& with,
                                const administer_tokens& request, std::int64_t now_ms) {
  using verb = administer_tokens::verb;
  const auto in = with.database->access(run_of(request.by));
  if (!in) return tl::unexpected(in.error());
  switch (request.what) {
  case verb::create: return create(**in, request, now_ms);
  case verb::rotate: return rotate(**in, request, now_ms);
  case verb::revoke:
    return (*in)->revoke_token(request.token_id, now_ms).map([](const auto&) {
      return outcome{204, {}};
    });
  case verb::list:
  case verb::get: break;
  }
  const auto all = (*in)->load_tokens();
  if (!all) return tl::unexpected(all.error());
  if (request.what == verb::list) return outcome{200, render_tokens(**all, now_ms)};
  const auto* one = (*all)->find(request.token_id);
  if (one == nullptr) return tl::unexpected(model::no_such_token(request.token_id));
  return outcome{200, render_token(*one, now_ms)};
}

base::expected<outcome> perform(const administration_settings& with, const read_audit& request,
                                std::int64_t) {
  return with.database->access()
      .and_then([&](const auto& in) { return in->read_audit(request.query); })
      .map([](const auto& page) {
        return outcome{200, render_page(page)};
      });
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
      serving<administer_tokens>([this](const administer_tokens& request) { handle(request); }),
      serving<administer_data>([this](const administer_data& request) { handle(request); }),
      serving<change_log_levels>([this](const change_log_levels& request) { handle(request); }),
      serving<read_audit>([this](const read_audit& request) { handle(request); }),
      [this](const administered& ended) { on(ended); },
  };
}

template <class Request>
void administration::handle(const Request& request) {
  const auto front = caf::actor_cast<caf::actor>(current_sender());
  const auto taken = settings_.pool->submit(base::for_this_request(
      [self = caf::actor_cast<caf::actor>(this), front, with = settings_, request] {
        if (is_over(request.ticket)) return; // its client got 504, or is gone
        administered ended{request.exchange, front, 200, {}, {}, request.ticket};
        const auto performed = [&] {
          const traced_step step{request.ticket.get(), "store"};
          return perform(with, request, with.clock->unix_ms());
        };
        if (auto made = performed()) {
          ended.status = made->status;
          ended.json = std::make_shared<const std::string>(std::move(made->json));
        } else {
          ended.failure = std::make_shared<const base::error>(std::move(made).error());
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
