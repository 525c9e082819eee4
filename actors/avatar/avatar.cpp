#include "actors/avatar/avatar.hpp"

#include <utility>

namespace matchcloud::actors {

avatar::avatar(caf::actor_config& cfg, std::shared_ptr<avatar_lists> lists,
               model::catalog_snapshot catalog)
    : resident{cfg, {base::fault_point::avatar_receive, base::fault_point::avatar_reply}},
      lists_{std::move(lists)},
      catalog_{std::move(catalog)} {}

void avatar::on_exit() {
  waiting_.clear();
}

caf::behavior avatar::make_behavior() {
  be_strict();
  return {
      serving<list_avatars>([this](const list_avatars& request) { handle(request); }),
      [this](const avatars_loaded& loaded) { on(loaded); },
      [this](const catalog_changed& news) { on(news); },
  };
}

void avatar::handle(const list_avatars& request) {
  const auto front = caf::actor_cast<caf::actor>(current_sender());
  if (catalog_->find_game(request.game_id) == nullptr)
    return reply(front, operation_failed{request.exchange, model::no_such_game(request.game_id)},
                 request.ticket);
  if (auto kept = lists_->find(request.game_id))
    return reply(front, json_made{request.exchange, std::move(kept), true}, request.ticket);
  const auto load =
      lists_->load(request.game_id, caf::actor_cast<caf::actor>(this), request.ticket);
  waiting_[load].push_back({front, request.exchange, request.ticket});
}

void avatar::on(const avatars_loaded& loaded) {
  const auto waiting = waiting_.extract(loaded.load);
  if (waiting.empty()) return;
  for (const auto& each : waiting.mapped()) {
    if (each.is_gone()) continue;
    note_work(each.ticket, "store", loaded.read);
    if (loaded.json)
      reply(each.front, json_made{each.exchange, loaded.json, true}, each.ticket);
    else
      reply(each.front, operation_failed{each.exchange, *loaded.failure}, each.ticket);
  }
}

void avatar::on(const catalog_changed& news) {
  send(caf::actor_cast<caf::actor>(current_sender()),
       discarded{std::exchange(catalog_, news.snapshot)});
}

} // namespace matchcloud::actors
