#include "store/housekeeping/housekeeper.hpp"

#include "base/events/log.hpp"
#include "base/failure.hpp"
#include "model/audit/audit.hpp"
#include "model/text/timestamp.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace matchcloud::store {

namespace {

using base::value_of;

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

void remove_image(database& in, object_store& objects, const image_key& key) {
  value_of(objects.remove(object_of(key)));
  value_of(value_of(in.erasures())->forget_removed_image(key));
}

/// The work must end: it was stopped, or another process has taken over.
struct work_ended {};

} // namespace

base::expected<void> remove_images_of(database& in, object_store& objects,
                                      const model::uuid& upload_id) {
  return base::attempt([&] {
    // Not those that were replaced: the avatar is gone, and so they count as removed.
    const auto images = value_of(
        value_of(in.erasures())->removed_images(looked_at, std::chrono::milliseconds::max()));
    // If one is missing, it may be in a place that the command does not know; a service looks
    // there, too.
    for (const auto& each : images)
      if (each.upload_id == upload_id && value_of(objects.stat(object_of(each))))
        remove_image(in, objects, each);
  });
}

base::expected<void> housekeeper::run() {
  return base::attempt([&] {
    const bool expires = is_expiry_due();
    if (!has_work(expires) || stopping_.stop_requested() || !hold_lease()) return;
    auto done = base::attempt([&] {
      try {
        work(expires);
      } catch (const work_ended&) { // the next run continues
      }
    });
    // Whatever the outcome, another process may continue.
    auto left = settings_.in->retention().and_then(
        [&](const auto& in) { return in->leave_housekeeping(settings_.owner); });
    value_of(std::move(done));
    value_of(std::move(left));
  });
}

bool housekeeper::is_expiry_due() {
  const auto now = settings_.clock->now();
  if (now >= next_expiry_) return true;
  if (!next_look_ || now < *next_look_) return false;
  next_look_ = now + confirmation_interval;
  const auto look = expiry_check::begin(*settings_.in, settings_.clock->unix_ms());
  return look.is_confirmed() || (clock_in_doubt_.get() > 0 && !look.doubts_clock());
}

bool housekeeper::has_work(bool is_expiry_due) {
  if (is_expiry_due) return true;
  const auto in = value_of(settings_.in->erasures());
  const auto images = value_of(in->removed_images(1, settings_.kept.replaced_images));
  const auto all = value_of(in->erasures());
  const auto unfinished =
      std::ranges::count_if(all, [](const erasure& each) { return !each.finished_ms; });
  erasing_.set(unfinished);
  return !images.empty() || unfinished > 0;
}

bool housekeeper::hold_lease() {
  lease_renewed_ = settings_.clock->now();
  return value_of(
      value_of(settings_.in->retention())->take_housekeeping(settings_.owner, housekeeping_lease));
}

void housekeeper::go_on() {
  if (stopping_.stop_requested()) throw work_ended{};
  if (settings_.clock->now() - lease_renewed_ >= lease_renewal && !hold_lease()) throw work_ended{};
}

void housekeeper::work(bool is_expiry_due) {
  // An unreachable bucket delays only the removal of its own objects.
  auto erased = base::attempt([&] {
    remove_images();
    erase_all(is_expiry_due);
  });
  if (is_expiry_due) {
    expire();
    next_expiry_ = settings_.clock->now() + settings_.expiry_interval;
  }
  value_of(std::move(erased));
}

void housekeeper::in_pace(batch_pace& pace, const std::function<void()>& batch) {
  const auto begun = settings_.clock->now();
  batch();
  auto rest = pace.note(settings_.clock->now() - begun);
  // On a slow disk a rest is longer than the lease.
  for (; settings_.rests && rest.count() > 0; rest -= lease_renewal) {
    std::unique_lock lock{mutex_};
    rest_.wait_for(lock, stopping_.get_token(), std::min(rest, lease_renewal),
                   [] { return false; });
    lock.unlock();
    go_on();
  }
  go_on();
}

// -- images and games ---------------------------------------------------------

