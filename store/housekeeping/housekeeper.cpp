#include "store/housekeeping/housekeeper.hpp"

#include "base/events/log.hpp"
#include "model/audit/audit.hpp"
#include "model/text/timestamp.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace matchcloud::store {

namespace {

/// How many images are removed at once.
constexpr std::size_t images_at_once = 100;
constexpr auto lease_renewal = housekeeping_lease / 3;
/// How many removed images are searched for those of one avatar.
constexpr std::size_t looked_at = 1'000;
/// How often to look whether what waits was confirmed.
constexpr std::chrono::seconds confirmation_interval{10};

model::audit_run_ptr run_of_service() {
  model::audit_author service;
  service.what = model::audit_author::kind::service;
  return model::run_of(service);
}

base::expected<void> remove_image(database& in, object_store& objects, const image_key& key) {
  if (auto removed = objects.remove(object_of(key)); !removed) return removed;
  return in.erasures().and_then([&](const auto& of) { return of->forget_removed_image(key); });
}

} // namespace

base::expected<void> remove_images_of(database& in, object_store& objects,
                                      const model::uuid& upload_id) {
  // Not those that were replaced: the avatar is gone, and so they count as removed.
  const auto images = in.erasures().and_then([](const auto& of) {
    return of->removed_images(looked_at, std::chrono::milliseconds::max());
  });
  if (!images) return tl::unexpected(images.error());
  for (const auto& each : *images) {
    if (each.upload_id != upload_id) continue;
    const auto there = objects.stat(object_of(each));
    if (!there) return tl::unexpected(there.error());
    // If it is missing, it may be in a place that the command does not know; a service looks there,
    // too.
    if (!*there) continue;
    if (auto gone = remove_image(in, objects, each); !gone) return gone;
  }
  return {};
}

base::expected<void> housekeeper::run() {
  const auto expires = is_expiry_due();
  if (!expires) return tl::unexpected(expires.error());
  const auto wanted = has_work(*expires);
  if (!wanted) return tl::unexpected(wanted.error());
  if (!*wanted || is_stopping()) return {};
  const auto held = hold_lease();
  if (!held) return tl::unexpected(held.error());
  if (!*held) return {};
  auto done = work(*expires);
  // Whatever the outcome, another process may continue.
  const auto left = settings_.in->retention().and_then(
      [&](const auto& in) { return in->leave_housekeeping(settings_.owner); });
  return done ? left : done;
}

base::expected<bool> housekeeper::is_expiry_due() {
  const auto now = settings_.clock->now();
  if (now >= next_expiry_) return true;
  if (!next_look_ || now < *next_look_) return false;
  next_look_ = now + confirmation_interval;
  return expiry_check::begin(*settings_.in, settings_.clock->unix_ms())
      .map([this](const expiry_check& look) {
        return look.is_confirmed() || (clock_in_doubt_.get() > 0 && !look.doubts_clock());
      });
}

base::expected<bool> housekeeper::has_work(bool is_expiry_due) {
  if (is_expiry_due) return true;
  const auto in = settings_.in->erasures();
  if (!in) return tl::unexpected(in.error());
  const auto images = (*in)->removed_images(1, settings_.kept.replaced_images);
  if (!images) return tl::unexpected(images.error());
  const auto all = (*in)->erasures();
  if (!all) return tl::unexpected(all.error());
  std::int64_t unfinished = 0;
  for (const auto& each : *all)
    unfinished += each.finished_ms ? 0 : 1;
  erasing_.set(unfinished);
  return !images->empty() || unfinished > 0;
}

base::expected<bool> housekeeper::hold_lease() {
  auto held = settings_.in->retention().and_then(
      [&](const auto& in) { return in->take_housekeeping(settings_.owner, housekeeping_lease); });
  has_lost_lease_ = held && !*held;
  if (held && *held) lease_renewed_ = settings_.clock->now();
  return held;
}

base::expected<bool> housekeeper::keep_lease() {
  if (must_end()) return false;
  if (settings_.clock->now() - lease_renewed_ < lease_renewal) return true;
  return hold_lease();
}

