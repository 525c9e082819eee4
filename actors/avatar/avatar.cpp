#include "actors/avatar/avatar.hpp"

#include "actors/news/messages.hpp"
#include "actors/request/messages.hpp"
#include "model/avatars/avatar.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace matchcloud::actors {

namespace {

/// A rendered list with its share of the byte budget.
struct leased_text {
  std::string text;
  base::byte_lease lease;
};

/// The error that clients get if the store fails; its own message (paths, SQL) is for the operator.
base::error store_unreadable() {
  return {base::errc::store_failed, "The game's avatars cannot be read now. Try again later.",
          true};
}

tl::unexpected<base::error> too_large(std::size_t limit_bytes) {
  return base::fail(base::errc::list_too_large,
                    "The game's avatar list is longer than " + std::to_string(limit_bytes) +
                        " bytes. Its operator can raise avatar-list-limit-bytes.");
}

base::expected<std::shared_ptr<const std::string>> lease(std::string text,
                                                         base::byte_budget& budget) {
  auto holder = std::make_shared<leased_text>();
  holder->text = std::move(text);
  if (!holder->lease.grow_to(budget, holder->text.capacity()))
    return base::fail(base::errc::budget_exhausted,
                      "The service holds as many response bytes as it may. Try again later.");
  return std::shared_ptr<const std::string>{holder, &holder->text};
}

/// Reads and renders a game's list.
base::expected<rendered_list> load(const avatar_settings& settings, const model::uuid& game_id) {
  const auto from = settings.database->avatars();
  if (!from) return tl::unexpected(from.error());
  model::avatar_list_writer list{settings.image_url};
  const auto read = (*from)->read(game_id, [&](const model::avatar& each) {
    list.add(each);
    return list.size_bytes() <= settings.list_limit_bytes;
  });
  if (!read) return tl::unexpected(read.error());
  if (list.size_bytes() > settings.list_limit_bytes) return too_large(settings.list_limit_bytes);
  auto json = lease(list.take(), *settings.budget);
  if (!json) return tl::unexpected(json.error());
  return rendered_list{*std::move(json), *read};
}

} // namespace

avatar::avatar(caf::actor_config& cfg, avatar_settings settings, model::catalog_snapshot catalog)
    : resident{cfg, {base::fault_point::avatar_receive, base::fault_point::avatar_reply}},
      settings_{std::move(settings)},
      catalog_{std::move(catalog)} {}

void avatar::on_exit() {
  state_.clear();
}

caf::behavior avatar::make_behavior() {
  be_strict();
  return {
      serving<list_avatars>([this](const list_avatars& request) { handle(request); }),
      [this](const avatars_loaded& loaded) { on(loaded); },
      [this](const avatars_changed& news) { on(news); },
      [this](const catalog_changed& news) { on(news); },
  };
}

void avatar::handle(const list_avatars& request) {
  if (is_over(request.ticket)) return;
  const auto front = caf::actor_cast<caf::actor>(current_sender());
  if (catalog_->find_game(request.game_id) == nullptr)
    return reply(front, operation_failed{request.exchange, model::no_such_game(request.game_id)},
                 request.ticket);
  if (auto kept = settings_.lists->find(request.game_id).json) {
    settings_.metrics->cache_hits.add();
    return reply(front, json_made{request.exchange, std::move(kept), true}, request.ticket);
  }
  state_.wait(request.game_id, {front, request.exchange, request.ticket});
  start_next();
}

void avatar::on(const avatars_changed& news) {
  state_.on(*news.moved);
  send(caf::actor_cast<caf::actor>(current_sender()),
       discarded{settings_.lists->forget(*news.moved)});
}

void avatar::on(const catalog_changed& news) {
  send(caf::actor_cast<caf::actor>(current_sender()),
       discarded{std::exchange(catalog_, news.snapshot)});
}

void avatar::start_next() {
  while (const auto game_id = state_.next()) {
    auto task = [self = caf::actor_cast<caf::actor>(this), settings = settings_,
                 game_id = *game_id] { caf::anon_send(self, run_load(settings, game_id)); };
    if (settings_.pool->submit(std::move(task))) return state_.begin();
    avatars_loaded refused;
    refused.failure = std::make_shared<const base::error>(
        base::error{base::errc::overloaded,
                    "As much work waits for the store as the service takes. Try again later."});
    answer(state_.refuse(), refused);
  }
}

avatars_loaded avatar::run_load(const avatar_settings& settings, const model::uuid& game_id) {
  // Another event loop may have had it loaded meanwhile.
  avatars_loaded done{game_id, settings.lists->find(game_id)};
  if (done.list.json) return done;
  settings.lists->begin(game_id);
  settings.metrics->loads.add();
  if (auto list = load(settings, game_id)) {
    done.list = *std::move(list);
  } else {
    auto why = std::move(list).error();
    if (base::is_local_failure(why.code)) {
      spdlog::error("avatar: {}", base::to_string(why));
      why = store_unreadable();
    }
    done.failure = std::make_shared<const base::error>(std::move(why));
  }
  settings.lists->end(game_id, done.list);
  return done;
}

void avatar::on(const avatars_loaded& loaded) {
  answer(state_.end(loaded), loaded);
  start_next();
}

void avatar::answer(const std::vector<waiter>& waiters, const avatars_loaded& loaded) {
  for (const auto& each : waiters) {
    if (each.is_gone()) continue;
    if (loaded.list.json)
      reply(each.front, json_made{each.exchange, loaded.list.json, true}, each.ticket);
    else
      reply(each.front, operation_failed{each.exchange, *loaded.failure}, each.ticket);
  }
}

} // namespace matchcloud::actors
