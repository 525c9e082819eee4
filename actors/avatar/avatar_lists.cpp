#include "actors/avatar/avatar_lists.hpp"

#include "actors/avatar/messages.hpp"
#include "base/events/log.hpp"
#include "base/failure.hpp"
#include "base/faults.hpp"

#include <algorithm>
#include <caf/send.hpp>
#include <utility>

namespace matchcloud::actors {

namespace {

/// Estimated overhead of a cached list: cache entry, index slot, control block and string header.
constexpr std::size_t entry_overhead_bytes = 256;

/// A rendered list with its share of the byte budget.
struct leased_text {
  std::string text;
  base::byte_lease lease;
};

/// The error that clients get if the store fails; its own message (paths, SQL) is for the operator.
base::error store_unreadable() {
  return {base::errc::store_failed, "The game's avatars cannot be read now. Retry later.", true};
}

base::error too_much_work() {
  return {base::errc::overloaded, "Too much work is waiting for the store. Retry later."};
}

std::shared_ptr<const std::string> lease(std::string text, base::byte_budget& budget) {
  auto holder = std::make_shared<leased_text>();
  holder->text = std::move(text);
  if (!holder->lease.grow_to(budget, holder->text.capacity()))
    throw base::failure{base::errc::budget_exhausted,
                        "The service's memory for responses is full. Retry later."};
  return {holder, &holder->text};
}

base::error as_clients_read_it(base::error why) {
  if (!base::is_local_failure(why.code)) return why;
  base::log(base::log_event::avatars_failed, "avatar: {}", base::to_string(why));
  if (why.code == base::errc::internal) return why;
  return store_unreadable();
}

} // namespace

avatar_lists::avatar_lists(avatar_settings settings)
    : settings_{std::move(settings)}, cache_{settings_.cache_limit_bytes} {}

std::shared_ptr<const std::string> avatar_lists::find(const model::uuid& game_id) {
  const std::lock_guard lock{mutex_};
  const auto* const found = cache_.get(game_id);
  if (found == nullptr) return nullptr;
  settings_.metrics->cache_hits.add();
  return found->json;
}

std::uint64_t avatar_lists::load(const model::uuid& game_id, const caf::actor& whom,
                                 const ticket_ptr& of) {
  load_ptr joined;
  {
    const std::lock_guard lock{mutex_};
    auto& open = open_[game_id];
    if (!open) {
      open = std::make_shared<running>();
      open->number = ++last_number_;
      open->game_id = game_id;
      open->marks = base::kept_marks{base::about_request::current()};
      queue_.push_back(open);
    }
    joined = open;
    if (!joined->has_begun) joined->tickets.emplace_back(of);
    if (std::ranges::find(joined->listeners, whom) == joined->listeners.end())
      joined->listeners.push_back(whom);
  }
  start_loads();
  return joined->number;
}

void avatar_lists::start_loads() {
  for (;;) {
    load_ptr next;
    {
      const std::lock_guard lock{mutex_};
      if (queue_.empty() || running_ == loads_at_once) return;
      ++running_;
      next = std::move(queue_.front());
      queue_.pop_front();
    }
    if (settings_.pool->submit([self = shared_from_this(), next] { self->run(next); })) continue;
    end(next, tl::unexpected(too_much_work()), {});
  }
}

void avatar_lists::run(const load_ptr& which) {
  bool is_wanted = true;
  {
    const std::lock_guard lock{mutex_};
    which->has_begun = true;
    is_wanted = std::ranges::any_of(std::exchange(which->tickets, {}),
                                    [](const auto& each) { return !is_over(each.lock()); });
    if (!is_wanted) open_.erase(which->game_id); // nobody joins it any more
  }
  if (!is_wanted) {
    end(which, tl::unexpected(base::error{base::errc::cancelled, {}}), {});
    return start_loads();
  }
  settings_.metrics->loads.add();
  auto took = work_time::begin();
  const base::faults::about_game game{which->game_id.bytes};
  const base::about_request request{which->marks.get()};
  auto made = base::attempt([&] { return read(which->game_id); }).map_error(as_clients_read_it);
  took.end();
  end(which, made, took);
  start_loads();
}

avatar_lists::kept_list avatar_lists::read(const model::uuid& game_id) const {
  const auto from = base::value_of(settings_.database->avatars());
  const auto limit_bytes = settings_.list_limit_bytes;
  model::avatar_list_writer list{settings_.image_url};
  const auto revision = base::value_of(from->read(game_id, [&](const model::avatar& each) {
    list.add(each);
    return list.size_bytes() <= limit_bytes;
  }));
  if (list.size_bytes() > limit_bytes)
    throw base::failure{base::errc::list_too_large,
                        "The game's avatar list is longer than {} bytes. The service's operator "
                        "can raise avatar-list-limit-bytes.",
                        limit_bytes};
  return {lease(list.take(), *settings_.budget), revision};
}

void avatar_lists::end(const load_ptr& which, const base::expected<kept_list>& loaded,
                       const work_time& read) {
  std::vector<kept_list> evicted; // freed without the lock
  avatars_loaded done{.load = which->number, .read = read};
  std::vector<caf::actor> listeners;
  {
    const std::lock_guard lock{mutex_};
    --running_;
    if (const auto open = open_.find(which->game_id); open != open_.end() && open->second == which)
      open_.erase(open);
    if (loaded && loaded->revision >= which->moved_to) {
      if (const auto* const old = cache_.get(which->game_id)) evicted.push_back(*old);
      cache_.put(which->game_id, *loaded, loaded->json->capacity() + entry_overhead_bytes,
                 [&](kept_list&& each) { evicted.push_back(std::move(each)); });
      count_bytes();
    }
    listeners = std::move(which->listeners);
  }
  if (loaded)
    done.json = loaded->json;
  else
    done.failure = std::make_shared<const base::error>(loaded.error());
  for (const auto& each : listeners)
    caf::anon_send(each, done);
}

void avatar_lists::forget(const store::moved_games& moved) {
  std::vector<kept_list> dropped; // freed without the lock
  cache all{0};
  const std::lock_guard lock{mutex_};
  if (moved.all) {
    all = std::exchange(cache_, cache{settings_.cache_limit_bytes});
    std::erase_if(open_, [](const auto& each) {
      if (each.second->has_begun) each.second->moved_to = INT64_MAX;
      return each.second->has_begun;
    });
  }
  for (const auto& each : moved.games) {
    if (const auto* const kept = cache_.get(each.game_id); kept && kept->revision < each.revision) {
      dropped.push_back(*kept);
      cache_.erase(each.game_id);
    }
    const auto open = open_.find(each.game_id);
    if (open == open_.end() || !open->second->has_begun) continue;
    open->second->moved_to = each.revision;
    open_.erase(open);
  }
  count_bytes();
}

void avatar_lists::count_bytes() {
  settings_.metrics->cached_bytes.set(static_cast<std::int64_t>(cache_.used_bytes()));
}

} // namespace matchcloud::actors