base::expected<void> housekeeper::work(bool is_expiry_due) {
  // An unreachable bucket delays only the removal of its own objects.
  const auto erased = remove_images().and_then([&] { return erase_all(is_expiry_due); });
  if (!is_expiry_due || must_end()) return erased;
  if (auto done = expire(); !done || must_end()) return done;
  next_expiry_ = settings_.clock->now() + settings_.expiry_interval;
  return erased;
}

base::expected<bool> housekeeper::in_pace(batch_pace& pace,
                                          const std::function<base::expected<void>()>& batch) {
  const auto begun = settings_.clock->now();
  if (auto done = batch(); !done) return tl::unexpected(done.error());
  auto rest = pace.note(settings_.clock->now() - begun);
  // On a slow disk a rest is longer than the lease.
  for (; settings_.rests && rest.count() > 0; rest -= lease_renewal) {
    std::unique_lock lock{mutex_};
    rest_.wait_for(lock, stopping_.get_token(), std::min(rest, lease_renewal),
                   [] { return false; });
    lock.unlock();
    if (const auto kept = keep_lease(); !kept || !*kept) return kept;
  }
  return keep_lease();
}

// -- images and games ---------------------------------------------------------

base::expected<void> housekeeper::remove_images() {
  while (true) {
    if (const auto kept = keep_lease(); !kept) return tl::unexpected(kept.error());
    if (must_end()) return {};
    const auto found = settings_.in->erasures().and_then([&](const auto& in) {
      return in->removed_images(images_at_once, settings_.kept.replaced_images);
    });
    if (!found) return tl::unexpected(found.error());
    for (const auto& each : *found)
      if (auto gone = remove_image(*settings_.in, *settings_.objects, each); !gone) return gone;
    if (found->size() < images_at_once) return {};
  }
  return {};
}

base::expected<void> housekeeper::erase_all(bool with_finished) {
  const auto all = settings_.in->erasures().and_then([](const auto& in) { return in->erasures(); });
  if (!all) return tl::unexpected(all.error());
  std::int64_t unfinished = 0;
  for (const auto& each : *all) {
    if (must_end()) return {};
    if (each.finished_ms && with_finished)
      if (auto done = erase_late(each.game_id); !done) return done;
    if (each.finished_ms) continue;
    ++unfinished;
    if (auto done = erase(each); !done) return done;
  }
  erasing_.set(unfinished);
  return {};
}

base::expected<void> housekeeper::erase(const erasure& which) {
  const auto& game_id = which.game_id;
  // Before the tokens, whose ids say which entries of the audit log they wrote.
  if (auto done = erase_names(game_id); !done || must_end()) return done;
  const auto tokens = settings_.in->erasures(run_of_service()).and_then([&](const auto& in) {
    return in->erase_tokens(game_id);
  });
  if (!tokens) return tl::unexpected(tokens.error());
  // Starts with what can be downloaded.
  for (const auto next : {&housekeeper::erase_exports, &housekeeper::erase_avatars,
                          &housekeeper::erase_lobbies, &housekeeper::erase_names}) {
    if (auto done = (this->*next)(game_id); !done) return done;
    if (must_end()) return {};
  }
  const auto ended = settings_.in->erasures(run_of_service()).and_then([&](const auto& in) {
    return in->finish_erasure(game_id, settings_.clock->unix_ms());
  });
  if (!ended) return tl::unexpected(ended.error());
  if (*ended)
    base::log(base::log_event::game_erased, "game {} and all of its data are erased",
              to_string(game_id));
  return {};
}

base::expected<void> housekeeper::erase_names(const model::uuid& game_id) {
  audit_names names;
  batch_pace pace;
  while (!names.is_done) {
    const auto going_on = in_pace(pace, [&] {
      return settings_.in->erasures().and_then(
          [&](const auto& in) { return in->erase_audit_names(game_id, names, pace.size()); });
    });
    if (!going_on) return tl::unexpected(going_on.error());
    if (!*going_on) return {};
  }
  return {};
}

