#pragma once

#include "base/config_row.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace matchcloud::actors {

/// The limits on ingests: while more than half of their places are taken, one sender may have
/// `share_percent` of them (at least 1), and an ingest must send `least_rate` bytes per second.
struct ingestion_limits {
  std::size_t share_percent = 25;
  std::size_t least_rate = 16UL * 1024;
  /// The size of the store's backlog (acknowledged but not yet tidied up) above which ingestion is
  /// refused.
  std::size_t backlog_bytes = 1024UL * 1024 * 1024;
  /// Names of members of lines that are skipped.
  std::vector<std::string> ignored_members = {};
};

/// Stores the names. Fails with `config_invalid` and says why if one cannot be ignored.
base::expected<void> set_ignored_members(ingestion_limits& of, const base::config_values& given);

inline base::config_rows<ingestion_limits> ingestion_keys() {
  return {
      base::number_row("ingest-share-percent", &ingestion_limits::share_percent, 1, 100,
                       "The share of mailbox-ingestion that one token may hold while more than "
                       "half is in use. Without a token it is that of one client certificate or "
                       "address (IPv6: its prefix of client-prefix-bits); beyond: 503."),
      base::number_row("ingest-least-rate", &ingestion_limits::least_rate, 1, 1'000'000'000,
                       "Bytes a second that an ingest must send on average while more than half "
                       "of mailbox-ingestion is in use; slower, after the first 5 s: 408."),
      base::number_row("store-backlog-limit-bytes", &ingestion_limits::backlog_bytes,
                       base::mebibyte, base::tebibyte,
                       "The size that the log of an embedded store may reach. Above it, ingestion "
                       "returns 503 until the log can be emptied."),
      {{"ingest-ignored-members", base::config_text::kind::list, "",
        "names of members (date, @timestamp); repeatable, at most 16",
        "Members of lines that are skipped, whatever their values are: those that log shippers "
        "add. All other unknown members are findings."},
       set_ignored_members},
  };
}

} // namespace matchcloud::actors
