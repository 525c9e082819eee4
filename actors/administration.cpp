#include "actors/administration.hpp"

#include "model/catalog/catalog_element.hpp"
#include "model/catalog/parse_catalog.hpp"

#include <string>
#include <utility>

namespace matchcloud::actors {

namespace {

using verb = administer::verb;

struct outcome {
  int status = 200;
  std::string json;
};

base::expected<model::catalog> load(store::database& from) {
  return from.catalog().and_then([](const auto& catalog) { return catalog->load(); });
}

base::expected<outcome> put(store::database& into, const model::element_key& key,
                            const std::string& body) {
  const auto element = parse_element(key, body);
  if (!element) return tl::unexpected(element.error());
  const auto done = into.catalog().and_then(
      [&](const auto& catalog) { return catalog->import_document(document_of(*element)); });
  if (!done) return tl::unexpected(done.error());
  return outcome{done->added > 0 ? 201 : 200, render_element(*element)};
}

/// Does what is asked. Waits for the store; runs on the pool.
base::expected<outcome> perform(store::database& of, const administer& request) {
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
  case verb::put: return put(of, *key, *request.body);
  case verb::remove: break;
  }
  return of.catalog().and_then([&](const auto& catalog) { return catalog->remove(*key); }).map([] {
    return outcome{204, {}};
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
      [this](const administered& ended) { on(ended); },
  };
}

void administration::handle(const administer& request) {
  if (is_over(request.ticket)) return;
  const auto front = caf::actor_cast<caf::actor>(current_sender());
  const auto taken = settings_.pool->submit(
      [self = caf::actor_cast<caf::actor>(this), front, database = settings_.database, request] {
        if (is_over(request.ticket)) return; // its client was told 504
        administered ended{request.exchange, front, 200, {}, {}, request.ticket};
        if (auto made = perform(*database, request)) {
          ended.status = made->status;
          ended.json = std::make_shared<const std::string>(std::move(made->json));
        } else {
          ended.failure = std::make_shared<const base::error>(std::move(made).error());
        }
        caf::anon_send(self, std::move(ended));
      });
  if (!taken)
    reply(front,
          operation_failed{request.exchange,
                           {base::errc::overloaded,
                            "As many changes wait for the store as may. Try again later."}},
          request.ticket);
}

void administration::on(const administered& ended) {
  if (ended.failure)
    reply(ended.front, operation_failed{ended.exchange, *ended.failure}, ended.ticket);
  else
    reply(ended.front, json_made{ended.exchange, ended.json, false, ended.status}, ended.ticket);
}

} // namespace matchcloud::actors