void housekeeper::remove_images() {
  for (std::size_t found = images_at_once; found == images_at_once;) {
    go_on();
    const auto images =
        value_of(value_of(settings_.in->erasures())
                     ->removed_images(images_at_once, settings_.kept.replaced_images));
    for (const auto& each : images)
      remove_image(*settings_.in, *settings_.objects, each);
    found = images.size();
  }
}

void housekeeper::erase_all(bool with_finished) {
  std::int64_t unfinished = 0;
  for (const auto& each : value_of(value_of(settings_.in->erasures())->erasures())) {
    go_on();
    if (!each.finished_ms) {
      ++unfinished;
      erase(each.game_id);
    } else if (with_finished) {
      // Data added after the erasure had ended: by a program that does not know erasures, or by a
      // change that saw the game and was committed after the erasure.
      erase_tokens(each.game_id);
      erase_avatars(each.game_id);
      erase_lobbies(each.game_id);
    }
  }
  erasing_.set(unfinished);
}

void housekeeper::erase(const model::uuid& game_id) {
  // Before the tokens, whose ids say which entries of the audit log they wrote.
  erase_names(game_id);
  erase_tokens(game_id);
  // Starts with what can be downloaded.
  erase_exports(game_id);
  erase_avatars(game_id);
  erase_lobbies(game_id);
  erase_names(game_id);
  if (value_of(value_of(settings_.in->erasures(run_of_service()))
                   ->finish_erasure(game_id, settings_.clock->unix_ms())))
    base::log(base::log_event::game_erased, "game {} and all of its data are erased",
              to_string(game_id));
}

void housekeeper::erase_names(const model::uuid& game_id) {
  audit_names names;
  batch_pace pace;
  while (!names.is_done)
    in_pace(pace, [&] {
      value_of(value_of(settings_.in->erasures())->erase_audit_names(game_id, names, pace.size()));
    });
}

void housekeeper::erase_tokens(const model::uuid& game_id) {
  value_of(value_of(settings_.in->erasures(run_of_service()))->erase_tokens(game_id));
}

void housekeeper::erase_exports(const model::uuid& game_id) {
  const auto gone = value_of(settings_.exports->erase(game_id));
  if (gone > 0) value_of(value_of(settings_.in->erasures())->note_erased_exports(game_id, gone));
  go_on();
}

void housekeeper::erase_avatars(const model::uuid& game_id) {
  model::uuid after;
  // Separate from the pace of lobbies, whose batches take longer.
  batch_pace pace;
  while (true) {
    const auto found =
        value_of(value_of(settings_.in->erasures())->avatars_after(game_id, after, images_at_once));
    if (found.empty()) return remove_images(); // those that these avatars had before
    after = found.back().upload_id;
    std::vector<model::uuid> ids;
    // Images go first, because without its row an image could not be found. Nothing waits for this,
    // so it does not count as a batch: a bucket may take seconds.
    for (const auto& each : found) {
      go_on();
      ids.push_back(each.upload_id);
      if (each.image)
        value_of(settings_.objects->remove(object_of(image_key{each.upload_id, *each.image})));
    }
    in_pace(pace, [&] {
      value_of(value_of(settings_.in->erasures(run_of_service()))->erase_avatars(game_id, ids));
    });
  }
}

void housekeeper::erase_lobbies(const model::uuid& game_id) {
  lobby_place after;
  while (true) {
    const auto found =
        value_of(value_of(settings_.in->erasures())->lobbies_after(game_id, after, pace_.size()));
    if (found.empty()) return;
    after = found.back();
    in_pace(pace_, [&] {
      erased_.add(value_of(value_of(settings_.in->erasures())->erase_lobbies(game_id, found)));
    });
  }
}

// -- what is over -------------------------------------------------------------

