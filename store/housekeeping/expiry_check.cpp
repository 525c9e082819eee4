#include "store/housekeeping/expiry_check.hpp"

#include "model/audit/audit.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::store {

namespace {

base::expected<std::vector<model::audit_entry>> entries_since(database& in, std::int64_t since_ms,
                                                              model::audit_action action,
                                                              const std::string& subject = {}) {
  model::audit_query query;
  query.since_ms = since_ms;
  query.action = name_of(action);
  query.subject = subject;
  return in.access()
      .and_then([&](const auto& log) { return log->read_audit(query); })
      .map([](auto page) { return std::move(page.entries); });
}

/// The start of the newest lobby of all games; 0 if there is none.
base::expected<std::int64_t> newest_of_all(retention_store& in) {
  const auto games = in.kept_histories();
  if (!games) return tl::unexpected(games.error());
  std::int64_t newest = 0;
  for (const auto& each : *games) {
    const auto of_game = in.newest_lobby(each.game_id);
    if (!of_game) return tl::unexpected(of_game.error());
    newest = std::max(newest, of_game->value_or(0));
  }
  return newest;
}

} // namespace

base::expected<expiry_check> expiry_check::begin(database& in, std::int64_t now_ms) {
  expiry_check made{in, now_ms};
  // One session at a time, because there may be only one.
  const auto known = in.retention().and_then([&](const auto& from) -> base::expected<std::int64_t> {
    const auto last = from->last_expiry();
    if (!last) return last;
    made.last_ms_ = *last;
    return *last > 0 ? last : newest_of_all(*from);
  });
  if (!known) return tl::unexpected(known.error());
  made.known_ms_ = *known;
  const auto confirmed = entries_since(in, made.last_ms_, model::audit_action::retention_confirm);
  if (!confirmed) return tl::unexpected(confirmed.error());
  made.is_confirmed_ = !confirmed->empty();
  return made;
}

bool expiry_check::doubts_clock() const noexcept {
  return !is_confirmed_ && known_ms_ > 0 &&
         now_ms_ - known_ms_ > std::chrono::milliseconds{clock_doubted_from}.count();
}

base::expected<bool> expiry_check::has_newly_set(const model::uuid& game_id) const {
  // The two texts of such an entry differ in what was set.
  const auto set_days = [](const std::string& element) {
    const std::string name = R"("retention_days":)";
    const auto at = element.find(name);
    if (at == std::string::npos) return std::string{};
    return element.substr(at, element.find_first_of(",}", at) - at);
  };
  return entries_since(*in_, last_ms_, model::audit_action::catalog_put,
                       "games/" + to_string(game_id))
      .map([&](const auto& entries) {
        return std::ranges::any_of(entries, [&](const model::audit_entry& each) {
          return set_days(each.what.before) != set_days(each.what.after);
        });
      });
}

base::expected<bool> expiry_check::is_too_much(const game_retention& of,
                                               std::uint64_t share_percent) const {
  if (is_confirmed_ || of.due < share_counts_from || share_percent >= 100) return false;
  const auto enough = (of.due * 100 + share_percent - 1) / share_percent;
  const auto all = in_->retention().and_then([&](const auto& in) {
    return in->count_expired(of.game_id, std::numeric_limits<std::int64_t>::max(), enough);
  });
  // If the server cannot count them within its time limit, they wait.
  if (!all && all.error().code != base::errc::store_failed) return tl::unexpected(all.error());
  if (all && *all >= enough) return false;
  return has_newly_set(of.game_id).map([](bool is_set) { return !is_set; });
}

} // namespace matchcloud::store