/// Removes data added after a game's erasure had ended: by a program that does not know erasures,
/// or by a change that saw the game and was committed after the erasure.
base::expected<void> housekeeper::erase_late(const model::uuid& game_id) {
  const auto tokens = settings_.in->erasures(run_of_service()).and_then([&](const auto& in) {
    return in->erase_tokens(game_id);
  });
  if (!tokens) return tl::unexpected(tokens.error());
  return erase_avatars(game_id).and_then([&] { return erase_lobbies(game_id); });
}

base::expected<void> housekeeper::erase_exports(const model::uuid& game_id) {
  const auto gone = settings_.exports->erase(game_id);
  if (!gone) return tl::unexpected(gone.error());
  if (*gone == 0) return {};
  return settings_.in->erasures().and_then(
      [&](const auto& in) { return in->note_erased_exports(game_id, *gone); });
}

base::expected<void> housekeeper::erase_avatars(const model::uuid& game_id) {
  model::uuid after;
  // Separate from the pace of lobbies, whose batches take longer.
  batch_pace pace;
  while (true) {
    const auto found = settings_.in->erasures().and_then(
        [&](const auto& in) { return in->avatars_after(game_id, after, images_at_once); });
    if (!found) return tl::unexpected(found.error());
    if (found->empty()) return remove_images(); // those that these avatars had before
    after = found->back().upload_id;
    std::vector<model::uuid> ids;
    // Images go first, because without its row an image could not be found. Nothing waits for this,
    // so it does not count as a batch: a bucket may take seconds.
    for (const auto& each : *found) {
      if (const auto kept = keep_lease(); !kept) return tl::unexpected(kept.error());
      if (must_end()) return {};
      ids.push_back(each.upload_id);
      if (!each.image) continue;
      auto gone = settings_.objects->remove(object_of(image_key{each.upload_id, *each.image}));
      if (!gone) return gone;
    }
    const auto going_on = in_pace(pace, [&] {
      return settings_.in->erasures(run_of_service())
          .and_then([&](const auto& in) { return in->erase_avatars(game_id, ids); })
          .map([](std::size_t) {});
    });
    if (!going_on) return tl::unexpected(going_on.error());
    if (!*going_on) return {};
  }
}

base::expected<void> housekeeper::erase_lobbies(const model::uuid& game_id) {
  lobby_place after;
  while (true) {
    const auto found = settings_.in->erasures().and_then(
        [&](const auto& in) { return in->lobbies_after(game_id, after, pace_.size()); });
    if (!found) return tl::unexpected(found.error());
    if (found->empty()) return {};
    after = found->back();
    const auto going_on = in_pace(pace_, [&] {
      return settings_.in->erasures()
          .and_then([&](const auto& in) { return in->erase_lobbies(game_id, *found); })
          .map([&](std::size_t gone) { erased_.add(gone); });
    });
    if (!going_on) return tl::unexpected(going_on.error());
    if (!*going_on) return {};
  }
}

// -- what is over -------------------------------------------------------------

base::expected<void> housekeeper::expire() {
  const auto now_ms = settings_.clock->unix_ms();
  const auto check = expiry_check::begin(*settings_.in, now_ms);
  if (!check) return tl::unexpected(check.error());
  const bool was_in_doubt = clock_in_doubt_.get() > 0;
  const bool is_in_doubt = check->doubts_clock();
  clock_in_doubt_.set(is_in_doubt ? 1 : 0);
  next_look_.reset();
  if (is_in_doubt) {
    next_look_ = settings_.clock->now() + confirmation_interval;
    if (!was_in_doubt)
      base::log(base::log_event::expiry_waits,
                "nothing expires: the clock says {}, but the last that is known here is from {}; "
                "correct the clock, or confirm it with `matchcloud retention --confirm`",
                model::format_timestamp(now_ms), model::format_timestamp(check->known_ms()));
    return {};
  }
  if (auto done = expire_lobbies(*check, now_ms); !done || must_end()) return done;
  for (const step next : {&housekeeper::expire_audit, &housekeeper::expire_tokens})
    if (auto done = (this->*next)(); !done || must_end()) return done;
  return settings_.in->retention().and_then(
      [&](const auto& in) { return in->note_expiry(now_ms); });
}

