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
};

inline base::config_rows<retention> retention_keys() {
  const auto days_row = [](std::string name, std::string preset, std::string purpose,
                           std::chrono::hours retention::*member) {
    return base::count_row<retention>(
        std::move(name), std::move(preset), 1, 36'500, std::move(purpose),
        [member](retention& of, std::uint64_t days) { of.*member = std::chrono::days{days}; });
  };
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
  };
}

} // namespace matchcloud::store
