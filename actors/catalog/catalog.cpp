#include "actors/catalog/catalog.hpp"

#include "base/events/log.hpp"
#include "base/failure.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::actors {

namespace {

using base::value_of;

// These wait for the store and throw `base::failure`.

/// Loads the store's catalog if its revision differs from `known`'s, or if `always`; returns null
/// if it is the same.
model::catalog_snapshot read_catalog_if_moved(store::database& in,
                                              const model::catalog_snapshot& known, bool always) {
  const auto from = value_of(in.catalog());
  if (value_of(from->revision()) == known->revision && !always) return {};
  auto loaded = value_of(from->load());
  if (loaded == *known) return {};
  return std::make_shared<const model::catalog>(std::move(loaded));
}

/// Loads the store's tokens if their revision differs from `known`'s, or if `always`; otherwise
/// returns null.
model::token_snapshot read_tokens_if_moved(store::database& in, const model::token_snapshot& known,
                                           bool always) {
  const auto from = value_of(in.access());
  if (value_of(from->tokens_revision()) == known->revision() && !always) return {};
  auto loaded = value_of(from->load_tokens());
  loaded->take_uses(*known);
  return loaded;
}

/// Reads what moved since the known revisions; reads nothing if no other session committed. If
/// `always`, reads catalog and tokens regardless of their revisions.
store_polled read_moved(store::database& in, store::change_feed& feed,
                        const model::catalog_snapshot& catalog, const model::token_snapshot& tokens,
                        std::int64_t avatars, bool always, const caf::actor& self) {
  store_polled found;
  if (!value_of(feed.changed())) return found;
  // Sent at once, so that a revocation does not wait for the loading of a large catalog.
  if (auto issued = read_tokens_if_moved(in, tokens, always))
    caf::anon_send(self, tokens_changed{std::move(issued)});
  found.snapshot = read_catalog_if_moved(in, catalog, always);
  auto moved = value_of(feed.moved_games_since(avatars));
  if (moved.all || !moved.games.empty())
    found.avatars = std::make_shared<const store::moved_games>(std::move(moved));
  return found;
}

} // namespace

// -- state --------------------------------------------------------------------

catalog_state::outcome catalog_state::apply(const store_polled& found) {
  if (found.failure) return std::exchange(failing_, true) ? outcome::failed_again : outcome::failed;
  failing_ = false;
  if (found.avatars) avatars_revision_ = found.avatars->revision;
  if (!found.snapshot) return outcome::unchanged;
  previous_ = std::exchange(snapshot_, found.snapshot);
  return outcome::changed;
}

// -- actor --------------------------------------------------------------------

catalog::catalog(caf::actor_config& cfg, const services& with, catalog_settings settings,
                 model::catalog_snapshot snapshot, model::token_snapshot tokens)
    : supervised_actor{cfg, {base::fault_point::catalog_receive, base::fault_point::catalog_reply}},
      with_{&with},
      settings_{std::move(settings)},
      state_{std::move(snapshot), std::move(tokens)} {}

caf::behavior catalog::make_behavior() {
  be_strict();
  poll();
  return {
      [this](const subscribers& listeners) {
        for (const auto& listener : listeners.members)
          publish(listener, catalog_changed{state_.snapshot()});
        for (const auto& holder : listeners.token_holders)
          publish(holder, tokens_changed{state_.tokens()});
        state_.subscribe(listeners);
      },
      [this](const tokens_changed& found) {
        state_.set_tokens(found.tokens);
        for (const auto& holder : state_.listeners().token_holders)
          publish(holder, found);
      },
      [](const discarded&) {}, // freed with the message, on this thread
      [this](poll_store) { poll(); },
      [this](const store_polled& found) {
        wake();
        on_polled(found);
        delayed_send(this, settings_.poll_interval, poll_store{});
      },
  };
}

void catalog::poll() {
  auto task = [self = caf::actor_cast<caf::actor>(this), with = with_, feed = feed_,
               known = state_.snapshot(), tokens = state_.tokens(),
               avatars = state_.avatars_revision(), always = state_.is_failing(),
               look = settings_.look] {
    if (look) look();
    auto found = base::attempt([&] {
      if (!*feed) *feed = value_of(with->database->feed());
      return read_moved(*with->database, ***feed, known, tokens, avatars, always, self);
    });
    if (found && with->contact) with->contact->note(with->clock->now());
    if (!found) {
      // Dropping the feed loses no change: the first check of a new feed reports that everything
      // changed.
      feed->reset();
      if (with->fence && found.error().code == base::errc::store_newer)
        with->fence->close(found.error());
      store_polled failed;
      failed.failure = std::make_shared<const base::error>(std::move(found).error());
      found = std::move(failed);
    }
    caf::anon_send(self, *std::move(found));
  };
  if (!with_->store_work->submit(std::move(task)))
    delayed_send(this, settings_.poll_interval, poll_store{});
}

void catalog::on_polled(const store_polled& found) {
  const auto outcome = state_.apply(found);
  const auto revision = state_.snapshot()->revision;
  if (outcome == catalog_state::outcome::failed)
    base::log(base::log_event::catalog_failed, "catalog: {}; revision {} stays in force",
              base::to_string(*found.failure), revision);
  if (found.avatars && settings_.on_moved_avatars) settings_.on_moved_avatars(*found.avatars);
  if (outcome != catalog_state::outcome::changed) return;
  if (settings_.on_changed_catalog) settings_.on_changed_catalog();
  base::log(base::log_event::catalog_loaded, "catalog: revision {}", revision);
  for (const auto& listener : state_.listeners().members)
    publish(listener, catalog_changed{state_.snapshot()});
}

} // namespace matchcloud::actors
