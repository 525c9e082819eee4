#pragma once

#include "base/config_row.hpp"

#include <chrono>

namespace matchcloud::actors {

/// How long what was done, and by whom, is kept.
struct retention {
  std::chrono::hours audit{365 * 24};
  /// Of tokens that were revoked or have expired.
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
      days_row("audit-retention-days", "365", "How long the audit log keeps its entries.",
               &retention::audit),
      days_row("token-retention-days", "30",
               "How long the store keeps tokens that were revoked or have expired.",
               &retention::tokens),
  };
}

} // namespace matchcloud::actors
