#pragma once

#include "base/config_row.hpp"
#include "base/expected.hpp"
#include "store/retention_store.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::store {

/// How long things are kept.
struct retention {
  /// Lobbies, after their stop, unless their game sets another time; 0: for ever.
  std::chrono::days history{0};
  /// Entries of the audit log.
  std::chrono::hours audit{365 * 24};
  /// Tokens that were revoked or have expired.
  std::chrono::hours tokens{30 * 24};
  /// Images, after an avatar got another one.
  std::chrono::hours replaced_images{24};
  /// How long a service runs before anything expires.
  std::chrono::milliseconds delay{std::chrono::minutes{5}};
  /// Of a game's lobbies, the most that expire in a run without a confirmation.
  std::uint64_t share_percent = 50;
};

inline base::config_row<retention> days_row(std::string name, std::string preset,
                                            std::string purpose,
                                            std::chrono::hours retention::*member) {
  return base::count_row<retention>(
      std::move(name), std::move(preset), 1, 36'500, std::move(purpose),
      [member](retention& of, std::uint64_t days) { of.*member = std::chrono::days{days}; });
}

inline base::config_rows<retention> image_retention_keys() {
  return {days_row("replaced-image-days", "1",
                   "How long an avatar's former image is served, for lists that still name it.",
                   &retention::replaced_images)};
}

inline base::config_rows<retention> retention_keys() {
  return {
      base::count_row<retention>(
          "retention-days", "0", 0, 36'500,
          "How long lobbies are kept from their stop, unless their game says otherwise; 0: for "
          "ever. Exports say from when on they are complete.",
          [](retention& of, std::uint64_t days) { of.history = std::chrono::days{days}; }),
      days_row("audit-retention-days", "365", "How long the audit log keeps its entries.",
               &retention::audit),
      days_row("token-retention-days", "30",
               "How long the store keeps tokens that were revoked or have expired.",
               &retention::tokens),
      base::number_row("expiry-delay-ms", &retention::delay, 0, 86'400'000,
                       "How long a service runs before anything expires, so that a wrong start can "
                       "be corrected."),
      base::number_row("expiry-percent", &retention::share_percent, 1, 100,
                       "If more of a game's lobbies than this would expire in one run, they wait "
                       "for `matchcloud retention --confirm`; 100: they never wait."),
  };
}

/// Lobbies are counted up to this number.
inline constexpr std::uint64_t due_count_limit = 10'000'000;

/// The same, if the store takes too long to count that far.
inline constexpr std::uint64_t hurried_count_limit = 100'000;

/// What is kept of a game's history, and what has expired.
struct game_retention {
  model::uuid game_id;
  /// Days after a lobby's stop, set by the game or the configuration; 0: for ever.
  std::int64_t retention_days = 0;
  /// Those that the game itself sets.
  std::optional<std::int64_t> own_days = {};
  /// See `kept_history`.
  std::int64_t complete_from_ts = 0;
  /// Lobbies that stopped at or before this expire, in milliseconds since 1970. Nothing: none do.
  std::optional<std::int64_t> horizon_ts = {};
  /// The number of these lobbies, counted up to `due_count_limit` or `hurried_count_limit`.
  std::uint64_t due = 0;

  friend bool operator==(const game_retention&, const game_retention&) = default;
};

constexpr auto describe(const game_retention*) {
  using of = game_retention;
  using namespace model::types;
  return record{"GameRetention", field{"game_id", uuid, "The game's id.", &of::game_id},
                field{"retention_days",
                      {R"("type":"integer","minimum":0,"maximum":36500)"},
                      "Days that its lobbies are kept after they stop; 0: forever.",
                      &of::retention_days},
                field{"complete_from", moment_or_null,
                      "When its complete history begins; null: nothing has expired.",
                      [](const of& one) {
                        return one.complete_from_ts > 0
                                   ? std::optional{model::format_timestamp(one.complete_from_ts)}
                                   : std::nullopt;
                      }},
                field{"due",
                      {R"("type":"integer","minimum":0,"maximum":10000000)"},
                      "Lobbies that expire within the hour; counted up to 10,000,000.",
                      &of::due}};
}

/// The retention of all games, without counting what is due. `overall` is the configured time; 0:
/// for ever.
base::expected<std::vector<game_retention>>
retentions_at(retention_store& in, std::chrono::days overall, std::int64_t now_ms);

/// `retention_store::count_expired`.
using count_expired = std::function<base::expected<std::uint64_t>(
    const model::uuid& game_id, std::int64_t horizon_ts, std::uint64_t limit)>;

/// Counts what is due for each game. Reads one entry of an index for each lobby counted.
base::expected<void> count_due(const count_expired& count, std::vector<game_retention>& all);

/// `{"retention_days":30,"games":[..]}`; `overall` is the configured time.
std::string json_of(const std::vector<game_retention>& all, std::chrono::days overall);

} // namespace matchcloud::store
