#pragma once

#include "base/config_row.hpp"

#include <chrono>

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

} // namespace matchcloud::store