void housekeeper::expire() {
  const auto now_ms = settings_.clock->unix_ms();
  const auto check = expiry_check::begin(*settings_.in, now_ms);
  const bool was_in_doubt = clock_in_doubt_.get() > 0;
  const bool is_in_doubt = check.doubts_clock();
  clock_in_doubt_.set(is_in_doubt ? 1 : 0);
  next_look_.reset();
  if (is_in_doubt) {
    next_look_ = settings_.clock->now() + confirmation_interval;
    if (!was_in_doubt)
      base::log(base::log_event::expiry_waits,
                "nothing expires: the clock says {}, but the last that is known here is from {}; "
                "correct the clock, or confirm it with `matchcloud retention --confirm`",
                model::format_timestamp(now_ms), model::format_timestamp(check.known_ms()));
    return;
  }
  expire_lobbies(check, now_ms);
  expire_audit();
  expire_tokens();
  value_of(value_of(settings_.in->retention())->note_expiry(now_ms));
}

std::vector<game_retention> housekeeper::find_due(std::int64_t now_ms) {
  const auto in = value_of(settings_.in->retention());
  auto found = value_of(retentions_at(*in, settings_.kept.history, now_ms));
  if (count_due(std::bind_front(&retention_store::count_expired, &*in), found)) return found;
  // Lobbies expire even if they cannot be counted.
  for (auto& each : found)
    if (each.horizon_ts) each.due = std::max<std::uint64_t>(each.due, 1);
  return found;
}

void housekeeper::expire_lobbies(const expiry_check& check, std::int64_t now_ms) {
  const auto all = find_due(now_ms);
  std::uint64_t due = 0;
  for (const auto& each : all)
    due += each.due;
  due_.set(static_cast<std::int64_t>(due));
  std::int64_t waiting = 0;
  for (const auto& each : all) {
    if (each.due == 0) continue;
    if (check.is_too_much(each, settings_.kept.share_percent)) {
      ++waiting;
      base::log(base::log_event::expiry_waits,
                "game {}: {} lobbies are due, more than {} % of all; confirm with `matchcloud "
                "retention --confirm` that they may expire",
                to_string(each.game_id), each.due, settings_.kept.share_percent);
      continue;
    }
    expire_lobbies_of(each);
    due -= each.due;
    due_.set(static_cast<std::int64_t>(due));
  }
  waiting_.set(waiting);
  if (waiting > 0) next_look_ = settings_.clock->now() + confirmation_interval;
}

void housekeeper::expire_lobbies_of(const game_retention& which) {
  const auto run = run_of_service();
  lobby_place after;
  std::uint64_t sum = 0;
  while (true) {
    const auto found =
        value_of(value_of(settings_.in->retention())
                     ->expired_lobbies(which.game_id, *which.horizon_ts, after, pace_.size()));
    if (found.empty()) break;
    after = found.back();
    std::optional<std::size_t> gone;
    in_pace(pace_, [&] {
      gone =
          value_of(value_of(settings_.in->retention(run))
                       ->expire_lobbies(which.game_id, which.own_days, *which.horizon_ts, found));
      expired_.add(gone.value_or(0));
    });
    if (!gone) break; // its retention was changed, and the next search finds what that leaves
    sum += *gone;
  }
  base::log(base::log_event::lobbies_expired, "game {}: {} lobbies expired",
            to_string(which.game_id), sum);
}

void housekeeper::expire_audit() {
  const auto before_ms =
      settings_.clock->unix_ms() - std::chrono::milliseconds{settings_.kept.audit}.count();
  std::size_t sum = 0;
  // In transactions of a few thousand entries, and with rests, so that others do not wait for long.
  batch_pace pace;
  for (std::size_t gone = 1; gone > 0; sum += gone)
    in_pace(pace, [&] {
      gone = value_of(value_of(settings_.in->audit(run_of_service()))->expire_audit(before_ms));
    });
  if (sum > 0) base::log(base::log_event::audit_expired, "audit: {} entries expired", sum);
}

void housekeeper::expire_tokens() {
  const auto before_ms =
      settings_.clock->unix_ms() - std::chrono::milliseconds{settings_.kept.tokens}.count();
  const auto gone =
      value_of(value_of(settings_.in->tokens(run_of_service()))->expire_tokens(before_ms));
  if (gone > 0)
    base::log(base::log_event::tokens_removed, "tokens: {} expired or revoked ones are removed",
              gone);
}

} // namespace matchcloud::store
