#include "actors/bookkeeping/bookkeeping.hpp"

#include "actors/bookkeeping/messages.hpp"
#include "actors/news/messages.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace matchcloud::actors {

namespace {

/// The beginning of its second: the marks of use have seconds.
constexpr std::int64_t whole_second(std::int64_t ms) noexcept {
  return ms / 1'000 * 1'000;
}

base::expected<void> write_uses(store::database& into, const std::vector<store::token_use>& uses) {
  if (uses.empty()) return {};
  return into.access().and_then([&](const auto& in) { return in->note_uses(uses); });
}

model::audit_run_ptr run_of_service() {
  model::audit_author service;
  service.what = model::audit_author::kind::service;
  return model::run_of(service);
}

base::expected<void> expire_audit(store::database& in, std::int64_t before_ms) {
  std::size_t sum = 0;
  // In transactions of a few thousand, so that nobody waits for long.
  while (true) {
    const auto gone = in.access(run_of_service()).and_then([&](const auto& log) {
      return log->expire_audit(before_ms);
    });
    if (!gone) return tl::unexpected(gone.error());
    if (*gone == 0) break;
    sum += *gone;
  }
  if (sum > 0) spdlog::info("audit: {} entries expired", sum);
  return {};
}

base::expected<void> expire_tokens(store::database& in, std::int64_t before_ms) {
  const auto gone = in.access(run_of_service()).and_then([&](const auto& tokens) {
    return tokens->expire_tokens(before_ms);
  });
  if (!gone) return tl::unexpected(gone.error());
  if (*gone > 0) spdlog::info("tokens: {} that were over are removed", *gone);
  return {};
}

} // namespace

bookkeeping::bookkeeping(caf::actor_config& cfg, bookkeeping_settings settings,
                         model::token_snapshot tokens)
    : supervised_actor{cfg, {}},
      settings_{std::move(settings)},
      tokens_{std::move(tokens)},
      written_ms_{whole_second(settings_.clock->unix_ms())} {}

caf::behavior bookkeeping::make_behavior() {
  be_strict();
  delayed_send(this, settings_.tick, keep_books{});
  return {
      [this](const tokens_changed& news) { tokens_ = news.tokens; },
      [this](keep_books) { persist(); },
      [this](books_kept) {
        own_statistics().count_handled();
        delayed_send(this, settings_.tick, keep_books{});
      },
  };
}

void bookkeeping::persist() {
  const bool is_expiry_due = ticks_++ % settings_.ticks_per_expiry == 0;
  auto task = [self = caf::actor_cast<caf::actor>(this), database = settings_.database,
               tally = settings_.tally, uses = new_uses(), is_expiry_due,
               entries_before_ms = settings_.clock->unix_ms() -
                                   std::chrono::milliseconds{settings_.kept.audit}.count(),
               tokens_before_ms = settings_.clock->unix_ms() -
                                  std::chrono::milliseconds{settings_.kept.tokens}.count()] {
    auto kept = write_uses(*database, uses);
    // Taken here, so that a task that nobody runs takes no sum away.
    if (kept && tally) kept = write_sums(*database, tally->take_over(), *tally);
    if (kept && is_expiry_due) kept = expire_audit(*database, entries_before_ms);
    if (kept && is_expiry_due) kept = expire_tokens(*database, tokens_before_ms);
    if (!kept) spdlog::warn("bookkeeping: {}", base::to_string(kept.error()));
    caf::anon_send(self, books_kept{});
  };
  if (!settings_.pool->submit(std::move(task))) delayed_send(this, settings_.tick, keep_books{});
}

std::vector<store::token_use> bookkeeping::new_uses() {
  std::vector<store::token_use> uses;
  if (!tokens_) return uses;
  // What is used in the second of this look is written with the next one.
  const auto from_ms = std::exchange(written_ms_, whole_second(settings_.clock->unix_ms()));
  for (std::size_t i = 0; i < tokens_->tokens().size(); ++i) {
    const auto used_ms = tokens_->used_ms(i);
    if (used_ms >= from_ms) uses.push_back({tokens_->tokens()[i].token_id, used_ms});
  }
  return uses;
}

} // namespace matchcloud::actors
