#include "store/housekeeping/expiry_check.hpp"

#include "base/failure.hpp"
#include "model/audit/audit.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::store {

namespace {

using base::value_of;

std::vector<model::audit_entry> entries_since(database& in, std::int64_t since_ms,
                                              model::audit_action action,
                                              const std::string& subject = {}) {
  model::audit_query query;
  query.since_ms = since_ms;
  query.action = name_of(action);
  query.subject = subject;
  return value_of(value_of(in.audit())->read_audit(query)).entries;
}

/// The start of the newest lobby of all games; 0 if there is none.
std::int64_t newest_of_all(retention_store& in) {
  std::int64_t newest = 0;
  for (const auto& each : value_of(in.kept_histories()))
    newest = std::max(newest, value_of(in.newest_lobby(each.game_id)).value_or(0));
  return newest;
}

} // namespace

expiry_check expiry_check::begin(database& in, std::int64_t now_ms) {
  expiry_check made{in, now_ms};
  {
    // One session at a time, because there may be only one.
    const auto from = value_of(in.retention());
    made.last_ms_ = value_of(from->last_expiry());
    made.known_ms_ = made.last_ms_ > 0 ? made.last_ms_ : newest_of_all(*from);
  }
  made.is_confirmed_ =
      !entries_since(in, made.last_ms_, model::audit_action::retention_confirm).empty();
  return made;
}

bool expiry_check::doubts_clock() const noexcept {
  return !is_confirmed_ && known_ms_ > 0 &&
         now_ms_ - known_ms_ > std::chrono::milliseconds{clock_doubted_from}.count();
}

bool expiry_check::has_newly_set(const model::uuid& game_id) const {
  // The two texts of such an entry differ in what was set.
  const auto set_days = [](const std::string& element) {
    const std::string name = R"("retention_days":)";
    const auto at = element.find(name);
    if (at == std::string::npos) return std::string{};
    return element.substr(at, element.find_first_of(",}", at) - at);
  };
  return std::ranges::any_of(
      entries_since(*in_, last_ms_, model::audit_action::catalog_put,
                    "games/" + to_string(game_id)),
      [&](const auto& each) { return set_days(each.what.before) != set_days(each.what.after); });
}

bool expiry_check::is_too_much(const game_retention& of, std::uint64_t share_percent) const {
  if (is_confirmed_ || of.due < share_counts_from || share_percent >= 100) return false;
  const auto enough = (of.due * 100 + share_percent - 1) / share_percent;
  auto all = in_->retention().and_then([&](const auto& in) {
    return in->count_expired(of.game_id, std::numeric_limits<std::int64_t>::max(), enough);
  });
  // If the server cannot count them within its time limit, they wait.
  const bool is_slow = !all && all.error().code == base::errc::store_failed;
  if (!is_slow && value_of(std::move(all)) >= enough) return false;
  return !has_newly_set(of.game_id);
}

} // namespace matchcloud::store
