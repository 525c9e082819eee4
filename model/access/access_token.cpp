#include "model/access/access_token.hpp"

#include "model/text/catalog_names.hpp"
#include "model/text/timestamp.hpp"
#include "model/text/violation.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace matchcloud::model {

token_state access_token::state(std::int64_t now_ms) const noexcept {
  if (revoked_ms && *revoked_ms <= now_ms) return token_state::revoked;
  if (what.expires_ms && *what.expires_ms <= now_ms) return token_state::expired;
  return token_state::active;
}

token_list::token_list(std::int64_t revision, std::vector<access_token> tokens)
    : revision_{revision}, tokens_{std::move(tokens)}, uses_s_(tokens_.size()) {
  std::ranges::sort(tokens_, {}, &access_token::token_id);
  by_digest_.reserve(tokens_.size());
  for (std::uint32_t i = 0; i < tokens_.size(); ++i) {
    by_digest_.push_back({tokens_[i].digest, i, false});
    if (tokens_[i].former_digest) by_digest_.push_back({*tokens_[i].former_digest, i, true});
  }
  std::ranges::sort(by_digest_, {}, &entry::digest);
  const auto bits = std::min<std::uint32_t>(16, std::bit_width(by_digest_.size()));
  bucket_shift_ = 16 - bits;
  buckets_.assign((std::size_t{1} << bits) + 1, 0);
  for (const auto& each : by_digest_)
    ++buckets_[bucket_of(each.digest) + 1];
  std::partial_sum(buckets_.begin(), buckets_.end(), buckets_.begin());
}

token_list::match token_list::find(const token_digest& digest) const noexcept {
  const auto bucket = bucket_of(digest);
  for (auto i = buckets_[bucket]; i < buckets_[bucket + 1]; ++i)
    if (by_digest_[i].digest == digest)
      return {&tokens_[by_digest_[i].position], by_digest_[i].is_former};
  return {};
}

const access_token* token_list::find(const uuid& token_id) const noexcept {
  const auto found = std::ranges::lower_bound(tokens_, token_id, {}, &access_token::token_id);
  return found != tokens_.end() && found->token_id == token_id ? &*found : nullptr;
}

void token_list::note_use(const access_token& which, std::int64_t now_ms) const noexcept {
  auto& mark = uses_s_[static_cast<std::size_t>(&which - tokens_.data())];
  // Written once a second, so that loops do not keep taking the cache line from each other.
  const auto now_s = now_ms / 1'000;
  if (mark.load(std::memory_order_relaxed) < now_s) mark.store(now_s, std::memory_order_relaxed);
}

std::int64_t token_list::used_ms(std::size_t position) const noexcept {
  return uses_s_[position].load(std::memory_order_relaxed) * 1'000;
}

void token_list::take_uses(const token_list& before) const noexcept {
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const auto* old = before.find(tokens_[i].token_id);
    if (old == nullptr) continue;
    const auto used_ms = before.used_ms(static_cast<std::size_t>(old - before.tokens_.data()));
    if (used_ms > 0) note_use(tokens_[i], used_ms);
  }
}

base::error no_such_token(const uuid& token_id) {
  return {base::errc::token_not_found, "There is no token " + to_string(token_id) + "."};
}

base::expected<void> check_new_token(const new_token& wanted, std::int64_t now_ms) {
  const auto refuse = [](std::string why) {
    return base::fail(base::errc::query_invalid, std::move(why));
  };
  if (!is_name(wanted.name) ||
      check_longest(wanted.name, token_name_limit, length_unit::characters))
    return refuse("The name must be " + counted_up_to(token_name_limit, length_unit::characters) +
                  ", not blank, without control characters, invisible characters or line "
                  "separators.");
  if (has_token(wanted.name))
    return refuse("The name contains a token, but names are not secret. Use another name.");
  const bool is_scoped = wanted.scope != uuid{};
  const std::string kind{name_of(wanted.kind)};
  switch (scope_of(wanted.kind)) {
  case token_scope::game:
    if (!is_scoped) return refuse("A " + kind + " token is for one game. Add its game_id.");
    break;
  case token_scope::game_namespace:
    if (!is_scoped)
      return refuse("A " + kind + " token is for one namespace. Add its namespace_id.");
    break;
  case token_scope::none:
    if (is_scoped)
      return refuse("A token of the kind " + kind + " has no game or namespace. Remove it.");
  }
  if (wanted.expires_ms &&
      (*wanted.expires_ms <= now_ms || *wanted.expires_ms > timestamp_limit_ms))
    return refuse("The token would expire in the past or after the year 9999. Use a time between.");
  return {};
}

} // namespace matchcloud::model