base::expected<void> housekeeper::expire_lobbies(const expiry_check& check, std::int64_t now_ms) {
  auto all = settings_.in->retention().and_then(
      [&](const auto& in) -> base::expected<std::vector<game_retention>> {
        auto found = retentions_at(*in, settings_.kept.history, now_ms);
        if (!found || count_due(*in, *found)) return found;
        // Lobbies expire even if they cannot be counted.
        for (auto& each : *found)
          if (each.horizon_ts) each.due = std::max<std::uint64_t>(each.due, 1);
        return found;
      });
  if (!all) return tl::unexpected(all.error());
  std::uint64_t due = 0;
  for (const auto& each : *all)
    due += each.due;
  due_.set(static_cast<std::int64_t>(due));
  std::int64_t waiting = 0;
  for (const auto& each : *all) {
    if (each.due == 0) continue;
    const auto waits = check.is_too_much(each, settings_.kept.share_percent);
    if (!waits) return tl::unexpected(waits.error());
    if (*waits) {
      ++waiting;
      base::log(base::log_event::expiry_waits,
                "game {}: {} lobbies are due, more than {} % of all; confirm with `matchcloud "
                "retention --confirm` that they may expire",
                to_string(each.game_id), each.due, settings_.kept.share_percent);
      continue;
    }
    auto done = expire_lobbies_of(each);
    if (!done || must_end()) return done;
    due -= each.due;
    due_.set(static_cast<std::int64_t>(due));
  }
  waiting_.set(waiting);
  if (waiting > 0) next_look_ = settings_.clock->now() + confirmation_interval;
  return {};
}

base::expected<void> housekeeper::expire_lobbies_of(const game_retention& which) {
  const auto run = run_of_service();
  const auto horizon_ts = *which.horizon_ts;
  lobby_place after;
  std::uint64_t sum = 0;
  while (true) {
    const auto found = settings_.in->retention().and_then([&](const auto& in) {
      return in->expired_lobbies(which.game_id, horizon_ts, after, pace_.size());
    });
    if (!found) return tl::unexpected(found.error());
    if (found->empty()) break;
    after = found->back();
    std::optional<std::size_t> gone;
    const auto going_on = in_pace(pace_, [&] {
      return settings_.in->retention(run)
          .and_then([&](const auto& in) {
            return in->expire_lobbies(which.game_id, which.own_days, horizon_ts, *found);
          })
          .map([&](const auto& removed) { gone = removed; });
    });
    if (!going_on) return tl::unexpected(going_on.error());
    if (!gone) break; // its retention was changed, and the next search finds what that leaves
    expired_.add(*gone);
    sum += *gone;
    if (!*going_on) return {};
  }
  base::log(base::log_event::lobbies_expired, "game {}: {} lobbies expired",
            to_string(which.game_id), sum);
  return {};
}

base::expected<void> housekeeper::expire_audit() {
  const auto before_ms =
      settings_.clock->unix_ms() - std::chrono::milliseconds{settings_.kept.audit}.count();
  std::size_t sum = 0;
  // In transactions of a few thousand entries, and with rests, so that others do not wait for long.
  batch_pace pace;
  while (true) {
    std::size_t gone = 0;
    const auto going_on = in_pace(pace, [&] {
      return settings_.in->access(run_of_service())
          .and_then([&](const auto& log) { return log->expire_audit(before_ms); })
          .map([&](std::size_t removed) { gone = removed; });
    });
    if (!going_on) return tl::unexpected(going_on.error());
    sum += gone;
    if (gone == 0 || !*going_on) break;
  }
  if (sum > 0) base::log(base::log_event::audit_expired, "audit: {} entries expired", sum);
  return {};
}

base::expected<void> housekeeper::expire_tokens() {
  const auto before_ms =
      settings_.clock->unix_ms() - std::chrono::milliseconds{settings_.kept.tokens}.count();
  const auto gone = settings_.in->access(run_of_service()).and_then([&](const auto& tokens) {
    return tokens->expire_tokens(before_ms);
  });
  if (!gone) return tl::unexpected(gone.error());
  if (*gone > 0)
    base::log(base::log_event::tokens_removed, "tokens: {} expired or revoked ones are removed",
              *gone);
  return {};
}

} // namespace matchcloud::store
