#include "actors/bookkeeping/bookkeeping.hpp"

#include "actors/bookkeeping/messages.hpp"
#include "actors/news/messages.hpp"
#include "base/events/log.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::actors {

namespace {

/// Rounds down to the second, the resolution of the marks of use.
constexpr std::int64_t whole_second(std::int64_t ms) noexcept {
  return ms / 1'000 * 1'000;
}

base::expected<void> write_uses(store::database& into, const std::vector<store::token_use>& uses) {
  if (uses.empty()) return {};
  return into.access().and_then([&](const auto& in) { return in->note_uses(uses); });
}

} // namespace

bookkeeping::bookkeeping(caf::actor_config& cfg, const services& with, model::token_snapshot tokens)
    : supervised_actor{cfg, {}},
      with_{&with},
      tokens_{std::move(tokens)},
      written_ms_{whole_second(with_->clock->unix_ms())} {}

caf::behavior bookkeeping::make_behavior() {
  be_strict();
  delayed_send(this, tick, keep_books{});
  return {
      [this](const tokens_changed& news) { tokens_ = news.tokens; },
      [this](keep_books) { persist(); },
      [this](books_kept) {
        own_statistics().count_handled();
        delayed_send(this, tick, keep_books{});
      },
  };
}

void bookkeeping::persist() {
  auto task = [self = caf::actor_cast<caf::actor>(this), database = with_->administered,
               tally = with_->ingest_store->tally(), uses = new_uses()] {
    auto kept = write_uses(*database, uses);
    // Taken here, so that a task that never runs loses no sum.
    if (kept) kept = write_sums(*database, tally->take_over(), *tally);
    if (!kept)
      base::log(base::log_event::housekeeping_failed, "bookkeeping: {}",
                base::to_string(kept.error()));
    caf::anon_send(self, books_kept{});
  };
  if (!with_->administering->submit(std::move(task))) delayed_send(this, tick, keep_books{});
}

std::vector<store::token_use> bookkeeping::new_uses() {
  std::vector<store::token_use> uses;
  if (!tokens_) return uses;
  // Uses within the current second are written next time.
  const auto from_ms = std::exchange(written_ms_, whole_second(with_->clock->unix_ms()));
  for (std::size_t i = 0; i < tokens_->tokens().size(); ++i) {
    const auto used_ms = tokens_->used_ms(i);
    if (used_ms >= from_ms) uses.push_back({tokens_->tokens()[i].token_id, used_ms});
  }
  return uses;
}

} // namespace matchcloud::actors
